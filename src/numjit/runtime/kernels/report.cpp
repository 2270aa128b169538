// Listings, hints and timings of kernels.
#include <numjit/runtime/kernels/report.h>

#include <algorithm>
#include <iterator>
#include <mutex>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <numjit/base/clock.h>
#include <numjit/base/cpu.h>
#include <numjit/base/debug_folder.h>
#include <numjit/base/log.h>
#include <numjit/runtime/kernels/plugin.h>

namespace numjit::runtime {
namespace {

using detail::log_enabled;

std::string ops_text(const graph::KernelSpec& spec) { return fmt::format("{}", fmt::join(graph::op_names(spec), ", ")); }

/// timings.json: written anew with each kernel, as nobody knows which is the last.
void write_timings(const KernelEvent& event) {
  using nlohmann::json;
  static std::mutex mutex;
  static auto& kernels = *new json(json::array());
  static auto& folder = *new std::string;
  std::lock_guard lock(mutex);
  if (folder != detail::debug_folder()) kernels = json::array();
  folder = detail::debug_folder();
  kernels.push_back({{"kernel", event.name},
                     {"function", event.function},
                     {"schedule", event.variant.schedule},
                     {"ops", graph::op_names(event.spec)},
                     {"from", event.from_disk ? "disk" : "compiler"},
                     {"codegen_ms", event.codegen_ms},
                     {"link_ms", event.link_ms},
                     {"load_ms", event.load_ms},
                     {"disk_ms", event.disk_ms}});
  detail::write_debug_file("timings.json", json{{"kernels", kernels}}.dump(2) + "\n");
}

void write_files(const KernelEvent& event, const KernelListing& listing) {
  const std::string base = "kernels/" + event.name;
  detail::write_debug_file(base + ".spec.txt", fmt::format("kernel {} of {}\nspec {}\n{}", event.name, event.function,
                                                           graph::content_hash(event.spec), event.content));
  if (!listing.loop_nest.empty()) detail::write_debug_file(base + ".schedule.txt", listing.loop_nest);
  if (!listing.statement.empty()) detail::write_debug_file(base + ".stmt", listing.statement);
  if (!listing.assembly.empty()) detail::write_debug_file(base + ".s", listing.assembly);
  write_timings(event);
}

// ---- watches ----

constexpr std::size_t most_compile_events = 5000;

struct Watched {
  std::mutex mutex;
  int watches = 0;
  std::vector<CompileEvent> events;
};
Watched& watched() {
  static auto& instance = *new Watched;  // compiles may outlive what is destroyed at the end of the process
  return instance;
}

void note_for_watches(const KernelEvent& event) {
  std::lock_guard lock(watched().mutex);
  if (watched().watches == 0 || watched().events.size() >= most_compile_events) return;
  const auto ns = static_cast<std::int64_t>(1e6 * (event.codegen_ms + event.link_ms + event.load_ms + event.disk_ms));
  watched().events.push_back({fmt::format("{} {} of {}{}", event.variant.schedule, event.name, event.function,
                                          event.from_disk ? ", from the disk cache" : ""),
                              detail::clock_ns() - ns, ns});
}

void report(const KernelEvent& event) {
  note_for_watches(event);
  const bool schedule = log_enabled(log_channel::schedule), code = log_enabled(log_channel::code);
  if (!schedule && !code && !detail::debugging()) return;
  KernelListing listing;
  if (KernelCompiler* compiler = kernel_compiler())
    listing = compiler->list(event.spec, event.variant, event.name,
                             event.variant.target.empty() ? detail::kernel_target() : event.variant.target);
  if (schedule)
    detail::log(log_channel::schedule, fmt::format("schedule of kernel {} ({}: {}):\n{}", event.name, event.variant.schedule,
                                                   ops_text(event.spec), listing.loop_nest));
  if (code)
    detail::log(log_channel::code, fmt::format("code of kernel {} ({}: {}):\n{}", event.name, event.variant.schedule,
                                               ops_text(event.spec), listing.statement));
  if (detail::debugging()) write_files(event, listing);
}

}  // namespace

CompileWatch::CompileWatch() : begin_ns_(detail::clock_ns()) {
  std::lock_guard lock(watched().mutex);
  ++watched().watches;
}

CompileWatch::~CompileWatch() {
  std::lock_guard lock(watched().mutex);
  if (--watched().watches == 0) watched().events.clear();
}

std::vector<CompileEvent> CompileWatch::events() const {
  std::lock_guard lock(watched().mutex);
  std::vector<CompileEvent> found;
  std::copy_if(watched().events.begin(), watched().events.end(), std::back_inserter(found),
               [&](const CompileEvent& e) { return e.begin_ns >= begin_ns_; });
  return found;
}

void report_kernel(const KernelEvent& event) noexcept {
  try {
    report(event);
  } catch (const std::exception& e) {
    detail::warn(fmt::format("kernel {} can't be listed: {}", event.name, e.what()));
  }
}

void report_strides(const std::string& name, const std::string& function, const graph::KernelSpec& spec,
                    const KernelVariant& variant) {
  if (variant.schedule == "product") return;  // its classes mean something else
  std::string operands;
  for (std::size_t i = 0; i < spec.operand_types.size(); ++i)
    if (variant.inner_stride[i] == 2) operands += fmt::format("{}{}", operands.empty() ? "" : ", ", i);
  if (operands.empty()) return;
  detail::log(log_channel::perf_hints,
              fmt::format("performance hint: kernel {} ({}: {}) of {} picks the elements of operand {} one by "
                          "one: they do not lie side by side in memory. np::ascontiguousarray() once, where "
                          "it is read often.",
                          name, variant.schedule, ops_text(spec), function, operands));
}

}  // namespace numjit::runtime
