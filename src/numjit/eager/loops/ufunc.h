// Inner loops of the elementwise rows, made from op_row<Op>::eval for every loop of every row.
// Everything lives in a namespace of the instruction set it is compiled for, so that no function that
// uses newer instructions can be picked for an older machine by the linker.
#pragma once

#include <type_traits>
#include <utility>

#include <numjit/eager/loop_table.h>
#include <numjit/ops/rows.h>

#ifndef NUMJIT_ISA
#error "loops are compiled once per instruction set with -DNUMJIT_ISA=v2|v3|v4"
#endif

// The iterations of these loops are independent: inputs and output are the same elements or disjoint.
#if defined(__clang__)
// Not every loop has a vector form, and conditions without branches are what has one.
#pragma clang diagnostic ignored "-Wpass-failed"
#pragma clang diagnostic ignored "-Wbitwise-instead-of-logical"
#define NUMJIT_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define NUMJIT_INDEPENDENT _Pragma("GCC ivdep")
#endif

// Keeps a loop scalar: with steps that are not known the vector form gathers and scatters, which is
// slower than one element at a time.
#define NUMJIT_SCALAR_LOOP(pointer) asm("" : "+r"(pointer))

// Where size counts more than the time of strided and broadcast operands: one loop for each op and types.
#ifdef NUMJIT_ONE_LOOP
#define NUMJIT_ALWAYS_BUFFERED true
#else
#define NUMJIT_ALWAYS_BUFFERED false
#endif

namespace numjit::eager::NUMJIT_ISA {

/// float16 is evaluated as float; every other type as itself.
template <class T>
using eval_type = std::conditional_t<std::is_same_v<T, half>, float, T>;

template <class To, class From>
[[gnu::always_inline]] inline To to_element(From v) {
  return static_cast<To>(v);
}

/// Element i of contiguous memory. bool is read as a byte: loops that read bool are not vectorised, and of views of other
/// dtypes as bool all bytes but 0 are true.
template <class T>
[[gnu::always_inline]] inline T element(const T* p, std::int64_t i) {
  if constexpr (std::is_same_v<T, bool>)
    return reinterpret_cast<const unsigned char*>(p)[i] != 0;
  else
    return p[i];
}

/// Copies n strided elements to a contiguous buffer, widening float16.
template <class T>
void gather(const char* from, std::int64_t stride, eval_type<T>* to, std::int64_t n) {
  if (stride == static_cast<std::int64_t>(sizeof(T))) {
    const T* f = reinterpret_cast<const T*>(from);
    NUMJIT_INDEPENDENT
    for (std::int64_t i = 0; i < n; ++i) to[i] = eval_type<T>(element(f, i));
  } else if (stride == 0) {
    const eval_type<T> v = eval_type<T>(element(reinterpret_cast<const T*>(from), 0));
    for (std::int64_t i = 0; i < n; ++i) to[i] = v;
  } else {
    for (std::int64_t i = 0; i < n; ++i) to[i] = eval_type<T>(element(reinterpret_cast<const T*>(from + i * stride), 0));
  }
}

/// The other way, rounding to float16.
template <class T>
void scatter(const eval_type<T>* from, char* to, std::int64_t stride, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) *reinterpret_cast<T*>(to + i * stride) = T(from[i]);
}

/// Ops whose code is long: only contiguous loops are made for them, other layouts go through buffers.
constexpr bool is_long(op_id op) { return facts_of(op).cost != op_cost::simple && facts_of(op).cost != op_cost::division; }

constexpr bool is_circular(op_id op) {
  return op == op_id::sin || op == op_id::cos || op == op_id::tan;
}

/// Has a quotient whose rare side takes a branch?
template <class T>
constexpr bool is_division(op_id op) {
  return (op == op_id::floor_divide || op == op_id::remainder || op == op_id::fmod) &&
         (std::is_floating_point_v<T> || (std::is_integral_v<T> && sizeof(T) == 8));
}

