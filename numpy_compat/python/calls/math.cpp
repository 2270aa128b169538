// Differences, interpolation, rounding, parts of numbers, products, closeness.
#include "call.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

namespace numjit::py {

namespace {

/// Arrays that are compared as wholes: what is none is equal to nothing.
template <class F>
nb::object compared(const Given& a, F&& compare) {
  array x, y;
  try {
    x = array_in(a[0]);
    y = array_in(a[1]);
  } catch (...) {
    translate_error();
    if (!PyErr_ExceptionMatches(PyExc_Exception)) throw ErrorSet();
    PyErr_Clear();
    return nb::bool_(false);
  }
  return nb::bool_(compare(operand_of(x), operand_of(y)));
}

}  // namespace

// ---- differences ----

nb::object call_diff(const Given& a) {
  const std::int64_t n = a.integer(1);
  if (n == 0) return nb::borrow(a[0]);
  diff_options o{.n = static_cast<int>(std::clamp<std::int64_t>(n, -1, 1 << 30)), .axis = a.integer(2)};
  if (n < 0) throw ValueError("", "order must be non-negative but got " + std::to_string(n));
  if (a.is_given(3)) o.prepend = array_in(a[3]);
  if (a.is_given(4)) o.append = array_in(a[4]);
  return give(diff(Argument(a[0].ptr()), o));
}
nb::object call_ediff1d(const Given& a) {
  return give(ediff1d(Argument(a[0].ptr()), {.to_end = opt_array(a[1]), .to_begin = opt_array(a[2])}));
}

nb::object call_gradient(const Given& a) {
  const array f = array_in(a[0]);
  gradient_options o{.axis = a.axes(2), .edge_order = static_cast<int>(a.integer(3))};
  for (nb::handle spacing : nb::borrow<nb::tuple>(a[1])) o.spacing.push_back(array_in(spacing));
  array_list made = gradients(operand_of(f), o);
  return made.size() == 1 ? give(std::move(made[0])) : nb::object(nb::tuple(give_list(std::move(made))));
}
nb::object call_trapezoid(const Given& a) {
  const array y = array_in(a[0]);
  const Argument dx(a[2].ptr());
  return give_result(trapezoid(operand_of(y), {.x = opt_array(a[1]), .dx = dx, .axis = a.integer(3)}));
}
nb::object call_unwrap(const Given& a) {
  const array p = array_in(a[0]);
  const Argument period(a[3].ptr());
  Argument discont;
  unwrap_options o{.axis = a.integer(2), .period = period};
  if (!a.is_none(1)) o.discont = (discont.set(a[1].ptr()), discont.get());
  return give(unwrap(operand_of(p), o));
}

namespace {

/// What interp takes beyond an end: a number, unless a transform follows it.
struct End {
  End(Any o, bool is_complex) {
    if (o.is_none()) return;
    const array followed = is_array(o.ptr()) && detail::is_followed(array_of(o.ptr()).get()) ? array_of(o.ptr()) : array();
    if (!followed.empty_handle()) {
      value = operand_of(kept = followed);
    } else if (is_complex) {
      const Py_complex z = PyComplex_AsCComplex(o.ptr());
      if (PyErr_Occurred()) throw ErrorSet();
      value = operand(std::complex<double>(z.real, z.imag), "", "", 0);
    } else {
      value = operand(real_in(o), "", "", 0);
    }
  }
  array kept;
  std::optional<operand> value;
};

}  // namespace

nb::object call_interp(const Given& a) {
  const array x = array_in(a[0]), xp = array_in(a[1]), fp = array_in(a[2]);
  const bool is_complex = fp.dtype().kind() == 'c';
  const End left(a[3], is_complex), right(a[4], is_complex);
  interp_options o{.left = left.value, .right = right.value};
  if (is_array(a[5].ptr())) detail::refuse_followed(array_of(a[5].ptr()).get(), "interp", "period");
  if (!a.is_none(5)) o.period = a.real(5);
  return give_result(computed(x, [&](const operand& each) { return interp(each, operand_of(xp), operand_of(fp), o); }));
}

// ---- rounding, NaN, infinities ----

nb::object call_round(const Given& a) {
  constexpr std::int64_t most = 1 << 20;
  const array x = array_in(a[0]);
  const nb::handle out = out_in(a, 2);
  const round_options o{.decimals = static_cast<int>(std::clamp(a.integer(1), -most, most)), .out = target_of_call(out)};
  return give_or_out(computed(x, [&](const operand& each) { return round(each, o); }), out);
}
nb::object call_nan_to_num(const Given& a) {
  const array x = unshared(array_in(a[0]), a[0].ptr());
  const Argument nan(a[2].ptr());
  Argument high, low;
  nan_to_num_options o{.copy = a.truth(1), .nan = nan};
  if (!a.is_none(3)) o.posinf = (high.set(a[3].ptr()), high.get());
  if (!a.is_none(4)) o.neginf = (low.set(a[4].ptr()), low.get());
  array made = computed(x, [&](const operand& each) { return nan_to_num(each, o); });
  return !o.copy && x.ndim() > 0 && is_array(a[0].ptr()) ? nb::borrow(a[0]) : give_result(std::move(made));
}

namespace {

template <class F>
nb::object with_out(const Given& a, F&& f) {
  const array x = array_in(a[0]);
  if (a[1].ptr() == Py_Ellipsis) return give(f(operand_of(x), ufunc_options()));  // an array also where there would be a number
  const nb::handle out = out_in(a, 1);
  const ufunc_options o{.out = target_of_call(out)};
  return give_or_out(computed(x, [&](const operand& each) { return f(each, o); }), out);
}

}  // namespace

nb::object call_fix(const Given& a) {
  return with_out(a, [](const operand& x, const ufunc_options& o) { return fix(x, o); });
}
nb::object call_isposinf(const Given& a) {
  return with_out(a, [](const operand& x, const ufunc_options& o) { return isposinf(x, o); });
}
nb::object call_isneginf(const Given& a) {
  return with_out(a, [](const operand& x, const ufunc_options& o) { return isneginf(x, o); });
}

// ---- parts of numbers ----

namespace {

/// An attribute of a number of Python's, or of what is made an array.
nb::object part(Any o, const char* name) {
  if (is_weak_number(o.ptr()) || is_array(o.ptr())) return o.attr(name);
  return give(array_in(o)).attr(name);
}

}  // namespace

nb::object call_real(const Given& a) { return part(a[0], "real"); }
nb::object call_imag(const Given& a) { return part(a[0], "imag"); }
nb::object call_sinc(const Given& a) { return give_result(sinc(Argument(a[0].ptr()))); }
nb::object call_angle(const Given& a) { return give_result(angle(Argument(a[0].ptr()), a.truth(1))); }
nb::object call_iscomplex(const Given& a) { return give_result(iscomplex(Argument(a[0].ptr()))); }
nb::object call_isreal(const Given& a) { return give_result(isreal(Argument(a[0].ptr()))); }
nb::object call_real_if_close(const Given& a) {
  const array x = array_in(a[0]);
  return give_view(real_if_close(operand_of(x), a.real(1)), a[0]);
}

// ---- bits ----

nb::object call_packbits(const Given& a) {
  std::string order = text_in(a[2], "pack() argument 3");
  for (const char* name : {"big", "little"})
    if (order.starts_with(name)) order = name;  // NumPy reads no further
  const array x = array_in(a[0]);
  return give(packbits(operand_of(x), a.optional_integer(1), order.c_str()));
}
nb::object call_unpackbits(const Given& a) {
  const array x = array_in(a[0]);
  const std::string order = text_in(a[3], "unpack() argument 4");
  if (!order.starts_with('l') && !order.starts_with('b')) throw ValueError("", "'order' must begin with 'l' or 'b'");
  const std::optional<std::int64_t> axis = a.optional_integer(1), count = a.optional_integer(2);
  const array rows = axis && x.ndim() == 0 ? reshape(operand_of(x), {1}) : x;
  if (count && -*count > 8 * (axis ? rows.shape(normalize_axis("unpackbits", *axis, rows.ndim())) : x.size()))
    throw ValueError("", "-count larger than number of elements");
  return give(unpackbits(x, axis, count, order[0] == 'l' ? "little" : "big"));
}

// ---- windows ----

namespace {

array window(std::string_view name, double M, double beta) {
  if (M < 1) return zeros({0});
  const auto n = static_cast<std::int64_t>(M);
  if (M == static_cast<double>(n)) {
    if (name == "bartlett") return bartlett(n);
    if (name == "blackman") return blackman(n);
    if (name == "hamming") return hamming(n);
    if (name == "hanning") return hanning(n);
    return kaiser(n, beta);
  }
  // The formulas at points two apart, for a length that is no integer.
  const array at = arange(1 - M, M, 2.0), turn = std::numbers::pi / (M - 1) * at;
  if (name == "bartlett") return 1 - abs(at) / (M - 1);
  if (name == "hanning") return 0.5 + 0.5 * cos(turn);
  if (name == "hamming") return 0.54 + 0.46 * cos(turn);
  if (name == "blackman") return 0.42 + 0.5 * cos(turn) + 0.08 * cos(2 * turn);
  const double half = (M - 1) / 2;
  const array place = (arange(0.0, M) - half) / half;
  return i0(beta * sqrt(1 - place * place)) / i0(beta);
}

}  // namespace

nb::object call_bartlett(const Given& a) { return give(window("bartlett", a.real(0), 0)); }
nb::object call_blackman(const Given& a) { return give(window("blackman", a.real(0), 0)); }
nb::object call_hamming(const Given& a) { return give(window("hamming", a.real(0), 0)); }
nb::object call_hanning(const Given& a) { return give(window("hanning", a.real(0), 0)); }
nb::object call_kaiser(const Given& a) { return give(window("kaiser", a.real(0), a.real(1))); }
nb::object call_i0(const Given& a) {
  const array x = array_in(a[0]);
  if (x.dtype().kind() == 'c') throw TypeError("", "i0 not supported for complex values");
  return give(i0(operand_of(x)));
}

// ---- products ----

nb::object call_dot(const Given& a) {
  const array x = array_in(a[0]), y = array_in(a[1]);
  const nb::handle out = a[2];
  if (out.is_none()) return give_result(computed(x, [&](const operand& each) { return dot(each, operand_of(y)); }));
  if (PyTuple_Check(out.ptr())) throw TypeError("", "'out' must be an array");
  return give_or_out(dot(operand_of(x), operand_of(y), {.out = target_in(out)}), out);
}
nb::object call_vdot(const Given& a) {
  const array x = array_in(a[0]), y = array_in(a[1]);
  return give_result(computed(x, [&](const operand& each) { return vdot(each, operand_of(y)); }));
}
nb::object call_inner(const Given& a) {
  const array x = array_in(a[0]), y = array_in(a[1]);
  return give_result(computed(x, [&](const operand& each) { return inner(each, operand_of(y)); }));
}
nb::object call_outer(const Given& a) {
  const array x = array_in(a[0]), y = array_in(a[1]);
  const nb::handle out = out_in(a, 2);
  array made = outer(operand_of(x), operand_of(y), {.out = target_of_call(out)});
  return out.is_none() ? give(std::move(made)) : nb::borrow(out);
}

namespace {

/// axes= of tensordot: a number, or the axes of both.
tensordot_axes pairs_of_axes(Any o) {
  const nb::object both = items_of(o);
  if (!both.is_valid()) return to_int(o.ptr());
  const auto [first, second] = two_of(both);
  const auto axes_of = [](nb::handle given) {
    const nb::object items = items_of(given);
    return to_dims(items.is_valid() ? items.ptr() : given.ptr());
  };
  return {axes_of(first), axes_of(second)};
}

}  // namespace

nb::object call_tensordot(const Given& a) {
  const array x = array_in(a[0]), y = array_in(a[1]);
  const tensordot_options o{.axes = pairs_of_axes(a[2])};
  return give(computed(x, [&](const operand& each) { return tensordot(each, operand_of(y), o); }));
}
nb::object call_kron(const Given& a) {
  const array x = array_in(a[0]), y = array_in(a[1]);
  return give_result(kron(operand_of(x), operand_of(y)));
}
nb::object call_cross(const Given& a) {
  const array x = array_in(a[0]), y = array_in(a[1]);
  return give(cross(operand_of(x), operand_of(y),
                    {.axisa = a.integer(2), .axisb = a.integer(3), .axisc = a.integer(4), .axis = a.optional_integer(5)}));
}

// ---- sums of products by subscripts ----

namespace {

/// A list of subscripts as letters: 0 to 25 are capitals, 26 to 51 small letters, so that their order is that of the numbers.
std::string letters_of(Any labels) {
  const nb::object items = items_of(labels);
  if (!items.is_valid()) throw TypeError("", "the subscripts for each operand must be a list or a tuple");
  std::string text;
  for (nb::handle label : items) {
    if (label.ptr() == Py_Ellipsis) {
      if (text.find('.') != std::string::npos) throw ValueError("", "each subscripts list may have only one ellipsis");
      text += "...";
      continue;
    }
    if (!PyIndex_Check(label.ptr())) throw TypeError("", "each subscript must be either an integer or an ellipsis");
    const std::int64_t i = to_int(label.ptr());
    if (i < 0 || i >= 52) throw ValueError("", "subscript is not within the valid range [0, 52)");
    text += static_cast<char>((i < 26 ? 'A' : 'a') + i % 26);
  }
  return text;
}

/// Operands with their subscripts, which are one text in front of all, or lists between them.
struct Summands {
  explicit Summands(Any given) {
    const nb::tuple items = nb::borrow<nb::tuple>(given);
    const std::size_t count = items.size();
    if (count == 0)
      throw ValueError("",
                       "must specify the einstein sum subscripts string and at least one operand, or at least one operand "
                       "and its corresponding subscripts list");
    if (PyUnicode_Check(items[0].ptr())) {
      text = utf8(items[0].ptr());
      for (std::size_t i = 1; i < count; ++i) arrays.push_back(array_in(nb::handle(items[i])));
      if (count > 1) first = items[1];
      return;
    }
    if (count < 2) throw ValueError("", "must provide at least an operand and a subscripts list to einsum");
    first = items[0];
    for (std::size_t i = 0; i + 1 < count; i += 2) {
      text += (i > 0 ? "," : "") + letters_of(nb::handle(items[i + 1]));
      arrays.push_back(array_in(nb::handle(items[i])));
    }
    if (count % 2 == 1) text += "->" + letters_of(nb::handle(items[count - 1]));
  }

