// Sets, orders of several keys, ufuncs with two results, bits: composites.
#ifdef __SSSE3__
#include <tmmintrin.h>
#endif

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include <numjit/ops/math/value.h>

#include <at_hand.h>
#include "value_table.h"

namespace numjit {

using detail::is_integral_type;
using detail::slice_axis;

// ---- sets ----

namespace {

// Distinct values in the dtype of both.
array distinct(const operand& a, const operand& b) {
  const operand both[] = {a, b};
  return unique(detail::cast(detail::to_array(a), result_type(both)));
}
array without(const array& x, const array& y) { return compress(isin(x, y, {.invert = true}), x); }

}  // namespace

array intersect1d(const operand& a, const operand& b, const set_options&) {
  const location_scope scope(a.where());
  const array x = distinct(a, b);
  return compress(isin(x, b), x);
}
intersect1d_result intersect1d_all(const operand& a, const operand& b, const set_options&) {
  const location_scope scope(a.where());
  const operand both[] = {a, b};
  const dtype_id type = result_type(both);
  auto parts = [&](const operand& v) { return unique_all(detail::cast(detail::to_array(v), type)); };
  const unique_result x = parts(a), y = parts(b);
  const array common = isin(x.values, y.values);
  const array found = compress(common, x.values);
  const array in_b = searchsorted(y.values, found);
  return {found, compress(common, x.indices), take(y.indices, in_b)};
}
array union1d(const operand& a, const operand& b) {
  const location_scope scope(a.where());
  const array x = detail::to_array(a), y = detail::to_array(b);
  return unique(concatenate({ravel(x), ravel(y)}));
}
array setdiff1d(const operand& a, const operand& b, const set_options& o) {
  const location_scope scope(a.where());
  return without(o.assume_unique ? ravel(a) : unique(a), detail::to_array(b));
}
array setxor1d(const operand& a, const operand& b, const set_options&) {
  const location_scope scope(a.where());
  const array x = distinct(a, b), y = distinct(b, a);
  return sort(concatenate({without(x, y), without(y, x)}));
}
array unique_values(const operand& a) { return unique(a, {.equal_nan = false}); }
unique_counts_result unique_counts(const operand& a) {
  const location_scope scope(a.where());
  const array flat = ravel(a);
  const auto span = detail::value_span_of(flat);
  const unique_result all = span ? detail::unique_by_table(flat, *span, true) : unique_all(flat, {.equal_nan = false});
  return {all.values, all.counts};
}
unique_inverse_result unique_inverse(const operand& a) {
  const location_scope scope(a.where());
  const unique_result all = unique_all(a, {.equal_nan = false});
  return {all.values, reshape(all.inverse_indices, detail::shape_of(a))};
}
array ediff1d(const operand& a, const ediff1d_options& o) {
  const location_scope scope(a.where());
  const array x = detail::to_array(a);
  const array flat = ravel(x);
  const array steps = slice_axis(flat, 0, 1, layout::none) - slice_axis(flat, 0, 0, flat.size() > 0 ? -1 : 0);
  auto beside = [&](const char* name, const array& more) {
    if (!can_cast(more.dtype().id(), x.dtype().id(), casting::same_kind))
      throw TypeError("ediff1d",
                      "dtype of `" + std::string(name) + "` must be compatible with input `ary` under the `same_kind` rule.");
    return ravel(detail::cast(more, steps.dtype().id()));
  };
  array_list pieces;
  if (!o.to_begin.empty_handle()) pieces.push_back(beside("to_begin", o.to_begin));
  pieces.push_back(steps);
  if (!o.to_end.empty_handle()) pieces.push_back(beside("to_end", o.to_end));
  return pieces.size() == 1 ? pieces[0] : concatenate(pieces);
}
array trim_zeros(const operand& a, const trim_zeros_options& o) {
  const location_scope scope(a.where());
  std::string trim = o.trim;
  for (char& c : trim) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const bool front = trim == "fb" || trim == "bf" || trim == "f", back = trim == "fb" || trim == "bf" || trim == "b";
  if (!front && !back) throw ValueError("trim_zeros", "unexpected character(s) in `trim`: '" + trim + "'");
  const array x = detail::to_array(a);
  dims axes;
  if (o.axis.all())
    for (int k = 0; k < x.ndim(); ++k) axes.push_back(k);
  else
    for (const std::int64_t k : o.axis.list()) axes.push_back(normalize_axis("trim_zeros", k, x.ndim()));
  array made = x;
  for (const std::int64_t k : axes) {
    dims others;
    for (int i = 0; i < x.ndim(); ++i)
      if (i != k) others.push_back(i);
    const array places = flatnonzero(others.empty() ? x != 0 : any(x != 0, {.axis = others}));
    const std::int64_t n = x.shape(static_cast<int>(k)), count = places.size();
    const std::int64_t nothing = front ? n : 0;  // where all elements are zeros
    const std::int64_t first = count > 0 ? places.item<std::int64_t>(0) : nothing;
    const std::int64_t last = count > 0 ? places.item<std::int64_t>(count - 1) + 1 : nothing;
    made = slice_axis(made, static_cast<int>(k), front ? first : 0, back ? last : n);
  }
  return made;
}

// ---- orders ----

array lexsort(const array_list& keys, location where) {
  const location_scope scope(where);
  if (keys.empty()) throw TypeError("lexsort", "need sequence of keys with len > 0 in lexsort");
  array order;
  for (const array& key : keys) {  // stable sorts, the most important key last
    if (!(key.shape() == keys[0].shape())) throw ValueError("lexsort", "all keys need to be the same shape");
    if (key.ndim() == 0) return array(0).astype(int64);
    const array now = order.empty_handle() ? key : take_along_axis(key, order, -1);
    const array next = argsort(now, -1);
    order = order.empty_handle() ? next : take_along_axis(order, next, -1);
  }
  return order;
}

array detail::partition_places(const operand& a, std::span<const std::int64_t> kth, std::optional<std::int64_t> axis,
                               bool indices) {
  const location_scope scope(a.where());
  const char* name = indices ? "argpartition" : "partition";
  if (!axis) return partition_places(ravel(a), kth, 0, indices);
  const dims shape = shape_of(a);
  const std::int64_t n = shape[normalize_axis(name, *axis, shape.size())];
  for (std::int64_t k : kth)
    if (element_count(shape) > 0 && (k < -n || k >= n))
      throw ValueError(name, "kth(=" + std::to_string(k < 0 ? k + n : k) + ") out of bounds (" + std::to_string(n) + ")");
  const auto select = [&](const operand& x, std::int64_t along) {
    op_params params = layout::sort_params(along);
    // More places than parameters can name: sorted whole, which is a partition by all of them.
    if (kth.size() <= op_params::max_words - 2) {
      params = op_params().push(along).push(static_cast<std::int64_t>(kth.size()));
      for (std::int64_t k : kth) params.push(k);
    }
    return call(indices ? op_id::argsort : op_id::sort, {x}, params);
  };
  if (indices) return select(to_array(a), *axis);
  return along_memory(name, a, *axis, select);
}

array partition(const operand& a, const index_list& kth, std::int64_t axis) {
  return detail::partition_places(a, kth.values(), axis, false);
}
array partition(const operand& a, const index_list& kth, none_t) { return detail::partition_places(a, kth.values(), {}, false); }
array argpartition(const operand& a, const index_list& kth, std::int64_t axis) {
  return detail::partition_places(a, kth.values(), axis, true);
}
array argpartition(const operand& a, const index_list& kth, none_t) {
  return detail::partition_places(a, kth.values(), {}, true);
}
array sort_complex(const operand& a) {
  const location_scope scope(a.where());
  const dtype_id t = detail::type_of(a);
  const bool narrow = t == dtype_id::int8 || t == dtype_id::uint8 || t == dtype_id::int16 || t == dtype_id::uint16;
  const array sorted = sort(a);
  if (dtype(t).kind() == 'c') return sorted;
  return detail::cast(sorted, narrow ? dtype_id::complex64 : dtype_id::complex128);
}

// ---- ufuncs with several results, and parts of floats ----

namespace {
[[noreturn]] void throw_not_supported(const char* name) {
  throw TypeError(name, "ufunc '" + std::string(name) +
                            "' not supported for the input types, and the inputs could not be safely coerced to any "
                            "supported types according to the casting rule ''safe''");
}
/// float16 for 8-bit integers, float32 for 16-bit ones, else float64: what NumPy's float ufuncs make of integers.
array float_of(const char* name, const operand& a) {
  const dtype_id t = detail::type_of(a);
  if (dtype(t).kind() == 'c') throw_not_supported(name);
  if (!is_integral_type(t)) return detail::to_array(a);
  const std::size_t size = dtype(t).itemsize();
  return detail::as_type(a, size == 1 ? dtype_id::float16 : size == 2 ? dtype_id::float32 : dtype_id::float64);
}
struct float_limits {
  int exponents;  // 2^exponents overflows
  int bits;       // of the mantissa
};
float_limits limits_of(dtype_id t) {
  if (t == dtype_id::float16) return {16, 11};
  return t == dtype_id::float32 ? float_limits{128, 24} : float_limits{1024, 53};
}
/// The largest exponent of a power of two whose inverse is a normal number, too.
double most_of(dtype_id t) { return limits_of(t).exponents - 2; }
/// x * 2^e for integers e up to three times as large as most_of(): powers of two that a float can hold, one after the
/// other, the largest at the end: only there a result is rounded that is not far from zero.
array scaled(const array& x, const array& e) {
  array result = x, left = e;
  // Two steps bring the largest number to zero and back; the third is for subnormals of the other kind.
  const double one = most_of(x.dtype().id());
  for (double most = 2 * one; most >= 0; most -= one) {
    const array rest = clip(left, -most, most);
    result = result * detail::cast(exp2(left - rest), x.dtype().id());
    left = rest;
  }
  return result;
}
}  // namespace

namespace {
/// fn(x, first, second) for each element of floats at hand: first has their dtype, second the given one.
template <class Second, class F>
std::pair<array, array> two_parts(const array& x, dtype_id second, const F& fn) {
  const dims shape = x.shape();
  const array a = detail::fresh(x.dtype().id(), shape), b = detail::fresh(second, shape);
  visit_dtype(x.dtype().id(), [&]<class T>() {
    if constexpr (std::is_floating_point_v<T> || std::is_same_v<T, half>) {
      using Other = std::conditional_t<std::is_void_v<Second>, T, Second>;
      const T* const from = detail::data_of<const T>(x);
      T* const one = detail::data_of<T>(a);
      Other* const two = reinterpret_cast<Other*>(b.get()->data);
      detail::for_elements(x, 3, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) fn(from[i], one[i], two[i]);
      });
    }
  });
  return {a, b};
}
/// A float in the arithmetic of its parts: half in float.
inline float wide(half v) { return static_cast<float>(v); }
inline float wide(float v) { return v; }
inline double wide(double v) { return v; }
}  // namespace

