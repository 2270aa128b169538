// Functions from bundles: opening and calling them.
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <numjit/base/cpu.h>
#include <numjit/base/error.h>
#include <numjit/graph/json_limits.h>
#include <numjit/runtime/bundle/bundle.h>
#include <numjit/runtime/kernels/cache.h>
#include <numjit/runtime/kernels/key.h>
#include <numjit/runtime/kernels/portable.h>
#include <numjit/trace/api/region.h>
#include <numjit/trace/export/export.h>
#include <numjit/trace/export/program_run.h>

namespace numjit {

using json = nlohmann::json;

struct loaded_function::State {
  tracing::Program program;
  std::mutex mutex;
  std::vector<std::unique_ptr<tracing::ProgramRunner>> idle;

  std::unique_ptr<tracing::ProgramRunner> take() {
    std::lock_guard lock(mutex);
    if (idle.empty()) return std::make_unique<tracing::ProgramRunner>(program);
    auto runner = std::move(idle.back());
    idle.pop_back();
    return runner;
  }
  void give_back(std::unique_ptr<tracing::ProgramRunner> runner) {
    std::lock_guard lock(mutex);
    idle.push_back(std::move(runner));
  }

  void settle_changed(const tracing::ProgramEntry& entry, const std::vector<node*>& nodes) const {
    const std::vector<bool> changed = tracing::changed_arguments(program, entry);
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (changed[i]) detail::read_hooks.settle_others(nodes[i], true, "load_function", {});
  }

  std::vector<array> call(const std::vector<array>& arrays, const std::vector<std::uint64_t>* values) {
    // Inside a compiled function: what is pending runs first.
    std::optional<disable_scope> outside;
    if (detail::recording) outside.emplace(disable_options{.reason = "it was loaded from a bundle"});
    std::vector<node*> nodes;
    for (const array& a : arrays) {
      if (detail::is_followed(a.get()))
        throw NotImplementedError("load_function",
                                  "no derivative of a loaded function is known. Use stop_gradient, or give one by custom_vjp.");
      nodes.push_back(detail::concrete(a.get(), "eval"));
    }
    const tracing::ProgramEntry& entry = tracing::find_entry(program, nodes, values);
    if (detail::others_record()) [[unlikely]]
      settle_changed(entry, nodes);
    // A kernel for the processor that the bundle lacks is not compiled for it: its operations run one by one.
    const runtime::defer_compiles_scope deferring(true);
    std::unique_ptr<tracing::ProgramRunner> runner = take();
    std::vector<array> results = runner->run(entry, nodes);
    give_back(std::move(runner));
    return results;
  }
};

namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& what) {
  throw OSError("load_function", fmt::format("{}: damaged: {}", path, what));
}

json parsed(const runtime::Bundle& bundle, const char* section) {
  const std::span<const char> text = bundle.section(section);
  json j = graph::parse_json(std::string_view(text.data(), text.size()));
  if (!j.is_array()) refuse(bundle.path, fmt::format("section '{}' is no list", section));
  return j;
}

std::vector<array> constants_of(const runtime::Bundle& bundle) {
  std::vector<array> constants;
  for (const json& j : parsed(bundle, "constants")) {
    const auto letter = j.at("type").get<std::string>();
    const auto extents = j.at("shape").get<std::vector<std::int64_t>>();
    if (letter.size() != 1 || extents.size() > static_cast<std::size_t>(max_rank))
      refuse(bundle.path, "a constant of unknown layout");
    const dtype_id type = dtype_of_char(letter[0]);
    const std::span<const char> bytes = bundle.section(fmt::format("constant {}", constants.size()));
    // Sizes are compared with what is there before anything is allocated.
    std::uint64_t left = bytes.size() / dtype(type).itemsize();
    bool fits = bytes.size() % dtype(type).itemsize() == 0, empty = false;
    for (std::int64_t e : extents) {
      fits = fits && e >= 0;
      empty |= e == 0;
    }
    for (std::int64_t e : extents) {
      if (empty || !fits) break;
      fits = left % static_cast<std::uint64_t>(e) == 0;
      left /= static_cast<std::uint64_t>(e);
    }
    if (!fits || (empty ? !bytes.empty() : left != 1)) refuse(bundle.path, "a constant of another size");
    constants.push_back(array::adopt(detail::new_node(type, static_cast<int>(extents.size()), extents.data())));
    if (!bytes.empty()) std::memcpy(constants.back().get()->data, bytes.data(), bytes.size());
  }
  return constants;
}

