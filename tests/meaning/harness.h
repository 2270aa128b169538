// Each program runs plainly and compiled in several ways; everything it lets be seen must be the same.
//
//   PROGRAM(halved_until_small) {
//     auto f = p.compile([&](np::array x) {
//       while (bool(np::max(x) > 1)) x = x / 2;
//       p.out << "done\n";
//       return x;
//     });
//     p.show("x", f(np::arange(8.0)));
//   }
//
// A program gets fresh inputs by making them; `p.round` (0, 1, 2) lets calls differ. What it shows, notes,
// prints and catches is one sequence, so that order counts too. Functions compiled by `p.compile` keep their
// graphs from round to round, whatever the new closures have captured.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <numjit/np.h>

namespace meaning {

namespace np = numjit;

/// One thing a program let be seen: a text, or an array with everything NumPy promises about it.
struct Sight {
  std::string label, text;
  bool is_array = false;
  np::dtype dtype = np::float64;
  np::dims shape, strides;
  bool writeable = true;
  std::string bytes;  // the elements in C order
};

/// Empty if both sights are the same (all NaN are one), else "label: what differs: plain ..., here ...".
std::string difference(const Sight& plain, const Sight& here);

/// How p.compile carries out a function.
enum class Engine { plain, disabled, eager, graph, user, halide, replay, verified_replay, exported };

/// A path for bundles of this process.
const std::string& bundle_path();
/// Calls carried out by a bundle so far.
int& exported_calls();
/// Results that loaded functions give back in their own type.
template <class R>
inline constexpr bool has_fixed_arrays = std::is_void_v<R> || std::same_as<R, np::array>;
template <class... R>
inline constexpr bool has_fixed_arrays<std::tuple<R...>> = (std::same_as<R, np::array> && ...);
template <class A, class B>
inline constexpr bool has_fixed_arrays<std::pair<A, B>> = std::same_as<A, np::array> && std::same_as<B, np::array>;
template <>
inline constexpr bool has_fixed_arrays<std::vector<np::array>> = true;

/// Is the exception in flight one that exports of good programs may end with: what no bundle holds, or an
/// error of the program itself?
bool may_end_export();

/// A function as the way at hand runs it: itself, or compiled.
template <class F>
class SubjectBase {
 public:
  SubjectBase(F fn, std::shared_ptr<np::tracing::FunctionState> state, bool exports) : exports_(exports) {
    if (state)
      compiled_.emplace(std::move(fn), std::move(state));
    else
      plain_.emplace(std::move(fn));
  }
  const np::compiled<F>* compiled() const { return compiled_ ? &*compiled_ : nullptr; }

 protected:
  template <class R, class... A>
  R call(A&&... args) const {
    if (plain_) return static_cast<R>(std::invoke(*plain_, std::forward<A>(args)...));
    return static_cast<R>((*compiled_)(std::forward<A>(args)...));
  }

  /// A bundle of the function for these arguments, where there can be one.
  template <class... A>
  std::optional<np::loaded_function> bundle(A&... args) const {
    if (!exports_) return std::nullopt;
    try {
      np::export_function(*plain_, std::tuple<std::decay_t<A>...>(args...), bundle_path());
    } catch (...) {
      if (!may_end_export()) throw;
      return std::nullopt;
    }
    ++exported_calls();
    return np::load_function(bundle_path());
  }

 private:
  bool exports_;
  mutable std::optional<F> plain_;
  std::optional<np::compiled<F>> compiled_;
};

template <class F, class Signature = typename np::tracing::signature_of<F>::type>
class Subject : public SubjectBase<F> {
 public:
  using SubjectBase<F>::SubjectBase;
  template <class... A>
    requires std::invocable<F&, A...>
  decltype(auto) operator()(A&&... args) const {
    return this->template call<std::invoke_result_t<F&, A...>>(std::forward<A>(args)...);
  }
};

template <class F, class R, class... A>
class Subject<F, R(A...)> : public SubjectBase<F> {
 public:
  using SubjectBase<F>::SubjectBase;
  R operator()(A... args) const {
    if constexpr (has_fixed_arrays<R> && (np::tracing::has_known_leaves<std::decay_t<A>>() && ...))
      if (const auto g = this->bundle(args...)) {
        if constexpr (std::is_void_v<R>)
          return void((*g)(args...));
        else
          return g->template call<R>(args...);
      }
    return this->template call<R>(std::forward<A>(args)...);
  }
};

class Trial {
 public:
  Trial(Engine engine, std::vector<std::shared_ptr<np::tracing::FunctionState>>& states, int at_round)
      : round(at_round), engine_(engine), states_(states) {}

  std::ostringstream out;  // what the program prints
  const int round;

  /// True where compiled functions record: where fullgraph and graph_break mean something.
  bool records() const {
    return engine_ != Engine::plain && engine_ != Engine::disabled && engine_ != Engine::exported;
  }