std::pair<array, array> divmod(const operand& a, const operand& b) {
  const location_scope scope(a.where());
  return {floor_divide(a, b), remainder(a, b)};
}

std::pair<array, array> modf(const operand& a) {
  const location_scope scope(a.where());
  const array x = float_of("modf", a);
  if (detail::is_at_hand(x))
    return two_parts<void>(x, x.dtype().id(), [](auto v, auto& fraction, auto& whole) {
      using T = std::remove_cvref_t<decltype(whole)>;
      const auto w = wide(v), t = std::trunc(w);
      whole = static_cast<T>(t);
      fraction = static_cast<T>(std::copysign(std::isinf(w) ? decltype(w)(0) : w - t, w));
    });
  const array whole = trunc(x);
  // The same value with the derivative that it has, at whole numbers too.
  if (detail::levels_are_open()) return {where(isinf(x), copysign(0.0, x), fmod(x, 1.0)), whole};
  const array fraction = where(isinf(x), 0.0, x - whole);
  return {copysign(fraction, x), whole};
}

std::pair<array, array> frexp(const operand& a) {
  const location_scope scope(a.where());
  const array x = float_of("frexp", a);
  if (detail::is_at_hand(x))
    return two_parts<std::int32_t>(x, dtype_id::int32, [](auto v, auto& mantissa, std::int32_t& exponent) {
      using T = std::remove_cvref_t<decltype(mantissa)>;
      using W = decltype(wide(v));
      using Bits = std::conditional_t<sizeof(W) == 4, std::uint32_t, std::uint64_t>;
      constexpr int digits = std::numeric_limits<W>::digits, bias = std::numeric_limits<W>::max_exponent - 1;
      constexpr Bits field = static_cast<Bits>(2 * bias + 1) << (digits - 1);
      // Without calls and branches, so that vectors do it. Subnormals are made normal first.
      const W w = wide(v), size = m::magnitude(w);
      const auto tiny = m::lt(size, std::numeric_limits<W>::min());
      const auto ordinary = m::gt(size, W(0)) & m::le(size, std::numeric_limits<W>::max());
      const Bits bits = m::bits(m::sel(tiny, w * static_cast<W>(Bits{1} << digits), w));
      const Bits power = ((bits & field) >> (digits - 1)) - (bias - 1) - m::keep(tiny, Bits{digits});
      const W half_to_one = m::from_bits<W>((bits & ~field) | static_cast<Bits>(bias - 1) << (digits - 1));
      mantissa = static_cast<T>(m::sel(ordinary, half_to_one, w));
      exponent = static_cast<std::int32_t>(m::keep(ordinary, power));
    });
  const float_limits limits = limits_of(x.dtype().id());
  const array size = abs(x);
  const array special = (size == 0) | logical_not(isfinite(x));
  // Subnormals are made normal first.
  const array tiny = size < std::ldexp(1.0, 2 - limits.exponents);
  const array normal = where(tiny, x * std::ldexp(1.0, limits.bits), x);
  const array safe = where(special, 1.0, normal);
  const array logarithm = log2(detail::cast(abs(safe), dtype_id::float64));
  array exponent = floor(logarithm) + 1.0;
  array mantissa = scaled(safe, -exponent);
  // The logarithm may be off by one at powers of two.
  const array large = abs(mantissa) >= 1.0, small = abs(mantissa) < 0.5;
  mantissa = where(large, mantissa * 0.5, where(small, mantissa * 2.0, mantissa));
  exponent = exponent + detail::cast(large, dtype_id::float64) - detail::cast(small, dtype_id::float64);
  exponent = exponent - detail::cast(tiny, dtype_id::float64) * static_cast<double>(limits.bits);
  const array whole = where(special, 0.0, exponent);
  return {where(special, x, mantissa), detail::cast(whole, dtype_id::int32)};
}

