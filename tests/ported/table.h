// The C++ programs of docs/programs, by name: made runnable plainly and compiled.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <numjit/np.h>

namespace ported {

namespace np = numjit;

using results = std::vector<np::array>;

struct program {
  std::string name;
  std::function<results()> eager;
  std::function<results()> compiled;              // each call with inputs of its own
  std::function<results()> replayed;              // in mode replay: the body need not run again
  std::function<np::explain_report()> explained;  // of another such call
};

inline void PrintTo(const program& p, std::ostream* out) { *out << p.name; }

/// All programs; filled before main.
std::vector<program>& programs();

inline results as_results(const np::array& a) { return {a}; }
inline results as_results(const std::vector<np::array>& all) { return all; }
template <class... A>
results as_results(const std::tuple<A...>& all) {
  return std::apply([](const auto&... a) { return results{a...}; }, all);
}
template <class A, class B>
results as_results(const std::pair<A, B>& both) {
  return {both.first, both.second};
}

struct entry {
  /// `inputs()` gives a tuple or pair of what `run` takes.
  template <class Run, class Inputs>
  entry(const char* name, Run run, Inputs inputs) {
    auto fast = np::compile(run, {.name = name});
    auto replay = np::compile(run, {.mode = np::mode::replay, .name = name});
    programs().push_back({name, [=] { return as_results(std::apply(run, inputs())); },
                          [=] { return as_results(std::apply(fast, inputs())); },
                          [=] { return as_results(std::apply(replay, inputs())); },
                          [=] { return std::apply(np::explain(fast), inputs()); }});
  }
};

#define NUMJIT_PORTED(name) \
  const ::ported::entry entry_of_##name(#name, &::name::run, &::name::inputs)

}  // namespace ported
