// The definitions of docs/numerics.md, from "Canonical order" to "Scans", as loops.
#include "reference.h"

#include <sstream>
#include <stdexcept>

#include <support/element_bits.h>

#include "reference_values.h"

namespace reference {
namespace {

using Shape = std::vector<std::int64_t>;

std::size_t item(dtype_id type) { return np::dtype(type).itemsize(); }

Tensor empty_tensor(dtype_id type, Shape shape) {
  Tensor t{type, std::move(shape), {}};
  t.bytes.resize(static_cast<std::size_t>(element_count(t.shape)) * item(type));
  return t;
}

template <dtype_id D>
Work<D> element(const Tensor& t, std::int64_t i) {
  return load<D>(t.bytes.data() + static_cast<std::size_t>(i) * item(D));
}
template <dtype_id D>
void set(Tensor& t, std::int64_t i, Work<D> v) {
  store<D>(v, t.bytes.data() + static_cast<std::size_t>(i) * item(D));
}

Tensor astype(const Tensor& x, dtype_id type) {
  Tensor out = empty_tensor(type, x.shape);
  with_dtype(x.type, [&]<dtype_id From>() {
    with_dtype(type, [&]<dtype_id To>() {
      for (std::int64_t i = 0; i < element_count(x.shape); ++i) set<To>(out, i, cast<To, From>(element<From>(x, i)));
    });
  });
  return out;
}

/// f(element) for each element, computed and stored as dtype D.
template <dtype_id D, class F>
Tensor map(const Tensor& x, F f) {
  Tensor out = empty_tensor(D, x.shape);
  for (std::int64_t i = 0; i < element_count(x.shape); ++i) set<D>(out, i, f(i));
  return out;
}

// ---- one axis ----

/// Values that have been joined; a lane that has received nothing is left out.
template <class T>
struct Lane {
  bool filled = false;
  T value{};
};

template <class T, class Join>
void take_in(Lane<T>& lane, T v, Join join) {
  lane.value = lane.filled ? join(lane.value, v) : v;
  lane.filled = true;
}

template <class T, class Join>
T chunk(const std::vector<T>& x, std::size_t first, std::size_t n, Join join) {
  Lane<T> lane[32];
  for (std::size_t i = 0; i < n; ++i) take_in(lane[i % 32], x[first + i], join);
  for (int h : {16, 8, 4, 2, 1})
    for (int l = 0; l < h; ++l)
      if (lane[l + h].filled) take_in(lane[l], lane[l + h].value, join);
  return lane[0].value;
}

template <class T, class Join>
T reduce_line(const std::vector<T>& x, Join join) {
  if (x.size() <= 1024) return chunk(x, 0, x.size(), join);
  std::vector<T> results;
  for (std::size_t i = 0; i < x.size(); i += 1024)
    results.push_back(chunk(x, i, std::min<std::size_t>(1024, x.size() - i), join));
  return reduce_line(results, join);
}

/// One axis of `values` (C order, `shape`) replaced by one element per line.
template <class T, class Line>
std::vector<T> along(const std::vector<T>& values, const Shape& shape, std::size_t axis, Line line) {
  std::int64_t outer = 1, inner = 1;
  for (std::size_t a = 0; a < axis; ++a) outer *= shape[a];
  for (std::size_t a = axis + 1; a < shape.size(); ++a) inner *= shape[a];
  std::vector<T> out;
  for (std::int64_t o = 0; o < outer; ++o)
    for (std::int64_t i = 0; i < inner; ++i) {
      std::vector<T> one;
      for (std::int64_t k = 0; k < shape[axis]; ++k)
        one.push_back(values[static_cast<std::size_t>((o * shape[axis] + k) * inner + i)]);
      out.push_back(line(one));
    }
  return out;
}

// ---- sum, prod, max, min, any, all ----

dtype_id result_type(const std::string& name, dtype_id in) {
  if (name == "any" || name == "all") return dtype_id::bool_;
  if (name == "max" || name == "min") return in;
  const char kind = np::dtype(in).kind();
  if (kind == 'b' || kind == 'i') return dtype_id::int64;
  return kind == 'u' ? dtype_id::uint64 : in;
}

template <class T>
T join_values(const std::string& name, T a, T b) {
  if (name == "sum") return plus(a, b);
  if (name == "prod") return times(a, b);
  if (name == "any") return is_nan(a) || is_nan(b) || is_less(a, b) ? b : a;  // over 0 and 1
  if (name == "all") return is_less(a, b) ? a : b;
  if (is_nan(a)) return a;
  if (is_nan(b)) return b;
  // Of two equal values real dtypes take the second, complex ones the first.
  const bool takes_first = name == "max" ? is_less(b, a) : is_less(a, b);
  if constexpr (is_complex<T>) return takes_first || (a.re == b.re && a.im == b.im) ? a : b;
  else return takes_first ? a : b;
}

template <class T>
T identity(const std::string& name, dtype_id type) {
  if (name == "sum") {
    if constexpr (is_complex<T>) return {-0.0, -0.0};
    else return static_cast<T>(-0.0);
  }
  if (name == "prod" || name == "all") return convert<T>(1);
  if (name == "any") return convert<T>(0);
  const char kind = np::dtype(type).kind();
  if constexpr (std::is_integral_v<T>) {
    if (kind == 'b') return name == "min";
    return name == "max" ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
  } else if constexpr (is_complex<T>) {
    using R = decltype(T::re);
    const R end = name == "max" ? -INFINITY : INFINITY;
    return {end, end};
  } else {
    return name == "max" ? -INFINITY : INFINITY;
  }
}

std::vector<bool> reduced_axes(const Options& o, const Shape& shape) {
  const auto rank = static_cast<std::int64_t>(shape.size());
  std::vector<bool> reduced(shape.size(), !o.axes.has_value());
  if (o.axes)
    for (std::int64_t a : *o.axes) reduced[static_cast<std::size_t>(a < 0 ? a + rank : a)] = true;
  return reduced;
}

Shape result_shape(const Shape& shape, const std::vector<bool>& reduced, bool keepdims) {
  Shape out;
  for (std::size_t a = 0; a < shape.size(); ++a) {
    if (!reduced[a]) out.push_back(shape[a]);
    else if (keepdims) out.push_back(1);
  }
  return out;
}

/// Reduces values of dtype D.
template <dtype_id D>
Tensor reduce_values(const std::string& name, const Tensor& x, const Options& o) {
  using T = Work<D>;
  std::vector<T> values;
  for (std::int64_t i = 0; i < element_count(x.shape); ++i) values.push_back(element<D>(x, i));
  if (o.where)
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!o.where->bytes[i]) values[i] = identity<T>(name, D);
  const std::vector<bool> reduced = reduced_axes(o, x.shape);
  auto join = [&](T a, T b) { return join_values(name, a, b); };
  Shape shape = x.shape;
  bool empty = false;
  for (std::size_t a = 0; a < shape.size(); ++a) empty = empty || (reduced[a] && shape[a] == 0);
  const T of_nothing = name == "prod" || name == "all" ? convert<T>(1) : convert<T>(0);
  Tensor out = empty_tensor(D, result_shape(x.shape, reduced, o.keepdims));
  std::optional<T> start;
  if (o.initial) start = cast<D, dtype_id::float64>(*o.initial);
  if (empty) {
    for (std::int64_t i = 0; i < element_count(out.shape); ++i) set<D>(out, i, start.value_or(of_nothing));
    return out;
  }
  for (std::size_t a = shape.size(); a-- > 0;) {
    if (!reduced[a]) continue;
    values = along(values, shape, a, [&](const std::vector<T>& line) { return reduce_line(line, join); });
    shape[a] = 1;
  }
  if (!start && o.where && name == "sum") start = of_nothing;
  for (std::size_t i = 0; i < values.size(); ++i)
    set<D>(out, static_cast<std::int64_t>(i), start ? join(*start, values[i]) : values[i]);
  return out;
}

Tensor truth(const Tensor& x) {
  return with_dtype(x.type, [&]<dtype_id D>() {
    return map<dtype_id::bool_>(x, [&](std::int64_t i) -> std::uint8_t {
      const auto v = element<D>(x, i);
      if constexpr (is_complex<Work<D>>) return v.re != 0 || v.im != 0;
      else return v != 0;
    });
  });
}

Tensor reduce_basic(const std::string& name, const Tensor& x, const Options& o) {
  const dtype_id type = o.dtype.value_or(result_type(name, x.type));
  const Tensor in = name == "any" || name == "all" ? truth(x) : astype(x, type);
  return with_dtype(in.type, [&]<dtype_id D>() { return reduce_values<D>(name, in, o); });
}

// ---- mean, var, std, norms ----

bool is_integer(dtype_id type) { return np::dtype(type).kind() != 'f' && np::dtype(type).kind() != 'c'; }

std::int64_t count_of(const Tensor& x, const Options& o) {
  const std::vector<bool> reduced = reduced_axes(o, x.shape);
  std::int64_t n = 1;
  for (std::size_t a = 0; a < x.shape.size(); ++a)
    if (reduced[a]) n *= x.shape[a];
  return n;
}

/// Number of selected elements behind each result: int64.
Tensor counts(const Options& o, bool keepdims) {
  Options plain{.axes = o.axes, .keepdims = keepdims};
  return reduce_basic("sum", *o.where, plain);
}

/// total / n, or total / counts in at least float64, each quotient rounded to `result`.
Tensor quotient(const Tensor& total, double n, const Tensor* counted, dtype_id result) {
  return with_dtype(total.type, [&]<dtype_id D>() {
    return with_dtype(result, [&]<dtype_id R>() {
      return map<R>(total, [&](std::int64_t i) -> Work<R> {
        if (!counted) return cast<R, D>(over(element<D>(total, i), n));
        constexpr dtype_id Wide = is_complex<Work<D>> ? dtype_id::complex128 : dtype_id::float64;
        double by = 0;
        if (counted->type == dtype_id::int64) by = static_cast<double>(element<dtype_id::int64>(*counted, i));
        else by = element<dtype_id::float64>(*counted, i);
        return cast<R, Wide>(over(cast<Wide, D>(element<D>(total, i)), by));
      });
    });
  });
}

Tensor mean(const Tensor& x, const Options& o) {
  dtype_id work = x.type, result = x.type;
  if (is_integer(x.type)) work = result = dtype_id::float64;
  if (x.type == dtype_id::float16) work = dtype_id::float32;
  if (o.dtype) work = result = *o.dtype;
  Options sums{.axes = o.axes, .keepdims = o.keepdims, .dtype = work, .where = o.where};
  const Tensor total = reduce_basic("sum", x, sums);
  if (!o.where) return quotient(total, static_cast<double>(count_of(x, o)), nullptr, result);
  const Tensor n = counts(o, o.keepdims);
  return quotient(total, 0, &n, result);
}

/// Flat index in the result with kept axes of element i of `shape`.
std::int64_t kept_place(const Shape& shape, const std::vector<bool>& reduced, std::int64_t i) {
  std::int64_t place = 0, step = 1;
  for (std::size_t a = shape.size(); a-- > 0;) {
    if (!reduced[a]) {
      place += i % shape[a] * step;
      step *= shape[a];
    }
    i /= shape[a];
  }
  return place;
}

Tensor var(const Tensor& x, const Options& o) {
  dtype_id work = o.dtype.value_or(x.type);
  if (!o.dtype && is_integer(x.type)) work = dtype_id::float64;
  if (!o.dtype && x.type == dtype_id::float16) work = dtype_id::float32;
  Options kept = o;
  kept.keepdims = true;
  kept.dtype = work;
  const Tensor centre = mean(x, kept);
  const std::vector<bool> reduced = reduced_axes(o, x.shape);
  // Squared distances: of complex numbers the squares of both parts, added.
  const Tensor squares = with_dtype(x.type, [&]<dtype_id D>() {
    return with_dtype(work, [&]<dtype_id W>() {
      if constexpr (is_complex<Work<W>>) {
        constexpr dtype_id R = W == dtype_id::complex64 ? dtype_id::float32 : dtype_id::float64;
        return map<R>(x, [&](std::int64_t i) {
          const auto d = minus(cast<W, D>(element<D>(x, i)), element<W>(centre, kept_place(x.shape, reduced, i)));
          const auto re = d.re * d.re, im = d.im * d.im;
          return re + im;
        });
      } else {
        return map<W>(x, [&](std::int64_t i) {
          const auto d = minus(cast<W, D>(element<D>(x, i)), element<W>(centre, kept_place(x.shape, reduced, i)));
          return times(d, d);
        });
      }
    });
  });
  Options sums{.axes = o.axes, .keepdims = o.keepdims, .where = o.where};
  const Tensor total = reduce_basic("sum", squares, sums);
  const dtype_id result = !o.dtype && x.type == dtype_id::float16 ? dtype_id::float16 : total.type;
  if (!o.where) {
    const double left = static_cast<double>(count_of(x, o)) - o.ddof;
    return quotient(total, left > 0 ? left : 0, nullptr, result);
  }
  const Tensor n = counts(o, o.keepdims);
  const Tensor left = map<dtype_id::float64>(n, [&](std::int64_t i) {
    const double v = static_cast<double>(element<dtype_id::int64>(n, i)) - o.ddof;
    return v > 0 ? v : 0.0;
  });
  return quotient(total, 0, &left, result);
}

Tensor root(const Tensor& x) {
  return with_dtype(x.type, [&]<dtype_id D>() -> Tensor {
    if constexpr (std::is_floating_point_v<Work<D>>)
      return map<D>(x, [&](std::int64_t i) { return std::sqrt(element<D>(x, i)); });
    else throw std::logic_error("root of a dtype that is no float");
  });
}

Tensor norm(const std::string& name, const Tensor& given, const Options& o) {
  const Tensor x = is_integer(given.type) ? astype(given, dtype_id::float64) : given;
  return with_dtype(x.type, [&]<dtype_id D>() -> Tensor {
    using T = Work<D>;
    if constexpr (is_complex<T>) {
      constexpr dtype_id R = D == dtype_id::complex64 ? dtype_id::float32 : dtype_id::float64;
      if (name != "norm") throw std::logic_error("norms of complex values but the 2-norm take moduli");
      return root(reduce_basic("sum", map<R>(x, [&](std::int64_t i) {
        const T v = element<D>(x, i);
        const auto re = v.re * v.re, im = v.im * v.im;
        return re + im;
      }), o));
    } else if constexpr (std::is_floating_point_v<T>) {
      if (name == "norm")
        return root(reduce_basic("sum", map<D>(x, [&](std::int64_t i) { return times(element<D>(x, i), element<D>(x, i)); }), o));
      if (name == "norm0") {
        Options counted = o;
        counted.dtype = D;
        return reduce_basic("sum", truth(x), counted);
      }
      const Tensor sizes = map<D>(x, [&](std::int64_t i) { return std::fabs(element<D>(x, i)); });
      return reduce_basic(name == "norm1" ? "sum" : name == "norm_inf" ? "max" : "min", sizes, o);
    } else {
      throw std::logic_error("norm of a dtype that is no float");
    }
  });
}

// ---- without NaN ----

Tensor without_nan(const std::string& name, const Tensor& x, const Options& o) {
  return with_dtype(x.type, [&]<dtype_id D>() -> Tensor {
    using T = Work<D>;
    if constexpr (!std::is_floating_point_v<T>) {
      throw std::logic_error("only floats are NaN here");
    } else {
      const T instead = name == "nanmax" ? -INFINITY : name == "nanmin" ? INFINITY : T(0);
      const Tensor kept = map<D>(x, [&](std::int64_t i) { return is_nan(element<D>(x, i)) ? instead : element<D>(x, i); });
      if (name == "nansum") return reduce_basic("sum", kept, o);
      const Tensor good = map<dtype_id::bool_>(x, [&](std::int64_t i) -> std::uint8_t {
        return !is_nan(element<D>(x, i)) && (!o.where || o.where->bytes[static_cast<std::size_t>(i)]);
      });
      const Tensor left = reduce_basic("sum", good, {.axes = o.axes, .keepdims = o.keepdims});
      if (name == "nanmean") {
        const Tensor total = reduce_basic("sum", kept, o);
        return quotient(total, 0, &left, D);
      }
      const Tensor extreme = reduce_basic(name.substr(3), kept, o);
      return map<D>(extreme, [&](std::int64_t i) {
        return element<dtype_id::int64>(left, i) == 0 ? static_cast<T>(NAN) : element<D>(extreme, i);
      });
    }
  });
}

}  // namespace