namespace {
/// 2^n, where that is a normal number.
template <class T>
T power_of_two(int n) {
  if constexpr (sizeof(T) == 4)
    return std::bit_cast<float>(static_cast<std::uint32_t>(n + 127) << 23);
  else
    return std::bit_cast<double>(static_cast<std::uint64_t>(n + 1023) << 52);
}
/// Are both at hand, of one shape or one of them a number?
bool can_scale_at_hand(const array& x, const array& n) {
  return detail::is_at_hand(x) && detail::is_at_hand(n) && (x.ndim() == 0 || n.ndim() == 0 || x.shape() == n.shape());
}
/// scaled() of floats and integers at hand: the same steps, element by element. Where all exponents are of normal
/// numbers one step does it, as the others would multiply by 1.
template <class Exponent>
array scaled_at_hand(const array& x, const array& n) {
  const array& full = x.ndim() > 0 ? x : n;
  const Exponent most = static_cast<Exponent>(most_of(x.dtype().id()));
  const Exponent* const by = detail::data_of<const Exponent>(n);
  bool once = false;
  if constexpr (std::is_integral_v<Exponent>)
    once = std::all_of(by, by + n.size(), [most](Exponent e) { return -most <= e && e <= most; });
  const array made = detail::fresh(x.dtype().id(), full.shape());
  const std::int64_t x_step = x.ndim() > 0, n_step = n.ndim() > 0;
  visit_dtype(x.dtype().id(), [&]<class T>() {
    if constexpr (std::is_floating_point_v<T> || std::is_same_v<T, half>) {
      const T* const from = detail::data_of<const T>(x);
      T* const to = detail::data_of<T>(made);
      const auto times = [](T v, Exponent e) {
        const auto power = power_of_two<decltype(wide(v))>(static_cast<int>(e));
        return static_cast<T>(wide(v) * wide(static_cast<T>(power)));
      };
      detail::for_elements(full, once ? 1 : 5, [&](std::int64_t begin, std::int64_t end) {
        if constexpr (std::is_integral_v<Exponent>) {
          if (once) {
            for (std::int64_t i = begin; i < end; ++i) to[i] = times(from[i * x_step], by[i * n_step]);
            return;
          }
        }
        for (std::int64_t i = begin; i < end; ++i) {
          T result = from[i * x_step];
          Exponent left = std::clamp<Exponent>(by[i * n_step], -3 * most, 3 * most);
          for (Exponent later = 2 * most; later >= 0; later -= most) {
            const Exponent rest = std::clamp<Exponent>(left, -later, later);
            result = times(result, left - rest);
            left = rest;
          }
          to[i] = result;
        }
      });
    }
  });
  return made;
}
}  // namespace

