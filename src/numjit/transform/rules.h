// How derivatives go through operations: a rule for each row.
//
// Ufuncs have theirs in their rows (ops/elementwise.def). Others whose results are differentiated have adjoint_<row>, which
// takes what the result's change costs back to the inputs, and tangent_<row>, which takes the inputs' changes to the result: the
// link fails without. Rules bind operations as user code does, at the line of the operation they are of.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include <numjit/transform/applied.h>

namespace numjit::transform {

/// What a rule sees of an operation.
class Seen {
 public:
  Seen(const Applied& of, const Layouts& layouts) : of_(of), layouts_(layouts) {}
  const op_params& p() const { return of_.p(); }
  std::size_t size() const { return of_.size(); }
  bool is_active(std::size_t i) const { return of_.in(i).variable != no_number; }
  bool is_array(std::size_t i) const { return of_.in(i).layout != no_number; }
  dims shape(std::size_t i) const { return is_array(i) ? layouts_.shape(of_.in(i).layout) : dims(); }
  int rank(std::size_t i) const { return is_array(i) ? layouts_.rank(of_.in(i).layout) : 0; }
  dtype_id type(std::size_t i) const { return layouts_.type(of_.in(i).layout); }
  /// An input's value, which the rule said it needs.
  operand value(std::size_t i) const {
    const Operand& o = of_.in(i);
    return o.layout == no_number ? o.number() : operand(o.value, "", "", 0);
  }
  const array& array_value(std::size_t i) const { return of_.in(i).value; }
  const array& result() const { return of_.result; }
  const array& mask() const { return of_.mask; }
  dims result_shape() const { return layouts_.shape(of_.layout); }
  dtype_id result_type() const { return layouts_.type(of_.layout); }
  const Applied& applied() const { return of_; }

 protected:
  const Applied& of_;
  const Layouts& layouts_;
};

/// The cotangents of a tape's variables while it is swept from its end: what has come together so far.
class Cotangents {
 public:
  /// `layouts`, and the number of each variable's among them, outlive it.
  Cotangents(const Layouts& layouts, std::span<const int> layout_of_variable)
      : layouts_(layouts), layout_of_(layout_of_variable), sums_(layout_of_variable.size()) {}

  /// Adds a contribution to all of a variable: summed over the axes that broadcasting repeated, cast, then added.
  void add(int variable, const array& contribution);
  /// Adds to the part of a variable that a view without repeated elements shows; nothing is added elsewhere.
  void add_at(int variable, op_id view, const op_params& params, const array& contribution);
  /// What has come together, which goes; empty where nothing came.
  array take(int variable);
  /// The same as an array that nobody else has, to be stored into.
  array take_own(int variable);
  /// Gives back what take_own() gave, for another variable of the same shape and dtype.
  void put_own(int variable, array sum);

 private:
  struct Sum {
    array value;
    bool own = false;  // nobody else has it
  };
  Sum& at(int variable) { return sums_[static_cast<std::size_t>(variable)]; }
  int layout_of(int variable) const { return layout_of_[static_cast<std::size_t>(variable)]; }

  const Layouts& layouts_;
  std::span<const int> layout_of_;
  std::vector<Sum> sums_;
};

/// What an adjoint is given: the cotangent g of the result, and where those of the inputs go.
class Adjoint : public Seen {
 public:
  Adjoint(const Applied& of, const Layouts& layouts, array g, Cotangents& to) : Seen(of, layouts), g_(std::move(g)), to_(to) {}
  const array& g() const { return g_; }
  /// The cotangent of an input, or what broadcasting and casts made of it. Nothing happens for inputs that are not active.
  void give(std::size_t i, const array& cotangent) {
    if (is_active(i) && !cotangent.empty_handle()) to_.add(of_.in(i).variable, cotangent);
  }
  /// The cotangent of the part of an input that a view shows.
  void give_at(std::size_t i, op_id view, const op_params& params, const array& cotangent) {
    if (is_active(i)) to_.add_at(of_.in(i).variable, view, params, cotangent);
  }
  Cotangents& cotangents() { return to_; }

 private:
  array g_;
  Cotangents& to_;
};

/// What a tangent rule is given: the changes of the active inputs.
class Tangent : public Seen {
 public:
  Tangent(const Applied& of, const Layouts& layouts, std::span<const array> changes) : Seen(of, layouts), changes_(changes) {}
  /// Of an input; empty where it does not change.
  const array& change(std::size_t i) const { return changes_[i]; }
  bool changes(std::size_t i) const { return !changes_[i].empty_handle(); }
  /// The same, zeros where it does not change.
  array change_or_zeros(std::size_t i) const;

 private:
  std::span<const array> changes_;
};

/// Bits of Rule::needs: input i is 1 << i.
inline constexpr std::uint8_t needs_result = 1 << 7, needs_all_inputs = (1 << 7) - 1;

/// Does a rule with these needs want the value of an input?
constexpr bool needs_input(std::uint8_t needs, std::size_t i) { return needs >> std::min<std::size_t>(i, 6) & 1; }

struct Rule {
  enum class kind : std::uint8_t {
    known,
    zero,     // whatever there is of a derivative is zero: integers, comparisons, rounding
    unknown,  // asking for it is an error
  };
  kind is = kind::zero;
  std::uint8_t needs = 0;  // values, by active input the same
  void (*adjoint)(Adjoint&) = nullptr;
  array (*tangent)(const Tangent&) = nullptr;
};

/// The rule of an op.
const Rule& rule_of(op_id op);
/// Is the derivative of a library routine known?
Rule::kind kind_of_routine(const op_params& params);
std::uint8_t needs_of_routine(const op_params& params);
/// The values that the rule of an operation between ranks needs.
std::uint8_t needs_of_communication(const op_params& params);
/// Is that of a draw known where these inputs are active?
Rule::kind kind_of_draw(unsigned active, const op_params& params);
/// Of the first step of Applied::path, which is known by its place in memory only.
const Rule& rule_of_place();
/// Whether there is a rule where these inputs are active (bit i is input i).
Rule::kind kind_of_rule(op_id op, unsigned active, const op_params& params);
Rule::kind kind_of_ufunc_rule(op_id ufunc, unsigned active);
/// What the rule of a ufunc needs then.
std::uint8_t needs_of_rule(op_id ufunc, unsigned active);
void adjoint_of_ufunc(Adjoint& a);
array tangent_of_ufunc(const Tangent& t);

#define STRUCTURAL(name, ...)      \
  void adjoint_##name(Adjoint& a); \
  array tangent_##name(const Tangent& t);
#define REDUCTION(name, ...) STRUCTURAL(name)
#define SCAN(name, ...) STRUCTURAL(name)
#include <numjit/ops/all_rows.inc>

// ---- helpers of rules ----
/// Has nobody else the array, or memory of it? Of what is pending there may be views.
bool is_sole(const array& a);
/// A contribution for a variable of this shape and dtype: summed over the axes that broadcasting repeated, and cast.
array as_contribution(const array& g, const dims& shape, dtype_id type);
array zeros(const dims& shape, dtype_id type);
/// Of this shape and dtype, which it broadcasts and casts to.
array as_result(const array& t, const dims& shape, dtype_id type);

}  // namespace numjit::transform
