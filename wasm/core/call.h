// What passes between JavaScript and the core: values in slots of 16 bytes, and the calls made of them.
//
//   JS   np.cumsum(a, {axis: 1})      slots: array(a) key(1) int(1)
//   C++  row<"cumsum">([](Call& c) { return give(cumsum(c[0], {.axis = c.axis(1), ...})); })
//
// A parameter is given by position or by its name in an options object, as in Python: js/parameters.js finds its place.
#pragma once

#include <cstdint>
#include <forward_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <numjit/np.h>

namespace numjit::js {

enum class Tag : std::int32_t {
  none,
  bool_,
  int_,
  float_,
  complex_,  // complex_: the real part; a float_ slot with the imaginary part follows
  big_int,   // an int64 in `number`'s bytes
  array,     // extra: the handle (a node that JS holds a reference to)
  text,      // extra: its address, number: its length in bytes
  list,      // extra: how many values follow
  slice,     // three values follow
  ellipsis,
  newaxis,
  dtype,  // extra: dtype_id
  key,    // extra: the place of a parameter; its value follows
};

/// As JavaScript writes and reads them.
struct Slot {
  Tag tag;
  std::int32_t extra;
  union {
    double number;
    std::int64_t integer;
  };
};
static_assert(sizeof(Slot) == 16);

/// One argument.
class Value {
 public:
  Tag tag = Tag::none;
  double number = 0, imag = 0;
  std::int64_t integer = 0;
  array held{};                // of array, and of a list that was made an array
  std::string_view text{};
  dtype_id type{};
  std::vector<Value> items{};  // of list and slice
  bool null = false;           // given as null, Python's None: not given, where that is no value of its own

  bool given() const { return tag != Tag::none; }
  /// An array, a number, or a list of numbers as an array, which the value holds on to.
  operand as_operand();
  operator operand() { return as_operand(); }
  array as_array();
  std::int64_t as_integer(const char* what) const;
  double as_number(const char* what) const;
  bool as_bool() const;
  dims as_dims(const char* what) const;
  std::string as_text(const char* what) const;
  dtype as_dtype() const;
};

struct Places;

/// A call of one function: its arguments by position, whichever way they were given.
class Call {
 public:
  /// `parameters`: those of the function, a literal.
  Call(const char* function, const char* parameters, const Slot* slots, int count);

  /// TypeError where it was not given.
  Value& operator[](int i);
  /// Was parameter i given, by position or by name? The function lacks a parameter of -1.
  bool has(int i) const { return static_cast<std::size_t>(i) < values_.size() && value(i).given(); }
  /// Was it given as null?
  bool is_null(int i) const { return static_cast<std::size_t>(i) < values_.size() && value(i).null; }

  std::int64_t integer(int i, std::int64_t otherwise);
  double number(int i, double otherwise);
  bool flag(int i, bool otherwise = false);
  std::optional<std::int64_t> axis(int i);
  /// As axis(), where the default is another than none, which null stands for.
  std::optional<std::int64_t> axis_or(int i, std::int64_t otherwise);
  axis_list axes(int i);
  optional_dtype type(int i);
  array array_or_none(int i);
  array mask(int i);  // where=, none for true
  dims shape(int i);
  /// Integers of a list or of an array.
  index_list places(int i);
  operand number_or_array(int i, double otherwise);
  /// A word, good until the call has ended.
  const char* word(int i, const char* otherwise);
  array_list arrays(int i);
  /// Options of reductions and of variances. The axis is at 1.
  reduce_options reduced(const Places& p);
  var_options spread(const Places& p);
  const char* name() const { return function_; }

 private:
  const Value& value(int i) const { return values_[static_cast<std::size_t>(i)]; }
  std::string name_of(int i) const;

  const char *function_, *parameters_;
  std::vector<Value> values_;
  std::forward_list<std::string> words_;
};

/// Lengths from here on are refused: numbers of JavaScript don't tell them apart. Only arrays without elements, or without
/// memory of their own, have them.
inline constexpr std::int64_t unsafe_length = std::int64_t{1} << 53;
void check_lengths(const node* n);

/// An array as JavaScript holds it: its node, with a reference.
inline int as_handle(array a) {
  if (!a.empty_handle() && (a.get()->size == 0 || a.get()->size >= unsafe_length)) [[unlikely]]
    check_lengths(a.get());
  return static_cast<int>(reinterpret_cast<std::intptr_t>(a.release_node()));
}

/// What a call gives back, as slots. Arrays in it carry a reference that JS takes over.
class Result {
 public:
  Result() = default;
  std::vector<Slot> slots;
  std::vector<std::string> texts;  // that slots point to

  void add(array a);
  void add(bool v);
  void add(double v);
  void add(std::int64_t v);
  void add(const numjit::detail::element_value& v);
  void add(std::string v);
  void begin_list(std::size_t count) { slots.push_back({Tag::list, static_cast<std::int32_t>(count), {0}}); }
};

template <class T>
  requires requires(Result r, T&& v) { r.add(std::forward<T>(v)); }
Result give(T&& v) {
  Result r;
  r.add(std::forward<T>(v));
  return r;
}
Result give(const std::vector<array>& list);
Result give(const dims& list);
template <class... T>
Result give_list(T&&... v) {
  Result r;
  r.begin_list(sizeof...(v));
  (r.add(std::forward<T>(v)), ...);
  return r;
}

/// options.cpp: what is done where parameter i is given, of which most pages make no use.
char memory_order(Call& c, int i);
/// 'C', 'F', 'A' or 'K'.
char any_order(Call& c, int i);
/// Parameters from i on, where there are such: order and device; order, (subok,) shape and device.
void place_filled(Call& c, int i, char& order, std::optional<std::string>& device);
void place_like(Call& c, int i, like_options& o);
array reshaped_with_options(Call& c);
array raveled_in_order(Call& c, int i);
/// A copy of `a`; 'K' and 'A' mean the order of `like`.
array copied_in_order(Call& c, int i, const array& a, const array& like);
/// `a`, or a copy of it where it lies in another order.
array laid_in_order(Call& c, int i, const array& a);
/// linspace's values and their step.
Result spaced_with_step(Call& c, std::int64_t num, const linspace_options& o);

inline arg_options position(Call& c) { return {.axis = c.axis(1), .out = c.array_or_none(2), .keepdims = c.flag(3)}; }

/// ufunc_methods.cpp: reduce, accumulate, reduceat and at, of a ufunc by its name.
Result ufunc_reduced(Call& c);
Result ufunc_accumulated(Call& c);
Result ufunc_pieces_reduced(Call& c);
Result ufunc_at_places(Call& c);

/// One function that JavaScript sees. Its parameters are separated by spaces: "=" stands before the first that has a default, "*"
/// before those that go by their names alone; "*x" takes all arguments by position that are left, "x?" is true or false.
struct Function {
  const char* name;
  const char* parameters;
  Result (*run)(Call& call);
};

/// All of them; JavaScript calls them by index.
const std::vector<Function>& functions();

/// One file each.
void add_numeric(std::vector<Function>& table);
void add_shapes(std::vector<Function>& table);
void add_analysis(std::vector<Function>& table);
void add_random(std::vector<Function>& table);
void add_linalg(std::vector<Function>& table);
void add_transforms(std::vector<Function>& table);

/// What stands in brackets: an integer, a slice, an array, ... IndexError for what does not.
index index_entry(Value& v);

/// Reads one value and those inside it; moves `at` on.
Value read_value(const Slot* slots, int count, int& at);

}  // namespace numjit::js