array ldexp(const operand& a, const operand& exponent) {
  const location_scope scope(a.where());
  const dtype_id power = detail::type_of(exponent);
  if (!is_integral_type(power) || (exponent.is_array() && power == dtype_id::uint64)) throw_not_supported("ldexp");
  // NumPy's first loop takes a whole number beside integers.
  const bool narrow = !a.is_array() && a.kind() == weak_kind::int_ && exponent.is_array() && power != dtype_id::bool_;
  const array x = narrow ? detail::as_type(a, dtype_id::float16) : float_of("ldexp", a);
#ifndef __EMSCRIPTEN__  // pages cast all exponents
  if (exponent.is_array() && (power == dtype_id::int32 || power == dtype_id::int64)) {
    const array n = detail::to_array(exponent);
    if (can_scale_at_hand(x, n))
      return power == dtype_id::int32 ? scaled_at_hand<std::int32_t>(x, n) : scaled_at_hand<std::int64_t>(x, n);
  }
#endif
  const array e = detail::as_type(exponent, dtype_id::float64);
  if (can_scale_at_hand(x, e)) return scaled_at_hand<double>(x, e);
  const double most = 3 * most_of(x.dtype().id());
  return scaled(x, clip(e, -most, most));
}

namespace {
array steps_at_hand(const array& x) {
  const array made = detail::fresh(x.dtype().id(), x.shape());
  visit_dtype(x.dtype().id(), [&]<class T>() {
    if constexpr (std::is_floating_point_v<T>) {
      const T* const from = detail::data_of<const T>(x);
      T* const to = detail::data_of<T>(made);
      detail::for_elements(x, 3, [&](std::int64_t begin, std::int64_t end) {
        constexpr T most = std::numeric_limits<T>::infinity();
        for (std::int64_t i = begin; i < end; ++i) to[i] = std::nextafter(from[i], std::copysign(most, from[i])) - from[i];
      });
    }
  });
  return made;
}
}  // namespace

