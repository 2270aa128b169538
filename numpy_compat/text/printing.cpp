// str, repr and << of arrays: NumPy's array2string.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <functional>
#include <mutex>
#include <ostream>

#include <numjit/base/check_interrupt.h>
#include <numjit/base/scope_entry.h>

#include <surface.h>
#include "format_float.h"

namespace numjit {

namespace detail {

namespace {

// Leaked on purpose: arrays may be printed while static objects are being destroyed.
std::mutex& options_mutex() {
  static std::mutex& m = *new std::mutex;
  return m;
}
print_options& options_store() {
  static print_options& o = *new print_options;
  return o;
}

/// Addresses of the elements that will be shown, in order.
void shown_elements(const node* n, int axis, const char* p, const print_options& o, bool summary, std::vector<const char*>& out) {
  if (axis == n->rank) {
    out.push_back(p);
    return;
  }
  const std::int64_t extent = n->shape[axis], stride = n->strides[axis];
  const bool cut = summary && o.edgeitems > 0 && extent > 2 * o.edgeitems;  // NumPy's [-0:] is all of them
  for (std::int64_t i = 0; i < extent; ++i) {
    if (cut && i == o.edgeitems) i = extent - o.edgeitems;
    shown_elements(n, axis + 1, p + i * stride, o, summary, out);
  }
}

// ---- element formats ----

using formatter = std::function<std::string(const char*)>;

template <class T>
double to_double(T v) {
  if constexpr (std::is_same_v<T, half>)
    return static_cast<double>(static_cast<float>(v));
  else
    return static_cast<double>(v);
}

bool is_mode(const print_options& o, const char* mode) { return std::strcmp(o.floatmode, mode) == 0; }

void check_options(const print_options& o) {
  if (o.sign != '-' && o.sign != '+' && o.sign != ' ')
    throw ValueError("printoptions", "sign option must be one of ' ', '+', or '-'");
  if (!is_mode(o, "fixed") && !is_mode(o, "unique") && !is_mode(o, "maxprec") && !is_mode(o, "maxprec_equal"))
    throw ValueError("printoptions", "floatmode option must be one of \"fixed\", \"unique\", \"maxprec\", \"maxprec_equal\"");
}

/// NumPy's FloatingFormat.
template <class T>
class float_format {
 public:
  float_format(const std::vector<T>& values, const print_options& o, char sign) : options_(o), sign_(sign == '+') {
    if (is_mode(o, "unique")) options_.precision = -1;
    std::vector<T> finite;
    bool negative_infinity = false, negative = false;
    for (T v : values) {
      if (std::isfinite(to_double(v)))
        finite.push_back(v);
      else
        negative_infinity |= std::isinf(to_double(v)) && to_double(v) < 0;
    }
    for (T v : finite) negative |= std::signbit(to_double(v));
    choose_exponent(finite);
    if (finite.empty()) {
      style_.trim = trim_mode::point;
    } else if (exponent_) {
      fit_scientific(finite);
    } else {
      fit_positional(finite);
    }
    if (sign == ' ' && !negative) ++style_.pad_left;
    if (finite.size() != values.size()) {
      const int offset = style_.pad_right + 1;
      style_.pad_left =
          std::max({style_.pad_left, length(o.nanstr) - offset, length(o.infstr) + (sign != '-' || negative_infinity) - offset});
    }
  }

  std::string operator()(T v) const {
    const double wide = to_double(v);
    if (!std::isfinite(wide)) {
      std::string text = std::isnan(wide) ? options_.nanstr : options_.infstr;
      if (!std::isnan(wide) && wide < 0)
        text.insert(0, "-");
      else if (sign_)
        text.insert(0, "+");
      const int width = style_.pad_left + style_.pad_right + 1;
      if (static_cast<int>(text.size()) < width) text.insert(0, static_cast<std::size_t>(width) - text.size(), ' ');
      return text;
    }
    if (!exponent_) return format_positional(v, style_);
    float_style s = style_;
    s.pad_right = 0;
    return format_scientific(v, s);
  }