/// nextafter of float16 values: it steps on float16's own grid, so float32's form can't serve.
[[gnu::always_inline]] inline float next_half(float a, float b) {
  if (a != a || b != b) return a + b;
  if (a == b) return b;
  const std::uint16_t at = half(a).bits;
  if ((at & 0x7fff) == 0) return half::of_bits(b > 0 ? 0x0001 : 0x8001);
  const bool away_from_zero = (b > a) == ((at & 0x8000) == 0);
  return half::of_bits(static_cast<std::uint16_t>(away_from_zero ? at + 1 : at - 1));
}

/// Division by one positive number, as a multiplication (Granlund and Montgomery 1994): the same
/// quotients. T is an integer type.
template <class T>
class number_divisor {
  using U = m::uint_of<T>;
  static constexpr int width = sizeof(T) * 8;
  __extension__ using widest = unsigned __int128;
  using W = std::conditional_t<
      sizeof(T) == 1, std::uint16_t,
      std::conditional_t<sizeof(T) == 2, std::uint32_t,
                         std::conditional_t<sizeof(T) == 4, std::uint64_t, widest>>>;

 public:
  explicit number_divisor(T divisor) : divisor_(static_cast<U>(divisor)) {
    int log = 0;
    while (log < width && (W(1) << log) < divisor_) ++log;
    const W above = (W(1) << log) - divisor_;
    factor_ = static_cast<U>((above << width) / divisor_ + 1);
    first_ = log > 0 ? 1 : 0;
    second_ = log > 0 ? log - 1 : 0;
  }
  [[gnu::always_inline]] inline T floor(T a) const {
    if constexpr (std::is_signed_v<T>) {  // ~(~a / d) for negative a
      const U sign = static_cast<U>(a >> (width - 1));
      return static_cast<T>(quotient(static_cast<U>(static_cast<U>(a) ^ sign)) ^ sign);
    } else {
      return quotient(a);
    }
  }
  [[gnu::always_inline]] inline T remainder(T a) const {
    return m::wrap_sub(a, m::wrap_mul(floor(a), static_cast<T>(divisor_)));
  }

 private:
  [[gnu::always_inline]] inline U quotient(U a) const {
    const U high = static_cast<U>(static_cast<W>(W(factor_) * W(a)) >> width);
    return static_cast<U>(static_cast<U>(high + (static_cast<U>(a - high) >> first_)) >> second_);
  }
  U divisor_, factor_;
  int first_, second_;
};

template <op_id Op, int Loop>
struct ufunc_loop {
  static constexpr op_loop types = loops_of<Op>[Loop];
  static constexpr int arity = op_row<Op>::arity;
  using A = cpp_type<types.in[0]>;
  using B = cpp_type<types.in[arity > 1 ? 1 : 0]>;
  using C = cpp_type<types.in[arity > 2 ? 2 : 0]>;
  using R = cpp_type<types.out>;
  using EA = eval_type<A>;
  using EB = eval_type<B>;
  using EC = eval_type<C>;
  using ER = eval_type<R>;
  static constexpr bool has_half =
      std::is_same_v<A, half> || std::is_same_v<B, half> || std::is_same_v<R, half>;
  static constexpr bool has_complex = m::is_complex_type<A> || m::is_complex_type<B>;
  static constexpr bool buffered =
      has_half || has_complex || is_long(Op) || arity == 3 || NUMJIT_ALWAYS_BUFFERED;
  static constexpr bool divides_integers =
      (Op == op_id::floor_divide || Op == op_id::remainder) && std::is_integral_v<R>;
  static constexpr std::int64_t block = 256;