tracing::Program program_of(const runtime::Bundle& bundle) {
  const std::span<const char> text = bundle.section("program");
  return tracing::program_from_json(std::string_view(text.data(), text.size()), constants_of(bundle));
}

// Of several targets the best that this processor runs: one's own, then the highest level.
// For devices there is one, whose code for the processor all run.
int preference(const std::string& target) {
  if (runtime::is_target_of_device(target)) return 1;
  if (!runtime::runs_target(target)) return 0;
  return target.starts_with("host") ? 9 : target.back() - '0';
}

void provide_kernels_of(const runtime::Bundle& bundle) {
  struct Choice {
    int preference = 0;
    std::string section;
  };
  std::map<std::string, Choice> chosen;  // by content
  std::set<std::string> targets;
  for (const json& j : parsed(bundle, "kernels")) {
    const auto target = j.at("target").get<std::string>();
    if (!runtime::is_target_of_device(target)) targets.insert(target);
    Choice& best = chosen[j.at("content").get<std::string>()];
    if (preference(target) > best.preference) best = {preference(target), j.at("section").get<std::string>()};
  }
  std::vector<runtime::ProvidedKernel> kernels;
  for (const auto& [content, choice] : chosen) {
    if (choice.preference == 0) {
      std::string list;
      for (const std::string& t : targets) list += (list.empty() ? "" : ", ") + t;
      throw DeviceError("load_function",
                        fmt::format("{}: its kernels are for other processors: got {}, this one is x86-64-v{} ({}). "
                                    "Export it with a target such as x86-64-v{}.",
                                    bundle.path, list, detail::cpu_level(), detail::cpu_features(), detail::cpu_level()));
    }
    const std::span<const char> bytes = bundle.section(choice.section);
    kernels.push_back({content, std::vector<char>(bytes.begin(), bytes.end())});
  }
  runtime::provide_kernels(std::move(kernels));
}

}  // namespace

tracing::Program tracing::load_program(const std::string& path) {
  const runtime::Bundle bundle = runtime::read_bundle(path);
  try {
    return program_of(bundle);
  } catch (const json::exception& e) {
    refuse(path, e.what());
  }
}

loaded_function load_function(const std::string& path) {
  const runtime::Bundle bundle = runtime::read_bundle(path);
  auto state = std::make_shared<loaded_function::State>();
  try {
    state->program = program_of(bundle);
    provide_kernels_of(bundle);
  } catch (const json::exception& e) {
    refuse(path, e.what());
  }
  loaded_function function;
  function.state_ = std::move(state);
  return function;
}

std::vector<array> loaded_function::run(const std::vector<array>& arrays) const { return state_->call(arrays, nullptr); }

std::vector<array> loaded_function::call_leaves(const tracing::LeafList& leaves) const {
  std::vector<array> arrays;
  for (const array* a : leaves.arrays) arrays.push_back(*a);
  return state_->call(arrays, &leaves.values);
}

void loaded_function::check_count(std::size_t expected, std::size_t got) {
  if (expected != got)
    throw TypeError("load_function", fmt::format("the function returns {} array{}, the result type holds {}.", got,
                                                 got == 1 ? "" : "s", expected));
}

const std::string& loaded_function::name() const { return state_->program.name; }

std::vector<std::vector<loaded_function::input>> loaded_function::inputs() const {
  std::vector<std::vector<input>> kinds;
  for (const tracing::ProgramEntry& entry : state_->program.entries) {
    std::vector<input> list;
    const std::vector<bool> changed = tracing::changed_arguments(state_->program, entry);
    for (std::size_t i = 0; i < entry.arguments.size(); ++i) {
      const tracing::ProgramArgument& a = entry.arguments[i];
      std::vector<bool> any;
      for (int axis = 0; axis < a.shape.size(); ++axis) any.push_back(a.free >> axis & 1);
      list.push_back({a.type, a.shape, std::move(any), changed[i]});
    }
    kinds.push_back(std::move(list));
  }
  return kinds;
}

std::size_t loaded_function::output_count() const {
  return tracing::result_count(state_->program, state_->program.entries.front());
}

std::string loaded_function::str() const { return tracing::to_text(state_->program); }

const array& loaded_results::single() const {
  if (arrays_.size() != 1)
    throw TypeError("load_function", fmt::format("the function returns {} arrays: got a conversion to one, expected "
                                                 "an index or call<std::tuple<...>>().",
                                                 arrays_.size()));
  return arrays_.front();
}

}  // namespace numjit