array spacing(const operand& a) {
  const location_scope scope(a.where());
  const array x = float_of("spacing", a);
  const bool half = x.dtype() == float16;
  if (detail::is_at_hand(x) && !half) return steps_at_hand(x);
  // Of halves the distance upwards, as NumPy's loop gives it; from the lowest there is no way up.
  const array outwards = half ? where(x == -inf, x, inf) : copysign(full_like(x, inf), x);
  return nextafter(x, outwards) - x;
}

array fix(const operand& x, const ufunc_options& o) { return trunc(x, o); }

// ---- tests ----

namespace {
array is_infinite(const char* name, bool negative, const operand& a, const ufunc_options& o) {
  const location_scope scope(a.where());
  const array x = detail::to_array(a);
  if (x.dtype().kind() == 'c')
    throw TypeError(
        name, "This operation is not supported for " + std::string(x.dtype().name()) + " values because it would be ambiguous.");
  return logical_and(isinf(x), negative ? x < 0 : x > 0, o);
}
bool is_complex(const operand& x) { return dtype(detail::type_of(x)).kind() == 'c'; }
}  // namespace

array isposinf(const operand& x, const ufunc_options& o) { return is_infinite("isposinf", false, x, o); }
array isneginf(const operand& x, const ufunc_options& o) { return is_infinite("isneginf", true, x, o); }
array iscomplex(const operand& x) {
  const location_scope scope(x.where());
  return is_complex(x) ? imag(x) != 0 : zeros(detail::shape_of(x), bool_);
}
array isreal(const operand& x) {
  const location_scope scope(x.where());
  return is_complex(x) ? imag(x) == 0 : ones(detail::shape_of(x), bool_);
}
bool iscomplexobj(const operand& x) { return is_complex(x); }
bool isrealobj(const operand& x) { return !is_complex(x); }
array real_if_close(const operand& a, double tol) {
  const location_scope scope(a.where());
  const array x = detail::to_array(a);
  if (!is_complex(a)) return x;
  const double epsilon = x.dtype() == complex64 ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
  const double bound = tol > 1 ? tol * epsilon : tol;
  const array close = abs(imag(x)) < bound;
  return static_cast<bool>(all(close)) ? real(x) : x;
}