 private:
  static int length(const char* s) { return static_cast<int>(std::strlen(s)); }

  void choose_exponent(const std::vector<T>& finite) {
    double high = 0, low = 0;
    for (T v : finite) {
      double m = std::fabs(to_double(v));
      if (m == 0) continue;
      high = std::max(high, m);
      low = low == 0 ? m : std::min(low, m);
    }
    if (high == 0) return;
    // Thresholds and the quotient are of the array's own dtype, as NumPy's are.
    const double cutoff = std::is_same_v<T, double> ? 1e8 : std::is_same_v<T, float> ? 1e6 : 1e3;
    T small, ratio;
    if constexpr (std::is_same_v<T, half>) {
      small = half(0.0001);
      ratio = half(static_cast<float>(high) / static_cast<float>(low));
    } else {
      small = static_cast<T>(0.0001);
      ratio = static_cast<T>(high) / static_cast<T>(low);
    }
    exponent_ = high >= cutoff || (!options_.suppress && (low < to_double(small) || to_double(ratio) > 1000.));
  }

  void fit_scientific(const std::vector<T>& finite) {
    const float_style first = first_style();
    int fraction = 0, left = 0, power = 0;
    for (T v : finite) {
      check_interrupt();
      std::string s = format_scientific(v, first);
      std::size_t dot = s.find('.'), e = s.find('e');
      left = std::max(left, static_cast<int>(dot));
      fraction = std::max(fraction, static_cast<int>(e - dot - 1));
      power = std::max(power, static_cast<int>(s.size() - e - 2));
    }
    style_ = {.precision = fraction,
              .min_digits = fraction,
              .trim = trim_mode::keep,
              .sign = sign_,
              .pad_left = left,
              .pad_right = power + 2 + fraction,
              .exp_digits = power,
              .unique = first.unique};
  }

  void fit_positional(const std::vector<T>& finite) {
    const float_style first = first_style();
    int fraction = 0, left = 0;
    for (T v : finite) {
      check_interrupt();
      std::string s = format_positional(v, first);
      std::size_t dot = s.find('.');
      left = std::max(left, static_cast<int>(dot));
      fraction = std::max(fraction, static_cast<int>(s.size() - dot - 1));
    }
    const bool equal = is_mode(options_, "fixed") || is_mode(options_, "maxprec_equal");
    style_ = {.precision = equal ? fraction : options_.precision,
              .min_digits = equal ? fraction : 0,
              .trim = equal ? trim_mode::keep : trim_mode::point,
              .sign = sign_,
              .pad_left = left,
              .pad_right = fraction,
              .unique = first.unique};
  }

  /// With which the elements are written once to learn their widths.
  float_style first_style() const {
    const bool fixed = is_mode(options_, "fixed");
    return {.precision = options_.precision, .trim = fixed ? trim_mode::keep : trim_mode::point, .sign = sign_, .unique = !fixed};
  }

  print_options options_;
  bool sign_, exponent_ = false;
  float_style style_;
};

template <class T>
T load_element(const char* p) {
  T v;
  std::memcpy(&v, p, sizeof(T));
  return v;
}

template <class T>
formatter make_formatter(const std::vector<const char*>& shown, int rank, const print_options& o) {
  if constexpr (std::is_same_v<T, bool>) {
    return
        [rank](const char* p) -> std::string { return load_element<std::uint8_t>(p) ? (rank == 0 ? "True" : " True") : "False"; };
  } else if constexpr (std::is_integral_v<T>) {
    // Blanks for positive numbers only where none is negative.
    bool negative = false;
    for (const char* p : shown) negative |= std::is_signed_v<T> && load_element<T>(p) < T(0);
    const char sign = o.sign == ' ' && negative ? '-' : o.sign;
    auto text = [sign](T v) {
      std::string s = std::to_string(v);
      if (sign != '-' && s[0] != '-') s.insert(s.begin(), sign);
      return s;
    };
    std::size_t width = 0;
    for (const char* p : shown) {
      check_interrupt();
      width = std::max(width, text(load_element<T>(p)).size());
    }
    return [width, text](const char* p) {
      std::string s = text(load_element<T>(p));
      return std::string(width - s.size(), ' ') + s;
    };
  } else if constexpr (std::is_same_v<T, complex<float>> || std::is_same_v<T, complex<double>>) {
    using R = decltype(T().re);
    std::vector<R> re, im;
    for (const char* p : shown) {
      T v = load_element<T>(p);
      re.push_back(v.re), im.push_back(v.im);
    }
    return [real = float_format<R>(re, o, o.sign), imag = float_format<R>(im, o, '+')](const char* p) {
      T v = load_element<T>(p);
      std::string i = imag(v.im);
      std::size_t end = i.find_last_not_of(' ') + 1;
      i.insert(end, "j");
      return real(v.re) + i;
    };
  } else {
    std::vector<T> values;
    for (const char* p : shown) values.push_back(load_element<T>(p));
    return [f = float_format<T>(values, o, o.sign)](const char* p) { return f(load_element<T>(p)); };
  }
}

// ---- layout of the lines ----

struct array_writer {
  const node* n;
  formatter format;
  std::string separator;
  bool summary;
  int edgeitems;