  template <class F>
  auto compile(F&& fn, const np::compile_options& options = {}) {
    if (engine_ == Engine::replay || engine_ == Engine::verified_replay) {
      if constexpr (requires { np::compiled<std::decay_t<F>>::replayable; })
        check(np::compiled<std::decay_t<F>>::replayable, "replay understands the signature");
      else
        check(false, "replay knows the signature");
    }
    return Subject<std::decay_t<F>>(std::forward<F>(fn), next_state(options), engine_ == Engine::exported);
  }

  void show(const std::string& label, const np::array& a);
  void show(const std::string& label, const std::string& text) { note(label + ": " + text); }
  void show(const std::string& label, const char* text) { note(label + ": " + text); }
  template <class T>
    requires std::is_arithmetic_v<T>
  void show(const std::string& label, T value) {
    show(label, np::array(value));
  }
  template <class T>
  void show(const std::string& label, const std::vector<T>& values) {
    note(label + ": " + std::to_string(values.size()) + " elements");
    for (std::size_t i = 0; i < values.size(); ++i)
      show(label + "[" + std::to_string(i) + "]", static_cast<const T&>(values[i]));
  }
  template <class T, std::size_t n>
  void show(const std::string& label, const std::array<T, n>& values) {
    for (std::size_t i = 0; i < n; ++i) show(label + "[" + std::to_string(i) + "]", values[i]);
  }
  template <class A, class B>
  void show(const std::string& label, const std::pair<A, B>& values) {
    show(label + ".first", values.first);
    show(label + ".second", values.second);
  }
  template <class... T>
  void show(const std::string& label, const std::tuple<T...>& values) {
    std::apply([&](const auto&... v) {
      int i = 0;
      (show(label + "<" + std::to_string(i++) + ">", v), ...);
    }, values);
  }
  template <class T>
  void show(const std::string& label, const std::optional<T>& value) {
    if (value)
      show(label, *value);
    else
      note(label + ": none");
  }
  template <class V>
  void show(const std::string& label, const std::map<std::string, V>& values) {
    for (const auto& [key, value] : values) show(label + "." + key, value);
  }

  /// A line of the sequence.
  void note(const std::string& text);
  /// Notes whether two arrays begin at the same element, share memory elsewhere, or are apart.
  void shared(const std::string& label, const np::array& a, const np::array& b);
  /// Runs `f` and notes the exception it throws: class, code and text.
  template <class F>
  void catches(const std::string& label, F&& f) {
    try {
      f();
      note(label + ": no exception");
    } catch (...) {
      note(label + ": " + describe_current_exception());
    }
  }
  /// A fact of its own, besides being the same in all ways.
  void check(bool holds, const std::string& what);
  template <class A, class B>
  void equal(const A& got, const B& expected, const std::string& what) {
    if (got == expected) return;
    std::ostringstream text;
    text << what << ": got " << got << ", expected " << expected;
    check(false, text.str());
  }
  /// NumPy's text of the value, as print() gives it there.
  void prints(const np::array& a, const std::string& expected) { equal(a.str(), expected, "text"); }
  /// Calls f(args...); where functions record, through np::explain, whose report is given to `look`.
  template <class F, class Look, class... A>
  void explain(const Subject<F>& f, Look&& look, A&&... args) {
    if (f.compiled() && records())
      look(np::explain(*f.compiled())(std::forward<A>(args)...));
    else
      f(std::forward<A>(args)...);
  }

  static std::string describe_current_exception();
  /// What was seen so far; ends the run.
  std::vector<Sight> take_sights();
  const std::vector<std::string>& failed_checks() const { return failed_checks_; }

 private:
  std::shared_ptr<np::tracing::FunctionState> next_state(np::compile_options options);
  void take_output();

  Engine engine_;
  std::vector<std::shared_ptr<np::tracing::FunctionState>>& states_;
  std::size_t next_ = 0;
  std::vector<Sight> sights_;
  std::vector<std::string> failed_checks_;
};

using Program = void (*)(Trial&);

/// Runs the program in every way; a `pure` one also by replay, whose body does nothing but array work on its
/// arguments. Empty if all agree, else "program, way, round: the first difference".
std::string check_program(const std::string& name, Program program, bool pure = false);

/// Doubles 0, 1, ..., n-1.
inline np::array ramp(std::int64_t n) { return np::arange(n).astype(np::float64); }
/// Some floats that are neither ordered nor round.
inline np::array wave(std::int64_t n, double phase = 0) { return np::sin(ramp(n) * 1.7 + phase) * 3; }

}  // namespace meaning

// SUITE is defined by each file before its first program.
#define PROGRAM(name) PROGRAM_OF(SUITE, name, false)
#define PURE_PROGRAM(name) PROGRAM_OF(SUITE, name, true)
#define PROGRAM_OF(suite, name, pure)                                                          \
  static void program_##name(::meaning::Trial&);                                               \
  TEST(suite, name) { EXPECT_EQ(::meaning::check_program(#name, program_##name, pure), ""); }  \
  static void program_##name([[maybe_unused]] ::meaning::Trial& p)