  [[gnu::always_inline]] static inline ER eval(EA a) { return to_element<ER>(op_row<Op>::eval(a)); }
  [[gnu::always_inline]] static inline ER eval(EA a, EB b) {
    if constexpr (Op == op_id::nextafter && has_half) return next_half(a, b);
    else return to_element<ER>(op_row<Op>::eval(a, b));
  }
  [[gnu::always_inline]] static inline ER eval(EA a, EB b, EC c) {
    return to_element<ER>(op_row<Op>::eval(a, b, c));
  }

  // Angles that need the wide reduction are rare: blocks without one take the loop without branches.
  static void circular(const EA* a, ER* r, std::int64_t n) {
    for (std::int64_t first = 0; first < n; first += block) {
      const std::int64_t count = n - first < block ? n - first : block;
      const EA* from = a + first;
      ER* to = r + first;
      EA largest = 0;  // of the finite magnitudes
      for (std::int64_t i = 0; i < count; ++i) {
        const EA finite = m::finite_magnitude(from[i]);
        largest = finite > largest ? finite : largest;
      }
      if (m::ordinary_angle(largest)) {
        NUMJIT_INDEPENDENT
        for (std::int64_t i = 0; i < count; ++i) to[i] = op_row<Op>::eval(m::tame<EA>{from[i]});
      } else {
        for (std::int64_t i = 0; i < count; ++i) to[i] = eval(from[i]);
      }
    }
  }

  // Likewise quotients that are too large for the usual way.
  static void dividing(const EA* a, const EB* b, ER* r, std::int64_t n) {
    for (std::int64_t first = 0; first < n; first += block) {
      const std::int64_t end = n - first < block ? n : first + block;
      m::uint_of<EA> far = 0;
      for (std::int64_t i = first; i < end; ++i) far |= m::to_bool(m::far_quotient(a[i], b[i]));
      if (far == 0) {
        NUMJIT_INDEPENDENT
        for (std::int64_t i = first; i < end; ++i) r[i] = op_row<Op>::eval(m::tame<EA>{a[i]}, b[i]);
      } else {
        for (std::int64_t i = first; i < end; ++i) r[i] = eval(a[i], b[i]);
      }
    }
  }

  [[gnu::noinline]] static void contiguous(const EA* a, const EB* b, const EC* c, ER* r,
                                           std::int64_t n) {
    if constexpr (is_circular(Op) && std::is_floating_point_v<EA>) {
      circular(a, r, n);
    } else if constexpr (is_division<EA>(Op)) {
      dividing(a, b, r, n);
    } else if constexpr (arity == 1) {
      NUMJIT_INDEPENDENT
      for (std::int64_t i = 0; i < n; ++i) r[i] = eval(element(a, i));
    } else if constexpr (arity == 2) {
      NUMJIT_INDEPENDENT
      for (std::int64_t i = 0; i < n; ++i) r[i] = eval(element(a, i), element(b, i));
    } else {
      NUMJIT_INDEPENDENT
      for (std::int64_t i = 0; i < n; ++i)
        r[i] = eval(element(a, i), element(b, i), element(c, i));
    }
  }

  template <class T>
  static const eval_type<T>* side(const char* p, std::int64_t stride, eval_type<T>* buffer,
                                  std::int64_t first, std::int64_t n) {
    if constexpr (std::is_same_v<T, eval_type<T>>)
      if (stride == static_cast<std::int64_t>(sizeof(T)))
        return reinterpret_cast<const T*>(p) + first;
    if (stride != 0 || first == 0) gather<T>(p + first * stride, stride, buffer, n);
    return buffer;
  }

  static void by_number(const A* a, B divisor, R* r, std::int64_t n) {
    const number_divisor<B> d(divisor);
    if constexpr (Op == op_id::floor_divide) {
      NUMJIT_INDEPENDENT
      for (std::int64_t i = 0; i < n; ++i) r[i] = d.floor(a[i]);
    } else {
      NUMJIT_INDEPENDENT
      for (std::int64_t i = 0; i < n; ++i) r[i] = d.remainder(a[i]);
    }
  }