  static void extend(std::string& text, std::string& line, const std::string& word, int width, const std::string& indent) {
    if (static_cast<int>(line.size() + word.size()) > width && line.size() > indent.size()) {
      text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
      line = indent;
    }
    line += word;
  }
  std::string bare_separator() const { return separator.substr(0, separator.find_last_not_of(' ') + 1); }

  std::string write(int axis, const char* p, const std::string& indent, int width) const {
    check_interrupt();
    if (axis == n->rank) return format(p);
    const std::int64_t extent = n->shape[axis], stride = n->strides[axis];
    const bool cut = summary && 2 * edgeitems < extent;
    const int left = n->rank - axis;
    std::string text;
    if (left == 1) {
      const int room = width - std::max(static_cast<int>(bare_separator().size()), 1);
      std::string line = indent;
      for (std::int64_t i = 0; i < extent; ++i) {
        if (cut && i == edgeitems) {
          extend(text, line, "...", room, indent);
          line += separator;
          i = extent - std::max(edgeitems, 1);  // the last one is always there
        }
        check_interrupt();
        extend(text, line, format(p + i * stride), room, indent);
        if (i + 1 < extent) line += separator;
      }
      text += line;
    } else {
      const std::string line_end = bare_separator() + std::string(static_cast<std::size_t>(left - 1), '\n');
      for (std::int64_t i = 0; i < extent; ++i) {
        if (cut && i == edgeitems) {
          text += indent + "..." + line_end;
          i = extent - std::max(edgeitems, 1);  // the last one is always there
        }
        text += indent + write(axis + 1, p + i * stride, indent + ' ', width - 1);
        if (i + 1 < extent) text += line_end;
      }
    }
    return "[" + text.substr(indent.size()) + "]";
  }
};

std::string to_text(const array& a, const print_options& o, const std::string& separator, int prefix, int suffix) {
  if (a.size() == 0) return "[]";
  node* n = concrete(a.get(), "str");
  const bool summary = a.size() > o.threshold;
  std::vector<const char*> shown;
  shown_elements(n, 0, n->data, o, summary, shown);
  formatter format = visit_dtype(n->type, [&]<class T>() { return make_formatter<T>(shown, n->rank, o); });
  array_writer w{n, std::move(format), separator, summary, o.edgeitems};
  return w.write(0, n->data, std::string(static_cast<std::size_t>(1 + prefix), ' '), o.linewidth - suffix);
}

template <class R>
std::string complex_text(R re, R im) {
  std::string i = format_scalar(im, trim_mode::all);
  if (re == 0 && !std::signbit(re)) return i + "j";
  if (i[0] != '-') i.insert(0, "+");
  return "(" + format_scalar(re, trim_mode::all) + i + "j)";
}

std::string scalar_text(const node* n) {
  return visit_dtype(n->type, [&]<class T>() -> std::string {
    if constexpr (std::is_same_v<T, bool>) {
      return load_element<std::uint8_t>(n->data) ? "True" : "False";
    } else {
      T v = load_element<T>(n->data);
      if constexpr (std::is_integral_v<T>)
        return std::to_string(v);
      else if constexpr (std::is_same_v<T, complex<float>> || std::is_same_v<T, complex<double>>)
        return complex_text(v.re, v.im);
      else
        return format_scalar(v);
    }
  });
}

}  // namespace
}  // namespace detail

/// The options of one scope.
class detail::PrintEntry final : public ScopeEntry {
 public:
  explicit PrintEntry(const print_options& o) : ScopeEntry(scope_kind::printing), options(o) {}
  print_options options;
  static PrintEntry* innermost() { return scope_of_kind<PrintEntry>(scope_kind::printing); }