  std::string text;
  std::vector<array> arrays;
  nb::handle first;  // operand
};

constexpr std::string_view incomplete_path = "Invalid einsum_path is specified";

/// optimize=: whether, how, with what memory, or a path.
void read_search(Any o, std::size_t operands, einsum_options& options) {
  const auto read_name = [&](nb::handle name) {
    const std::string_view text = utf8(name.ptr());
    if (text == "greedy")
      options.optimize = "greedy";
    else if (text == "optimal")
      options.optimize = "optimal";
    else if (operands > 2) {
      PyErr_SetObject(PyExc_KeyError, nb::make_tuple("Path name %s not found", name).ptr());
      throw ErrorSet();
    }
  };
  if (o.ptr() == Py_False || o.is_none()) return;
  if (o.ptr() == Py_True) {
    options.optimize = "greedy";
  } else if (PyUnicode_Check(o.ptr())) {
    read_name(o);
  } else {
    const nb::object items = nb::steal(PySequence_Tuple(o.ptr()));
    if (!items.is_valid()) throw ErrorSet();
    const std::size_t count = nb::len(items);
    const nb::object head = count > 0 ? nb::object(items[0]) : nb::none();
    if (PyUnicode_Check(head.ptr()) && std::string_view(utf8(head.ptr())) == "einsum_path") {
      for (std::size_t i = 1; i < count; ++i) {
        const dims step = to_dims(nb::object(items[i]).ptr());
        options.path.emplace_back(step.begin(), step.end());
      }
    } else if (count == 2 && PyUnicode_Check(head.ptr()) && PyNumber_Check(nb::object(items[1]).ptr())) {
      read_name(head);
      options.memory_limit = std::max(real_in(nb::object(items[1])), 0.5);  // of none: nothing fits
    } else {
      throw TypeError("", "Did not understand the path: " + nb::cast<std::string>(nb::str(o)));
    }
  }
}

}  // namespace

nb::object call_einsum(const Given& a) {
  const Summands s(a[0]);
  const nb::dict named = nb::borrow<nb::dict>(a[3]);
  const nb::handle out = a[1];
  array made;
  if (out.is_none() && a[2].ptr() == Py_False && nb::len(named) == 0) {
    made = einsum(s.text, s.arrays, location{});
  } else {
    einsum_options o;
    std::string casting = o.casting;
    constexpr const char* refused = "keyword parameter out must be an array for einsum";
    if (PyTuple_Check(out.ptr())) throw TypeError("", refused);
    o.out = target_of_call(out, refused);
    for (const auto [key, value] : named) {
      const std::string_view name = utf8(key.ptr());
      if (name == "dtype")
        o.dtype = type_in(value);
      else if (name == "order")
        o.order = parse_order(value.ptr(), 'K');
      else if (name == "casting")
        casting = text_in(value, "casting");
      else
        throw TypeError("", "einsum() got an unexpected keyword argument '" + std::string(name) + "'");
    }
    o.casting = casting.c_str();
    read_search(a[2], s.arrays.size(), o);
    made = with_runtime_errors({incomplete_path}, [&] { return einsum(s.text, s.arrays, o, location{}); });
  }
  if (!out.is_none()) return nb::borrow(out);
  return s.arrays.size() == 1 && made.ndim() > 0 ? give_view(std::move(made), s.first) : give_result(std::move(made));
}

nb::object call_einsum_path(const Given& a) {
  if (a.truth(2))
    throw NotImplementedError("einsum_path", "einsum_call: got True, expected False; it is a matter of NumPy's own.");
  const Summands s(a[0]);
  einsum_options o;
  read_search(a[1], s.arrays.size(), o);
  const contraction_order order = with_runtime_errors({incomplete_path}, [&] { return einsum_path(s.text, s.arrays, o); });
  nb::list path;
  path.append("einsum_path");
  for (const std::vector<int>& step : order.path) {
    nb::list places;
    for (int place : step) places.append(place);
    path.append(nb::tuple(places));
  }
  return nb::make_tuple(path, order.text);
}

// ---- closeness ----

namespace {

/// NumPy's answer to a tolerance that is no number, by what errstate says of invalid values; of arrays that are at hand.
void check_tolerances(Any rtol, Any atol) {
  const auto is_finite = [](Any o) {
    return PyFloat_CheckExact(o.ptr()) ? std::isfinite(PyFloat_AS_DOUBLE(o.ptr()))
                                       : all(isfinite(Argument(o.ptr()))).item<bool>();
  };
  if (detail::recording || (is_finite(rtol) && is_finite(atol))) return;
  const auto text = [](Any o) {
    const nb::object shown = is_weak_number(o.ptr()) ? nb::borrow(o) : give(array_in(o));
    return nb::cast<std::string>(nb::str(shown));
  };
  const std::string told = "One of rtol or atol is not valid, atol: " + text(atol) + ", rtol: " + text(rtol);
  const auto mode = nb::cast<std::string>(nb::module_::import_("numjit._core").attr("geterr")()["invalid"]);
  if (mode == "raise") throw FloatingPointError("", told);
  if (mode == "warn") warn_at_caller(told.c_str());
}

array closeness(const Given& a) {
  const Argument x(a[0].ptr()), y(a[1].ptr()), rtol(a[2].ptr()), atol(a[3].ptr());
  check_tolerances(a[2], a[3]);
  const close_options o{.rtol = rtol, .atol = atol, .equal_nan = a.truth(4)};
  MaybeUnlocked unlocked(std::max(work_of(x), work_of(y)));
  return isclose(x, y, o);
}

}  // namespace

nb::object call_isclose(const Given& a) { return give_result(closeness(a)); }
nb::object call_allclose(const Given& a) {
  const array close = closeness(a);
  return nb::bool_(all(operand_of(close)).item<bool>());
}

// ---- wholes ----

nb::object call_array_equal(const Given& a) {
  const bool equal_nan = a.truth(2);
  return compared(a, [&](const operand& x, const operand& y) { return array_equal(x, y, equal_nan); });
}
nb::object call_array_equiv(const Given& a) {
  return compared(a, [](const operand& x, const operand& y) { return array_equiv(x, y); });
}

}  // namespace numjit::py