  static void through_buffers(char* const* p, const std::int64_t* s, std::int64_t n) {
    constexpr bool plain_out = std::is_same_v<R, ER>;
    alignas(64) EA a[block];
    alignas(64) EB b[arity > 1 ? block : 1];
    alignas(64) EC c[arity > 2 ? block : 1];
    alignas(64) ER r[block];
    if (plain_out && s[arity] == sizeof(R) && s[0] == sizeof(A) &&
        (arity < 2 || s[1] == sizeof(B)) && (arity < 3 || s[2] == sizeof(C)) && !has_half) {
      contiguous(reinterpret_cast<const EA*>(p[0]), reinterpret_cast<const EB*>(p[1]),
                 reinterpret_cast<const EC*>(p[arity > 2 ? 2 : 1]), reinterpret_cast<ER*>(p[arity]),
                 n);
      return;
    }
    // A scalar operand is spread once, over a whole block.
    std::int64_t fill = n < block ? n : block;
    for (std::int64_t i = 0; i < n; i += block) {
      std::int64_t m = n - i < block ? n - i : block;
      const EA* pa = side<A>(p[0], s[0], a, i, i ? m : fill);
      const EB* pb = b;
      const EC* pc = c;
      if constexpr (arity > 1) pb = side<B>(p[1], s[1], b, i, i ? m : fill);
      if constexpr (arity > 2) pc = side<C>(p[2], s[2], c, i, i ? m : fill);
      char* to = p[arity] + i * s[arity];
      if (plain_out && s[arity] == sizeof(R)) {
        contiguous(pa, pb, pc, reinterpret_cast<ER*>(to), m);
      } else {
        contiguous(pa, pb, pc, r, m);
        scatter<R>(r, to, s[arity], m);
      }
    }
  }

  static void direct(char* const* p, const std::int64_t* s, std::int64_t n) {
    constexpr std::int64_t sa = sizeof(A), sb = sizeof(B), sr = sizeof(R);
    if constexpr (arity == 1) {
      if (s[0] == sa && s[1] == sr) {
        contiguous(reinterpret_cast<const A*>(p[0]), nullptr, nullptr, reinterpret_cast<R*>(p[1]), n);
        return;
      }
      const char* from = p[0];
      char* to = p[1];
      for (std::int64_t i = 0; i < n; ++i, from += s[0], to += s[1]) {
        *reinterpret_cast<R*>(to) = eval(element(reinterpret_cast<const A*>(from), 0));
        NUMJIT_SCALAR_LOOP(from);
      }
    } else {
      const A* a = reinterpret_cast<const A*>(p[0]);
      const B* b = reinterpret_cast<const B*>(p[1]);
      R* r = reinterpret_cast<R*>(p[2]);
      if (s[2] == sr) {
        if (s[0] == sa && s[1] == sb) return contiguous(a, b, nullptr, r, n);
        if (s[0] == 0 && s[1] == sb) {
          const A scalar = element(a, 0);
          NUMJIT_INDEPENDENT
          for (std::int64_t i = 0; i < n; ++i) r[i] = eval(scalar, element(b, i));
          return;
        }
        if (s[0] == sa && s[1] == 0) {
          const B scalar = element(b, 0);
          NUMJIT_INDEPENDENT
          for (std::int64_t i = 0; i < n; ++i) r[i] = eval(element(a, i), scalar);
          return;
        }
      }
      const char *left = p[0], *right = p[1];
      char* to = p[2];
      const std::int64_t left_step = s[0], right_step = s[1], to_step = s[2];
      for (std::int64_t i = 0; i < n; ++i, left += left_step, right += right_step, to += to_step) {
        *reinterpret_cast<R*>(to) =
            eval(element(reinterpret_cast<const A*>(left), 0), element(reinterpret_cast<const B*>(right), 0));
        NUMJIT_SCALAR_LOOP(left);
      }
    }
  }