 private:
  void apply() noexcept override {}
};

print_options get_printoptions() {
  if (detail::innermost_scope) detail::drop_ended_scopes();
  if (const detail::PrintEntry* scope = detail::PrintEntry::innermost()) return scope->options;
  std::lock_guard lock(detail::options_mutex());
  return detail::options_store();
}
void set_printoptions(const print_options& options) {
  detail::check_options(options);
  if (detail::innermost_scope) detail::drop_ended_scopes();
  if (detail::PrintEntry* scope = detail::PrintEntry::innermost()) {
    scope->options = options;
    return;
  }
  std::lock_guard lock(detail::options_mutex());
  detail::options_store() = options;
}

printoptions::printoptions(const print_options& options) {
  detail::check_options(options);
  entry_ = new detail::PrintEntry(options);
  detail::open_scope(entry_);
}
printoptions::~printoptions() { detail::end_scope(entry_); }

std::string detail::text_of(const array& a, const print_options& o, const std::string& separator, int prefix, int suffix) {
  check_options(o);
  return to_text(a, o, separator, prefix, suffix);
}

std::string array2string(const array& a, const array2string_options& options) {
  print_options o = get_printoptions();
  o.linewidth = options.max_line_width.value_or(o.linewidth);
  o.precision = options.precision.value_or(o.precision);
  o.suppress = options.suppress_small.value_or(o.suppress);
  o.threshold = options.threshold.value_or(o.threshold);
  o.edgeitems = options.edgeitems.value_or(o.edgeitems);
  o.sign = options.sign.value_or(o.sign);
  if (options.floatmode) o.floatmode = options.floatmode;
  return detail::text_of(a, o, options.separator, static_cast<int>(std::string_view(options.prefix).size()),
                         static_cast<int>(std::string_view(options.suffix).size()));
}

std::string array::str() const {
  if (ndim() == 0) return detail::scalar_text(detail::concrete(get(), "str"));
  return array2string(*this);
}

std::string array::repr() const {
  const print_options o = get_printoptions();
  const std::string prefix = "array(";
  std::string text = prefix + detail::to_text(*this, o, ", ", 6, 1);
  std::string extras;
  const bool one_empty = ndim() == 1;
  if ((size() == 0 && !one_empty) || size() > o.threshold) extras = "shape=" + shape().str();
  const dtype_id t = dtype().id();
  const bool implied = t == dtype_id::int64 || t == dtype_id::float64 || t == dtype_id::complex128 || t == dtype_id::bool_;
  if (!implied || size() == 0) {
    if (!extras.empty()) extras += ", ";
    extras += "dtype=" + std::string(dtype().name());
  }
  if (extras.empty()) return text + ")";
  text += ",";
  extras += ")";
  std::size_t last_line = text.size() - (text.rfind('\n') + 1);
  const bool wraps = static_cast<int>(last_line + extras.size() + 1) > o.linewidth;
  return text + (wraps ? "\n" + std::string(prefix.size(), ' ') : " ") + extras;
}

std::ostream& operator<<(std::ostream& out, const array& a) { return out << a.str(); }
std::ostream& operator<<(std::ostream& out, dtype t) { return out << t.name(); }
std::ostream& operator<<(std::ostream& out, const dims& shape) { return out << shape.str(); }

}  // namespace numjit
