// Running programs in every way and comparing what they let be seen.
#include "harness.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <filesystem>
#include <typeinfo>
#include <unistd.h>

#include "support/element_bits.h"

namespace meaning {
namespace {

std::string element_text(const Sight& s, std::int64_t i) {
  const std::size_t item = s.dtype.itemsize();
  np::array one = np::empty(1, s.dtype);
  std::memcpy(one.raw_data(), s.bytes.data() + static_cast<std::size_t>(i) * item, item);
  return one(0).str();
}

std::string shape_text(const np::dims& d) { return d.str(); }

}  // namespace

std::string difference(const Sight& plain, const Sight& here) {
  auto differ = [&](const std::string& what, const std::string& a, const std::string& b) {
    return plain.label + what + ": plain " + a + ", here " + b;
  };
  if (plain.is_array != here.is_array || plain.label != here.label || plain.text != here.text) {
    auto text = [](const Sight& s) { return "'" + (s.is_array ? "array " + s.label : s.text) + "'"; };
    return "plain " + text(plain) + ", here " + text(here);
  }
  if (!plain.is_array) return "";
  if (plain.dtype != here.dtype)
    return differ(" dtype", std::string(plain.dtype.name()), std::string(here.dtype.name()));
  if (plain.shape != here.shape) return differ(" shape", shape_text(plain.shape), shape_text(here.shape));
  // Strides of axes without a second element carry no meaning.
  bool same_strides = true;
  std::int64_t count = 1;
  for (int i = 0; i < plain.shape.size(); ++i) count *= plain.shape[i];
  for (int i = 0; i < plain.shape.size(); ++i)
    same_strides &= count <= 1 || plain.shape[i] == 1 || plain.strides[i] == here.strides[i];
  if (!same_strides) return differ(" strides", shape_text(plain.strides), shape_text(here.strides));
  if (plain.writeable != here.writeable)
    return differ(" writeable", plain.writeable ? "yes" : "no", here.writeable ? "yes" : "no");
  const std::size_t item = plain.dtype.itemsize();
  for (std::int64_t i = 0; i < count; ++i) {
    const std::size_t at = static_cast<std::size_t>(i) * item;
    if (!np::testing::same_element_bits(plain.dtype.id(), plain.bytes.data() + at, here.bytes.data() + at))
      return differ(" element " + std::to_string(i) + " of " + shape_text(plain.shape) + " " +
                        std::string(plain.dtype.name()),
                    element_text(plain, i), element_text(here, i));
  }
  return "";
}

void Trial::take_output() {
  std::string text = out.str();
  if (text.empty()) return;
  out.str("");
  sights_.push_back({"output", "printed: " + text});
}

void Trial::note(const std::string& text) {
  take_output();
  sights_.push_back({"note", text});
}

void Trial::show(const std::string& label, const np::array& a) {
  take_output();
  Sight s;
  s.label = label;
  s.is_array = true;
  s.dtype = a.dtype();
  s.shape = a.shape();
  s.strides = a.strides();
  s.writeable = a.writeable();
  const np::array elements = a.copy();
  const auto bytes = static_cast<std::size_t>(elements.nbytes());
  if (bytes > 0) s.bytes.assign(static_cast<const char*>(elements.raw_data()), bytes);
  sights_.push_back(std::move(s));
}

void Trial::shared(const std::string& label, const np::array& a, const np::array& b) {
  // An array's span of bytes, from its shape and strides.
  auto span = [](const np::array& x) {
    const np::dims shape = x.shape(), strides = x.strides();
    auto low = reinterpret_cast<std::intptr_t>(x.eval().get()->data), high = low;
    for (int i = 0; i < shape.size(); ++i) {
      if (shape[i] == 0) return std::pair(low, low);
      (strides[i] < 0 ? low : high) += (shape[i] - 1) * strides[i];
    }
    return std::pair(low, high + static_cast<std::intptr_t>(x.itemsize()));
  };
  const auto [a_low, a_high] = span(a);
  const auto [b_low, b_high] = span(b);
  const bool same_start = a.get()->data == b.get()->data;
  note(label + (a_high <= b_low || b_high <= a_low ? ": apart"
                : same_start                      ? ": same first element"
                                                  : ": memory shared"));
}

void Trial::check(bool holds, const std::string& what) {
  if (!holds) failed_checks_.push_back(what);
}

std::string Trial::describe_current_exception() {
  const std::type_info* type = abi::__cxa_current_exception_type();
  int status = 0;
  std::unique_ptr<char, void (*)(void*)> name(abi::__cxa_demangle(type->name(), nullptr, nullptr, &status),
                                              &std::free);
  std::string text = status == 0 ? name.get() : type->name();
  try {
    throw;
  } catch (const np::error& e) {
    text += " (" + e.code() + ", op '" + e.op() + "'): " + e.what();
  } catch (const std::exception& e) {
    text += std::string(": ") + e.what();
  } catch (int value) {
    text += ": " + std::to_string(value);
  } catch (...) {
  }
  return text;
}

const std::string& bundle_path() {
  static const std::string path = [] {
    const auto file = std::filesystem::temp_directory_path() / ("numjit_meaning_" + std::to_string(getpid()) + ".npj");
    std::atexit([] {
      std::error_code ignored;
      std::filesystem::remove(bundle_path(), ignored);
    });
    return file.string();
  }();
  return path;
}

int& exported_calls() {
  static int calls = 0;
  return calls;
}

bool may_end_export() {
  try {
    throw;
  } catch (const np::NotImplementedError&) {
    return true;
  } catch (const np::GraphBreakError&) {
    return true;
  } catch (const np::error& e) {
    return e.op() != "export_function";
  } catch (...) {
    return true;
  }
}

std::vector<Sight> Trial::take_sights() {
  take_output();
  return std::move(sights_);
}

std::shared_ptr<np::tracing::FunctionState> Trial::next_state(np::compile_options options) {
  if (engine_ == Engine::plain || engine_ == Engine::exported) return nullptr;
  const std::size_t at = next_++;
  if (at >= states_.size()) states_.resize(at + 1);
  if (!states_[at]) {
    if (engine_ == Engine::disabled) options.disable = true;
    if (engine_ == Engine::eager) options.backend = "eager";
    if (engine_ == Engine::graph) options.backend = "graph";
    if (engine_ == Engine::user)
      options.backend = [](const np::graph::Graph&) -> np::graph_runner {
        return [](np::graph_call& call) { call.run_op_by_op(); };
      };
    if (engine_ >= Engine::replay) options.mode = np::mode::replay;
    if (engine_ == Engine::verified_replay) options.verify_replay = 1;
    states_[at] = np::tracing::make_function_state(options);
  }
  return states_[at];
}

namespace {

using States = std::vector<std::shared_ptr<np::tracing::FunctionState>>;

struct Outcome {
  std::vector<Sight> sights;
  std::string failed_check;
};

Outcome run_once(Program program, Engine engine, States& states, int round) {
  Trial run(engine, states, round);
  try {
    program(run);
  } catch (...) {
    run.note("left by " + Trial::describe_current_exception());
  }
  Outcome outcome{run.take_sights(), ""};
  if (!run.failed_checks().empty()) outcome.failed_check = run.failed_checks()[0];
  return outcome;
}

std::string compare(const Outcome& plain, const Outcome& here) {
  const std::size_t both = std::min(plain.sights.size(), here.sights.size());
  for (std::size_t i = 0; i < both; ++i)
    if (std::string d = difference(plain.sights[i], here.sights[i]); !d.empty())
      return "sight " + std::to_string(i) + ": " + d;
  if (plain.sights.size() != here.sights.size()) {
    const bool more = here.sights.size() > both;
    const Sight& s = more ? here.sights[both] : plain.sights[both];
    return "sight " + std::to_string(both) + " '" + (s.is_array ? s.label : s.text) + "' is only seen " +
           (more ? "here" : "plainly");
  }
  return here.failed_check;
}

// One way: rounds in order, some of them after np::reset().
struct Way {
  const char* name;
  Engine engine;
  np::compile_mode mode;
};
constexpr Way ways[] = {
    {"disabled", Engine::disabled, np::compile_mode::sync},
    {"backend eager", Engine::eager, np::compile_mode::sync},
    {"backend graph", Engine::graph, np::compile_mode::sync},
    {"a user's backend", Engine::user, np::compile_mode::sync},
    {"compiled, sync", Engine::halide, np::compile_mode::sync},
    {"compiled, async", Engine::halide, np::compile_mode::async},
};
constexpr Way pure_ways[] = {
    {"replay", Engine::replay, np::compile_mode::sync},
    {"replay, async", Engine::replay, np::compile_mode::async},
    {"replay, verified", Engine::verified_replay, np::compile_mode::sync},
    {"exported", Engine::exported, np::compile_mode::async},
};

// The kernel cache: nothing from earlier runs is found. ctest gives each suite an empty folder; without it
// this process makes one and removes it at its end.
std::string kernel_cache() {
  static const std::filesystem::path folder = [] {
    if (const char* given = std::getenv("NUMJIT_CACHE_DIR")) return std::filesystem::path(given);
    static const auto own =
        std::filesystem::temp_directory_path() / ("numjit_meaning_" + std::to_string(getpid()));
    std::atexit([] {
      np::wait_for_compiles();
      std::error_code ignored;
      std::filesystem::remove_all(own, ignored);
    });
    return own;
  }();
  std::filesystem::create_directories(folder);
  return folder.string();
}

}  // namespace

std::string check_program(const std::string& name, Program program, bool pure) {
  constexpr int rounds = 3;
  Outcome plain[rounds];
  States none;
  for (int r = 0; r < rounds; ++r) {
    plain[r] = run_once(program, Engine::plain, none, r);
    const std::string where = name + ", plain, round " + std::to_string(r) + ": ";
    if (!plain[r].failed_check.empty()) return where + plain[r].failed_check;
    if (plain[r].sights.empty()) return where + "shows nothing";
  }
  np::config().cache_dir = kernel_cache();
  // Whichever of sync and async comes first compiles the kernels, the other one finds them on disk: to have
  // both at half the time, programs take turns.
  std::vector<Way> order(std::begin(ways), std::end(ways));
  if (name.size() % 2) std::swap(order[order.size() - 1], order[order.size() - 2]);
  if (pure) order.insert(order.end(), std::begin(pure_ways), std::end(pure_ways));
  // Programs change dtypes and layouts at will; the limit has a program of its own.
  np::config().recompile_limit = 1000;
  for (const Way& way : order) {
    States states;
    std::string wrong;
    auto go = [&](const char* state, int r) {
      if (!wrong.empty()) return;
      const std::string d = compare(plain[r], run_once(program, way.engine, states, r));
      if (!d.empty())
        wrong = name + ", " + way.name + ", " + state + ", round " + std::to_string(r) + ": " + d;
    };
    np::reset();
    np::config().compile = way.mode;
    go("cold", 0);
    go("second call", 0);
    go("warm", 1);
    go("warm", 2);
    if (way.engine >= Engine::halide) {
      np::wait_for_compiles();
      go("all kernels ready", 0);
      np::reset();
      go("after reset, kernels from disk", 0);
      go("after reset, kernels from disk", 2);
    } else {
      go("warm", 0);
    }
    if (!wrong.empty()) return wrong;
  }
  return "";
}

}  // namespace meaning