  static void run(char* const* p, const std::int64_t* s, std::int64_t n) {
    if constexpr (divides_integers) {
      const B* divisor = reinterpret_cast<const B*>(p[1]);
      if (s[1] == 0 && n > 8 && s[0] == sizeof(A) && s[2] == sizeof(R) && *divisor > 0)
        return by_number(reinterpret_cast<const A*>(p[0]), *divisor, reinterpret_cast<R*>(p[2]), n);
    }
    if constexpr (buffered)
      through_buffers(p, s, n);
    else
      direct(p, s, n);
  }
};

/// The files that share the work of instantiation.
enum class family {
  integer_arithmetic,
  integer_logic,
  real_arithmetic,
  real_exponential,
  real_trigonometric,
  real_special,
  real_logic,
  half_short,
  half_long,
  complex_short,
  complex_long
};

constexpr family family_of(op_id op, op_loop types, int arity) {
  char kind = 'i';
  bool any_half = types.out == dtype_id::float16;
  for (int i = 0; i < arity; ++i) {
    char k = detail::dtype_table[static_cast<int>(types.in[i])].kind;
    any_half |= types.in[i] == dtype_id::float16;
    if (k == 'c' || (k == 'f' && kind != 'c')) kind = k;
  }
  const op_group group = group_of(op);
  const bool arithmetic = group == op_group::arithmetic || group == op_group::exponential || group == op_group::trigonometric ||
                          group == op_group::hyperbolic || group == op_group::special;
  if (kind == 'c') return is_long(op) ? family::complex_long : family::complex_short;
  if (any_half) return is_long(op) ? family::half_long : family::half_short;
  if (kind == 'f' && group == op_group::exponential) return family::real_exponential;
  if (kind == 'f' && (group == op_group::trigonometric || group == op_group::hyperbolic)) return family::real_trigonometric;
  if (kind == 'f' && group == op_group::special) return family::real_special;
  if (kind == 'f') return arithmetic ? family::real_arithmetic : family::real_logic;
  return arithmetic ? family::integer_arithmetic : family::integer_logic;
}

template <family F, op_id Op, int... Loop>
void fill_loops(loop_table& table, std::integer_sequence<int, Loop...>) {
  auto one = [&]<int L>() {
    if constexpr (family_of(Op, loops_of<Op>[L], op_row<Op>::arity) == F)
      table.ufunc[static_cast<int>(Op)][L] = ufunc_loop<Op, L>::run;
  };
  (one.template operator()<Loop>(), ...);
}

template <family F, int... I>
void fill_ops(loop_table& table, std::integer_sequence<int, I...>) {
  auto one = [&]<op_id Op>() {
    if constexpr (requires { op_row<Op>::arity; })
      fill_loops<F, Op>(table, std::make_integer_sequence<int, loop_count<Op>>{});
  };
  (one.template operator()<static_cast<op_id>(I)>(), ...);
}

/// Puts the loops of one family into the table.
template <family F>
void fill_family(loop_table& table) {
  fill_ops<F>(table, std::make_integer_sequence<int, op_count>{});
}

// One per file of eager/loops/.
void fill_integer_arithmetic(loop_table& table);
void fill_integer_logic(loop_table& table);
void fill_real_arithmetic(loop_table& table);
void fill_real_exponential(loop_table& table);
void fill_real_trigonometric(loop_table& table);
void fill_real_special(loop_table& table);
void fill_real_logic(loop_table& table);
void fill_half_short(loop_table& table);
void fill_half_long(loop_table& table);
void fill_complex_short(loop_table& table);
void fill_complex_long(loop_table& table);
void fill_casts(loop_table& table);
void fill_reductions_real(loop_table& table);
void fill_reductions_integer(loop_table& table);
void fill_reductions_complex(loop_table& table);
void fill_arg_reductions(loop_table& table);
void fill_scans(loop_table& table);
void fill_windows(loop_table& table);

}  // namespace numjit::eager::NUMJIT_ISA