std::int64_t element_count(const Shape& shape) {
  std::int64_t n = 1;
  for (std::int64_t extent : shape) n *= extent;
  return n;
}

Tensor tensor_of(const np::array& a) {
  const np::array plain = a.copy();
  Tensor t = empty_tensor(a.dtype().id(), {});
  for (int k = 0; k < a.ndim(); ++k) t.shape.push_back(a.shape(k));
  t.bytes.assign(static_cast<const char*>(plain.raw_data()), static_cast<std::size_t>(plain.nbytes()));
  return t;
}

Tensor reduce(const std::string& name, const Tensor& x, const Options& o) {
  if (name == "mean") return mean(x, o);
  if (name == "var") return var(x, o);
  if (name == "std") return root(var(x, o));
  if (name.starts_with("norm")) return norm(name, x, o);
  if (name.starts_with("nan")) return without_nan(name, x, o);
  return reduce_basic(name, x, o);
}

Tensor arg_reduce(const std::string& name, const Tensor& given, std::optional<std::int64_t> axis, bool keepdims) {
  Tensor x = given;
  if (!axis) x.shape = {element_count(x.shape)};
  const auto k = static_cast<std::size_t>(!axis ? 0 : *axis < 0 ? *axis + static_cast<std::int64_t>(x.shape.size()) : *axis);
  std::vector<bool> reduced(x.shape.size(), false);
  reduced[k] = true;
  Tensor out = empty_tensor(dtype_id::int64, result_shape(x.shape, reduced, keepdims));
  if (!axis && keepdims) out.shape.assign(given.shape.size(), 1);
  with_dtype(x.type, [&]<dtype_id D>() {
    using T = Work<D>;
    std::int64_t outer = 1, inner = 1;
    for (std::size_t a = 0; a < k; ++a) outer *= x.shape[a];
    for (std::size_t a = k + 1; a < x.shape.size(); ++a) inner *= x.shape[a];
    for (std::int64_t o = 0; o < outer; ++o)
      for (std::int64_t i = 0; i < inner; ++i) {
        std::int64_t best = 0;
        auto at = [&](std::int64_t j) { return element<D>(x, (o * x.shape[k] + j) * inner + i); };
        for (std::int64_t j = 1; j < x.shape[k]; ++j) {
          const T now = at(best), v = at(j);
          if (is_nan(now)) break;
          if (is_nan(v) || (name == "argmax" ? is_less(now, v) : is_less(v, now))) best = j;
        }
        set<dtype_id::int64>(out, o * inner + i, best);
      }
  });
  return out;
}

