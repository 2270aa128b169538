// numjit pack: kernel packs for pages, made and described.
#include <numjit/cli/pack.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <exception>
#include <mutex>
#include <set>
#include <thread>

#include <fmt/format.h>

#include <numjit/base/buffer_pool.h>
#include <numjit/base/config.h>
#include <numjit/base/error.h>
#include <numjit/base/file.h>
#include <numjit/cli/commands.h>
#include <numjit/runtime/kernels/key.h>
#include <numjit/runtime/kernels/list.h>
#include <numjit/runtime/kernels/plugin.h>

namespace numjit::cli {

using runtime::KernelRequest;

namespace {

std::string read_text(const std::string& path) {
  std::string text;
  if (int failure = detail::read_file(path, text)) throw OSError("pack", detail::system_error_text(failure, path));
  return text;
}

/// Without the tag in front.
std::string reason_of(const error& e) {
  const std::string text = e.what(), tag = "[" + e.op() + "] ";
  return text.starts_with(tag) ? text.substr(tag.size()) : text;
}

}  // namespace

std::vector<KernelRequest> graphs_in(const std::string& path) {
  const std::string text = read_text(path);
  try {
    if (!text.starts_with(std::string_view("\0asm", 4))) return runtime::read_kernel_list(text);
    std::vector<KernelRequest> requests;
    for (const std::string& graph : runtime::read_pack(text, path).graphs) requests.push_back(runtime::request_from_text(graph));
    return requests;
  } catch (const ValueError& e) {
    throw ValueError("pack", fmt::format("{}: {}", path, reason_of(e)));
  }
}

runtime::PackDescription describe_pack(const std::string& path) { return runtime::read_pack(read_text(path), path); }

std::string graph_line(const KernelRequest& request) {
  std::string line = fmt::format("{} {}:", runtime::kernel_name(request.content), request.variant.schedule);
  for (std::string_view op : graph::op_names(request.spec)) line += fmt::format(" {}", op);
  return line;
}

CompiledGraphs compile_graphs(const std::vector<KernelRequest>& requests, const std::string& build) {
  runtime::wasm_target(build);
  config();  // a wrong variable is said once, not for each graph
  if (!runtime::kernel_compiler()) throw CompileError("pack", fmt::format("no code generator: {}", runtime::plugin_error()));
  CompiledGraphs compiled;
  std::mutex mutex;
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i; (i = next++) < requests.size();) {
      try {
        std::vector<char> object = runtime::wasm_object(requests[i], build);
        std::lock_guard lock(mutex);
        compiled.kernels.push_back({requests[i].content, std::move(object)});
      } catch (const error& e) {
        std::lock_guard lock(mutex);
        compiled.failures.push_back(fmt::format("{}: {}", graph_line(requests[i]), reason_of(e)));
      }
    }
  };
  const std::size_t most = std::min<std::size_t>(std::max(1u, std::thread::hardware_concurrency()), requests.size());
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < most; ++i) threads.emplace_back(work);
  work();
  threads.clear();  // joins
  std::sort(compiled.failures.begin(), compiled.failures.end());
  return compiled;
}

void write_pack(const std::string& path, std::span<const char> pack) {
  if (int failure = detail::replace_file(path, detail::temporary_beside(path), pack, 0644))
    throw OSError("pack", detail::system_error_text(failure, path));
}

int pack_build(const std::vector<std::string>& inputs, const std::string& output, const std::string& target) {
  std::vector<KernelRequest> requests;
  std::set<std::string> known;
  for (const std::string& path : inputs)
    for (KernelRequest& request : graphs_in(path))
      if (known.insert(request.content).second) requests.push_back(std::move(request));
  const CompiledGraphs compiled = compile_graphs(requests, target);
  for (const std::string& failure : compiled.failures) std::fprintf(stderr, "numjit: no kernel for %s\n", failure.c_str());
  const std::vector<char> pack = runtime::link_pack(compiled.kernels, target);
  write_pack(output, pack);
  fmt::print("{}: {} kernels for {}, {}\n", output, compiled.kernels.size(), target, detail::format_bytes(pack.size()));
  return compiled.failures.empty() ? 0 : 1;
}

int pack_list(const std::string& path) {
  const runtime::PackDescription pack = describe_pack(path);
  const std::vector<KernelRequest> graphs = graphs_in(path);
  fmt::print("target {}, bits version {}, made by {}\n", pack.target, pack.bits, pack.compiler);
  for (const KernelRequest& request : graphs) fmt::print("{}\n", graph_line(request));
  return 0;
}

}  // namespace numjit::cli
