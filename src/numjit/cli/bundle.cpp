// numjit run and numjit explain: bundles of np::export_function, carried out and described.
#include <cstdio>
#include <cstring>

#include <fmt/format.h>

#include <numjit/base/error.h>
#include <numjit/base/file.h>
#include <numjit/cli/commands.h>
#include <numjit/np.h>

namespace numjit::cli {
namespace {

constexpr std::string_view mark = "{}";

// What one path stands for when several arrays are written.
std::string numbered(const std::string& pattern, std::size_t number) {
  std::string path = pattern;
  const std::size_t at = path.find(mark);
  if (at != std::string::npos) path.replace(at, mark.size(), std::to_string(number));
  return path;
}

bool is_pattern(const std::string& path) { return path.find(mark) != std::string::npos; }

std::vector<std::string> output_paths(const std::vector<std::string>& given, std::size_t count) {
  if (given.empty() || given.size() == count) {
    std::vector<std::string> paths;
    for (std::size_t i = 0; i < given.size(); ++i) paths.push_back(numbered(given[i], i));
    return paths;
  }
  if (given.size() != 1 || !is_pattern(given[0]))
    throw ValueError("run", fmt::format("number of outputs: got {} -o, expected {}, or one with {{}} in its name.",
                                        given.size(), count));
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < count; ++i) paths.push_back(numbered(given[0], i));
  return paths;
}

void write(const std::string& path, const array& a) {
  const std::string bytes = npy_bytes(a);
  if (int failure = detail::replace_file(path, detail::temporary_beside(path), bytes, 0644))
    throw OSError("run", fmt::format("{}: {}", path, std::strerror(failure)));
}

void check_input_count(const loaded_function& f, std::size_t given) {
  std::string expected;
  for (const auto& kind : f.inputs()) {
    if (kind.size() == given) return;
    const std::string count = std::to_string(kind.size());
    if (expected.find(count) == std::string::npos) expected += (expected.empty() ? "" : " or ") + count;
  }
  throw ValueError("run", fmt::format("number of inputs: got {}, expected {}.", given, expected));
}

// Arguments that some kind of call stores into.
std::vector<bool> changed_inputs(const loaded_function& f, std::size_t count) {
  std::vector<bool> changed(count);
  for (const auto& kind : f.inputs())
    for (std::size_t i = 0; kind.size() == count && i < count; ++i)
      if (kind[i].changed) changed[i] = true;
  return changed;
}

}  // namespace

int run_bundle(const run_options& options) {
  const loaded_function f = load_function(options.bundle);
  check_input_count(f, options.inputs.size());
  const std::vector<std::string> paths = output_paths(options.outputs, f.output_count());
  std::vector<array> inputs;
  for (const std::string& path : options.inputs) inputs.push_back(load(path));
  std::vector<array> results;
  try {
    results = f.run(inputs);
  } catch (const error& e) {
    std::fprintf(stderr, "numjit: %s\n", e.what());
    return 1;
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (paths.empty())
      fmt::print("result {}: {} {}\n{}\n", i, results[i].dtype().name(), results[i].shape().str(), results[i].str());
    else
      write(paths[i], results[i]);
  }
  const std::vector<bool> changed = changed_inputs(f, inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!changed[i]) continue;
    if (!options.changed.empty())
      write(numbered(options.changed, i), inputs[i]);
    else
      std::fprintf(stderr, "numjit: the function changes its argument %zu (%s): write it with --changed PATH\n", i,
                   options.inputs[i].c_str());
  }
  return 0;
}

int explain_bundle(const std::string& bundle) {
  fmt::print("{}", load_function(bundle).str());
  return 0;
}

}  // namespace numjit::cli