Tensor scan(const std::string& name, const Tensor& given, std::optional<std::int64_t> axis) {
  const std::string op = name == "cumsum" ? "sum" : "prod";
  Tensor x = astype(given, result_type(op, given.type));
  if (!axis) x.shape = {element_count(x.shape)};
  const auto k = static_cast<std::size_t>(!axis ? 0 : *axis < 0 ? *axis + static_cast<std::int64_t>(x.shape.size()) : *axis);
  Tensor out = empty_tensor(x.type, x.shape);
  with_dtype(x.type, [&]<dtype_id D>() {
    using T = Work<D>;
    std::int64_t outer = 1, inner = 1;
    for (std::size_t a = 0; a < k; ++a) outer *= x.shape[a];
    for (std::size_t a = k + 1; a < x.shape.size(); ++a) inner *= x.shape[a];
    for (std::int64_t o = 0; o < outer; ++o)
      for (std::int64_t i = 0; i < inner; ++i) {
        T before{}, local{};
        for (std::int64_t j = 0; j < x.shape[k]; ++j) {
          const std::int64_t place = (o * x.shape[k] + j) * inner + i, segment = j / 128;
          const T v = element<D>(x, place);
          if (j % 128 == 0) {
            if (segment == 1) before = local;
            if (segment > 1) before = join_values(op, before, local);
            local = v;
          } else {
            local = join_values(op, local, v);
          }
          set<D>(out, place, segment == 0 ? local : join_values(op, before, local));
        }
      }
  });
  return out;
}