// ---- bits ----

namespace {
bool is_little(const char* name, const char* bitorder) {
  if (std::strcmp(bitorder, "little") == 0) return true;
  if (std::strcmp(bitorder, "big") == 0) return false;
  throw ValueError(name, "'order' must be either 'little' or 'big'");
}
/// 128, 64, ..., 1, or the other way round.
array bit_values(bool little) {
  const array values = from_values(std::vector<std::uint8_t>{1, 2, 4, 8, 16, 32, 64, 128});
  return little ? values : flip(values);
}

/// Bytes [begin, end) of elements of one byte, eight each; how many were made.
std::int64_t packed_whole_bytes(const void* elements, std::uint8_t* to, std::int64_t begin, std::int64_t end, bool little) {
  const auto* const from = static_cast<const unsigned char*>(elements);
  std::int64_t i = begin;
#ifdef __SSSE3__
  // Sixteen at a time: the top bits of bytes that say "zero", the elements of each byte turned round first.
  const __m128i turn = little ? _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
                              : _mm_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8);
  for (; i + 2 <= end; i += 2) {
    const __m128i sixteen = _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i * 8)), turn);
    const auto zeros = static_cast<std::uint16_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(sixteen, _mm_setzero_si128())));
    const auto bits = static_cast<std::uint16_t>(~zeros);
    std::memcpy(to + i, &bits, 2);
  }
#endif
  for (; i < end; ++i) {
    // 1 in each byte that is not zero, and a product that brings these bits together on top.
    constexpr std::uint64_t ones = 0x0101010101010101u, low = 0x7f * ones;
    std::uint64_t eight;
    std::memcpy(&eight, from + i * 8, 8);
    eight = ((eight | ((eight & low) + low)) >> 7) & ones;
    to[i] = static_cast<std::uint8_t>(eight * (little ? 0x0102040810204080u : 0x8040201008040201u) >> 56);
  }
  return std::max(end - begin, std::int64_t{0});
}

/// Eight elements of a row of contiguous memory to a byte, the last byte of each filled up with zeros.
template <class T>
array packed_bits(const array& x, bool little) {
  using Element = std::conditional_t<std::is_same_v<T, bool>, unsigned char, T>;
  dims shape = x.shape();
  const std::int64_t n = shape.back(), bytes = (n + 7) / 8;
  shape[shape.size() - 1] = bytes;
  const array made = detail::fresh(dtype_id::uint8, shape);
  const auto pack = [&](const Element* from, std::uint8_t* to, std::int64_t begin, std::int64_t end) {
    if constexpr (sizeof(Element) == 1) begin += packed_whole_bytes(from, to, begin, std::min(end, n / 8), little);
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t count = std::min<std::int64_t>(8, n - i * 8);
      unsigned byte = 0;
      for (std::int64_t k = 0; k < count; ++k)
        byte |= static_cast<unsigned>(from[i * 8 + k] != Element(0)) << (little ? k : 7 - k);
      to[i] = static_cast<std::uint8_t>(byte);
    }
  };
  const Element* const from = detail::data_of<const Element>(x);
  std::uint8_t* const to = detail::data_of<std::uint8_t>(made);
  if (made.size() == bytes) {
    detail::for_elements(made, 0.5, [&](std::int64_t begin, std::int64_t end) { pack(from, to, begin, end); });
    return made;
  }
  numjit::detail::parallel_ranges(made.size() / std::max<std::int64_t>(bytes, 1),
                                  std::max<std::int64_t>(1, 4096 / std::max<std::int64_t>(bytes, 1)),
                                  0.5 * static_cast<double>(made.size()), [&](std::int64_t begin, std::int64_t end) {
                                    for (std::int64_t r = begin; r < end; ++r) pack(from + r * n, to + r * bytes, 0, bytes);
                                  });
  return made;
}
}  // namespace

array packbits(const operand& a, std::optional<std::int64_t> axis, const char* bitorder) {
  const location_scope scope(a.where());
  const bool little = is_little("packbits", bitorder);
  const array x = detail::to_array(a);
  if (!is_integral_type(x.dtype().id())) throw TypeError("packbits", "Expected an input array of integer or boolean data type");
  const array flat = axis && x.ndim() > 0 ? x : ravel(x);
  const int k = axis ? normalize_axis("packbits", *axis, flat.ndim()) : 0;
  if (detail::is_at_hand(flat)) {
    const bool last = k == flat.ndim() - 1;
    const array rows = last ? flat : detail::contiguous_copy(moveaxis(flat, k, -1));
    array made;
    visit_dtype(x.dtype().id(), [&]<class T>() {
      if constexpr (std::is_integral_v<T>) made = packed_bits<T>(rows, little);
    });
    return last ? made : moveaxis(made, -1, k);
  }
  array rows = moveaxis(flat != 0, k, -1);
  dims shape = rows.shape();
  const int last = shape.size() - 1;
  const std::int64_t n = shape[last], bytes = (n + 7) / 8;
  shape[last] = bytes * 8 - n;
  rows = concatenate({rows, zeros(shape, bool_)}, {.axis = -1});
  shape[last] = bytes;
  shape.push_back(8);
  const array bits = reshape(rows, shape) * bit_values(little);
  return moveaxis(sum(bits, {.axis = -1, .dtype = uint8}), -1, k);
}

namespace {
/// The bits of bytes at hand, `count` of them: zeros behind the last; fewer by a negative count.
array unpacked_bytes(const array& x, std::optional<std::int64_t> count, bool little) {
  const std::int64_t all = x.size() * 8;
  const std::int64_t n = !count ? all : *count < 0 ? std::max<std::int64_t>(all + *count, 0) : *count;
  const array made = detail::fresh(dtype_id::uint8, {n});
  const std::uint8_t* const from = detail::data_of<const std::uint8_t>(x);
  std::uint8_t* const to = detail::data_of<std::uint8_t>(made);
  std::uint64_t eight[256];  // the bits of each byte
  for (unsigned byte = 0; byte < 256; ++byte) {
    std::uint8_t bits[8];
    for (int k = 0; k < 8; ++k) bits[k] = byte >> (little ? k : 7 - k) & 1;
    std::memcpy(&eight[byte], bits, 8);
  }
  const std::int64_t whole = std::min(n, all) / 8, rest = std::min(n, all) % 8;
  for (std::int64_t i = 0; i < whole; ++i) std::memcpy(to + i * 8, &eight[from[i]], 8);
  if (rest > 0) std::memcpy(to + whole * 8, &eight[from[whole]], static_cast<std::size_t>(rest));
  std::memset(to + whole * 8 + rest, 0, static_cast<std::size_t>(n - whole * 8 - rest));
  return made;
}
}  // namespace

array unpackbits(const array& a, std::optional<std::int64_t> axis, std::optional<std::int64_t> count, const char* bitorder,
                 location where) {
  const location_scope scope(where);
  const bool little = is_little("unpackbits", bitorder);
  if (!(a.dtype() == uint8)) throw TypeError("unpackbits", "Expected an input array of unsigned byte data type");
  if (detail::is_at_hand(a) && (!axis || a.ndim() <= 1)) {
    if (axis) normalize_axis("unpackbits", *axis, 1);
    return unpacked_bytes(a, count, little);
  }
  const array flat = axis && a.ndim() > 0 ? a : ravel(a);
  const int k = axis ? normalize_axis("unpackbits", *axis, flat.ndim()) : 0;
  const array rows = moveaxis(flat, k, -1);
  dims shape = rows.shape();
  const array bits = (expand_dims(rows, -1) & bit_values(little)) != 0;
  shape[shape.size() - 1] *= 8;
  array out = detail::cast(reshape(bits, shape), dtype_id::uint8);
  const int last = shape.size() - 1;
  if (count && *count < 0) {
    out = slice_axis(out, last, 0, *count);
  } else if (count && *count > shape[last]) {
    dims more = shape;
    more[last] = *count - shape[last];
    out = concatenate({out, zeros(more, uint8)}, {.axis = last});
  } else if (count) {
    out = slice_axis(out, last, 0, *count);
  }
  return moveaxis(out, -1, k);
}

}  // namespace numjit