Tensor dot(const std::string& name, const Tensor& x, const Tensor& y) {
  return with_dtype(x.type, [&]<dtype_id D>() {
    const Tensor products = map<D>(x, [&](std::int64_t i) {
      Work<D> a = element<D>(x, i);
      if constexpr (is_complex<Work<D>>)
        if (name == "vdot") a.im = std::copysign(a.im, std::signbit(a.im) ? 1.0 : -1.0);
      if constexpr (D == dtype_id::bool_) return static_cast<Work<D>>(a & element<D>(y, i));
      else return times(a, element<D>(y, i));
    });
    return reduce_basic(D == dtype_id::bool_ ? "any" : "sum", products, {.dtype = D});
  });
}

std::string difference(const Tensor& expected, const Tensor& got) {
  std::ostringstream text;
  auto shape_text = [](const Shape& shape) {
    std::string s = "(";
    for (std::int64_t extent : shape) s += std::to_string(extent) + ",";
    return s + ")";
  };
  if (expected.type != got.type) {
    text << "dtype " << np::dtype(got.type).name() << ", expected " << np::dtype(expected.type).name();
    return text.str();
  }
  if (expected.shape != got.shape)
    return "shape " + shape_text(got.shape) + ", expected " + shape_text(expected.shape);
  const std::size_t size = item(expected.type);
  for (std::int64_t i = 0; i < element_count(expected.shape); ++i) {
    const char* a = expected.bytes.data() + static_cast<std::size_t>(i) * size;
    const char* b = got.bytes.data() + static_cast<std::size_t>(i) * size;
    if (np::testing::same_element_bits(expected.type, a, b)) continue;
    text << "element " << i << " of " << shape_text(expected.shape) << ": bits ";
    for (std::size_t k = size; k-- > 0;) text << std::hex << (static_cast<unsigned>(b[k]) & 255) << ' ';
    text << ", expected ";
    for (std::size_t k = size; k-- > 0;) text << std::hex << (static_cast<unsigned>(a[k]) & 255) << ' ';
    return text.str();
  }
  return "";
}

}  // namespace reference
