// Tables of numbers in text: loadtxt, genfromtxt, savetxt, fromstring.
#include <cctype>
#include <cerrno>
#include <charconv>
#include <complex>
#include <cstdio>
#include <cstring>
#include <optional>

#include <numjit/base/file.h>

#include <surface.h>

namespace numjit {

namespace {

using words = std::vector<std::string_view>;

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
std::string_view trimmed(std::string_view s) {
  while (!s.empty() && is_space(s.front())) s.remove_prefix(1);
  while (!s.empty() && is_space(s.back())) s.remove_suffix(1);
  return s;
}

std::string read_text(const char* op, const std::string& path) {
  std::string text;
  const int code = detail::read_file(path, text);
  if (code == ENOENT) throw OSError(op, path + " not found.");  // NumPy's own words
  if (code != 0) throw OSError(op, detail::system_error_text(code, path));
  return text;
}

/// The next line of `text`, which gets shorter; any of \n, \r\n, \r ends one.
std::string_view next_line(std::string_view& text) {
  const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
  const std::string_view line = text.substr(0, end);
  const std::size_t skip = end < text.size() && text[end] == '\r' && text.substr(end + 1, 1) == "\n" ? 2 : 1;
  text.remove_prefix(std::min(end + skip, text.size()));
  return line;
}

/// The words between delimiters; without one, or with an empty one, between white space.
words split_words(std::string_view line, const char* delimiter) {
  words result;
  if (!delimiter || !*delimiter) {
    for (line = trimmed(line); !line.empty(); line = trimmed(line)) {
      std::size_t n = 0;
      while (n < line.size() && !is_space(line[n])) ++n;
      result.push_back(line.substr(0, n));
      line.remove_prefix(n);
    }
    return result;
  }
  const std::size_t width = std::strlen(delimiter);
  for (;;) {
    const std::size_t end = line.find(delimiter);
    result.push_back(trimmed(line.substr(0, end)));
    if (end == line.npos) return result;
    line.remove_prefix(end + width);
  }
}

// ---- numbers ----

std::optional<double> to_double(std::string_view s) {
  s = trimmed(s);
  const bool plus = s.starts_with('+');
  if (plus) s.remove_prefix(1);
  if (s.empty() || (plus && s.starts_with('-'))) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value);
  if (end != s.data() + s.size()) return std::nullopt;
  // from_chars tells that a value is too large or small, not which: strtod does.
  if (error == std::errc::result_out_of_range) return std::strtod(std::string(s).c_str(), nullptr);
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

/// 1.5, 2j, 1+2j, (1-2j).
std::optional<std::complex<double>> to_complex(std::string_view s) {
  s = trimmed(s);
  if (s.starts_with('(') && s.ends_with(')')) s = trimmed(s.substr(1, s.size() - 2));
  if (!s.ends_with('j') && !s.ends_with('J')) {
    const auto real = to_double(s);
    return real ? std::optional<std::complex<double>>(*real) : std::nullopt;
  }
  s.remove_suffix(1);
  std::size_t sign = s.size();
  while (sign-- > 1)
    if ((s[sign] == '+' || s[sign] == '-') && s[sign - 1] != 'e' && s[sign - 1] != 'E') break;
  if (sign == 0 || sign > s.size()) {
    const auto imag = to_double(s);
    return imag ? std::optional<std::complex<double>>({0, *imag}) : std::nullopt;
  }
  const auto real = to_double(s.substr(0, sign)), imag = to_double(s.substr(sign));
  if (!real || !imag) return std::nullopt;
  return std::complex<double>(*real, *imag);
}

template <class T>
std::optional<T> to_integer(std::string_view s) {
  s = trimmed(s);
  if (s.starts_with('+')) s.remove_prefix(1);
  T value{};
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value);
  if (error != std::errc() || end != s.data() + s.size()) return std::nullopt;
  return value;
}

/// Appends a word as an element; false if it is none.
bool append(std::string_view word, dtype_id type, std::string& bytes) {
  auto put = [&](const auto& v) {
    bytes.append(reinterpret_cast<const char*>(&v), sizeof v);
    return true;
  };
  return visit_dtype(type, [&]<class T>() -> bool {
    if constexpr (std::is_same_v<T, bool>) {
      const auto v = to_integer<std::int64_t>(word);
      return v && put(*v != 0);
    } else if constexpr (std::is_integral_v<T>) {
      const auto v = to_integer<T>(word);
      return v && put(*v);
    } else if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, half>) {
      const auto v = to_double(word);
      return v && put(static_cast<T>(*v));
    } else {
      const auto v = to_complex(word);
      using part = decltype(T{}.re);
      return v && put(T{static_cast<part>(v->real()), static_cast<part>(v->imag())});
    }
  });
}

// ---- tables ----

struct table {
  std::string bytes;
  std::int64_t rows = 0, columns = -1;
};

array array_of(const char* op, const table& t, numjit::dtype type, bool unpack, int ndmin) {
  const std::int64_t columns = std::max<std::int64_t>(t.columns, 0);
  const array flat = frombuffer(t.bytes, type);
  array a = reshape(flat, {t.rows, t.rows == 0 ? std::int64_t{0} : columns});
  if (ndmin < 0 || ndmin > 2) throw ValueError(op, "Illegal value of ndmin keyword: " + std::to_string(ndmin));
  if (t.rows == 0)
    a = zeros(ndmin == 2 ? dims{0, 1} : dims{0}, type);
  else if (ndmin < 2 && columns == 1)
    a = reshape(a, {t.rows});
  else if (ndmin < 2 && t.rows == 1)
    a = reshape(a, {columns});
  if (ndmin == 0 && a.size() == 1) a = reshape(a, dims{});
  return unpack ? a.transpose() : a;
}

std::string_view without_comment(std::string_view line, const char* comments) {
  return comments && *comments ? line.substr(0, line.find(comments)) : line;
}

/// The wanted columns of a row's words.
words columns_of(const char* op, const words& all, const std::vector<std::int64_t>& usecols, std::int64_t row) {
  if (usecols.empty()) return all;
  words chosen;
  const auto n = static_cast<std::int64_t>(all.size());
  for (std::int64_t c : usecols) {
    if (c < -n || c >= n)
      throw ValueError(op, "invalid column index " + std::to_string(c) + " at row " + std::to_string(row + 1) + " with " +
                               std::to_string(n) + " columns");
    chosen.push_back(all[static_cast<std::size_t>(c < 0 ? c + n : c)]);
  }
  return chosen;
}

}  // namespace

array loadtxt_string(std::string_view text, const loadtxt_options& o) {
  if (o.delimiter && !*o.delimiter)
    throw TypeError("loadtxt", "Text reading control character must be a single unicode character or None; but got: ''");
  table t;
  for (std::int64_t i = 0; i < o.skiprows && !text.empty(); ++i) next_line(text);
  while (!text.empty() && t.rows != o.max_rows) {
    const std::string_view line = without_comment(next_line(text), o.comments);
    if (trimmed(line).empty()) continue;
    const words row = columns_of("loadtxt", split_words(line, o.delimiter), o.usecols, t.rows);
    const auto n = static_cast<std::int64_t>(row.size());
    if (t.columns >= 0 && n != t.columns)
      throw ValueError("loadtxt", "the number of columns changed from " + std::to_string(t.columns) + " to " + std::to_string(n) +
                                      " at row " + std::to_string(t.rows + 1) +
                                      "; use `usecols` to select a subset and avoid this error");
    t.columns = n;
    for (std::int64_t c = 0; c < n; ++c)
      if (!append(row[static_cast<std::size_t>(c)], o.dtype.id(), t.bytes))
        throw ValueError("loadtxt", "could not convert string '" + std::string(row[static_cast<std::size_t>(c)]) + "' to " +
                                        std::string(o.dtype.name()) + " at row " + std::to_string(t.rows) + ", column " +
                                        std::to_string(c + 1) + ".");
    ++t.rows;
  }
  return array_of("loadtxt", t, o.dtype, o.unpack, o.ndmin);
}
array loadtxt(const std::string& path, const loadtxt_options& options) {
  return loadtxt_string(read_text("loadtxt", path), options);
}

array genfromtxt_string(std::string_view text, const genfromtxt_options& o) {
  table t;
  std::vector<words> rows;
  for (std::int64_t i = 0; i < o.skip_header && !text.empty(); ++i) next_line(text);
  while (!text.empty() && static_cast<std::int64_t>(rows.size()) != o.max_rows) {
    const std::string_view line = without_comment(next_line(text), o.comments);
    if (!trimmed(line).empty()) rows.push_back(split_words(line, o.delimiter));
  }
  if (o.skip_footer > 0) rows.resize(rows.size() - std::min(rows.size(), static_cast<std::size_t>(o.skip_footer)));
  const std::string missing = array(o.filling_values).str();
  for (const words& all : rows) {
    const words row = columns_of("genfromtxt", all, o.usecols, t.rows);
    const auto n = static_cast<std::int64_t>(row.size());
    if (t.columns >= 0 && n != t.columns)
      throw ValueError("genfromtxt", "Some errors were detected !\n    Line #" + std::to_string(t.rows + 1 + o.skip_header) +
                                         " (got " + std::to_string(n) + " columns instead of " + std::to_string(t.columns) + ")");
    t.columns = n;
    for (std::string_view word : row)
      if (!append(word, o.dtype.id(), t.bytes) && !append(missing, o.dtype.id(), t.bytes))
        append("-1", o.dtype.id(), t.bytes);  // an integer that no NaN can stand for, as in NumPy
    ++t.rows;
  }
  return array_of("genfromtxt", t, o.dtype, o.unpack, 0);
}
array genfromtxt(const std::string& path, const genfromtxt_options& options) {
  return genfromtxt_string(read_text("genfromtxt", path), options);
}

array fromstring(std::string_view text, numjit::dtype type, std::int64_t count, const char* sep) {
  if (!*sep) throw ValueError("fromstring", "The binary mode of fromstring is removed, use frombuffer instead");
  const bool blank = trimmed(sep).empty();
  table t;
  for (std::string_view word : split_words(trimmed(text), blank ? nullptr : sep)) {
    if (t.rows == count) break;
    if (!append(word, type.id(), t.bytes))
      throw ValueError("fromstring", "string or file could not be read to its end due to unmatched data");
    ++t.rows;
  }
  return frombuffer(t.bytes, type);
}

// ---- writing ----

namespace {

/// A printf format with one conversion of a number, checked, since a wrong one is undefined.
struct number_format {
  explicit number_format(const char* fmt) {
    const std::string_view f = fmt;
    int found = 0;
    for (std::size_t i = f.find('%'); i < f.size(); i = f.find('%', i)) {
      if (f.substr(i, 2) == "%%") {
        i += 2;
        continue;
      }
      const std::size_t end = conversion(f, i + 1);
      integer = end < f.size() && std::strchr("diuxXo", f[end]);
      if (end >= f.size() || !(integer || std::strchr("eEfFgG", f[end])) || ++found > 1) {
        found = 0;
        break;
      }
      text = std::string(f.substr(0, end)) + (integer ? "ll" : "") + std::string(f.substr(end));
      i = end;
    }
    if (found != 1)
      throw ValueError(
          "savetxt", "invalid fmt: got '" + std::string(fmt) + "', expected one conversion of a number, as in '%.18e' or '%d'.");
  }
  /// Where the letter of a conversion stands: behind flags, width and precision, of at most four digits each.
  static std::size_t conversion(std::string_view f, std::size_t i) {
    auto digits = [&] {
      for (int n = 0; n < 4 && i < f.size() && f[i] >= '0' && f[i] <= '9'; ++n) ++i;
    };
    while (i < f.size() && std::strchr("-+ #0", f[i])) ++i;
    digits();
    if (i < f.size() && f[i] == '.') {
      ++i;
      digits();
    }
    return i;
  }
  std::string operator()(const detail::element_value& v) const {
    const double real = v.kind == 'f' ? v.re : v.kind == 'u' ? static_cast<double>(v.u) : static_cast<double>(v.i);
    const long long whole = v.kind == 'f' ? static_cast<long long>(v.re) : v.kind == 'u' ? static_cast<long long>(v.u) : v.i;
    auto print = [&](char* to, std::size_t size) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
      return integer ? std::snprintf(to, size, text.c_str(), whole) : std::snprintf(to, size, text.c_str(), real);
#pragma GCC diagnostic pop
    };
    char buffer[512];
    const auto n = static_cast<std::size_t>(std::max(print(buffer, sizeof buffer), 0));
    if (n < sizeof buffer) return {buffer, n};
    std::string wide(n, ' ');
    print(wide.data(), n + 1);
    return wide;
  }
  std::string text;
  bool integer = false;
};

std::string complex_text(const detail::element_value& v, const std::string& fmt) {
  detail::element_value re{'f', 0, 0, v.re, 0}, im{'f', 0, 0, v.im, 0};
  std::string with_sign = fmt;
  with_sign.insert(with_sign.find('%') + 1, "+");
  return " (" + number_format(fmt.c_str())(re) + number_format(with_sign.c_str())(im) + "j)";
}

std::string commented(std::string_view text, const savetxt_options& o) {
  if (text.empty()) return "";
  std::string result = o.comments;
  for (char c : text) {
    result += c;
    if (c == '\n') result += o.comments;
  }
  return result + o.newline;
}

}  // namespace

std::string savetxt_string(const operand& a, const savetxt_options& o) {
  const array x = detail::readable(a, "savetxt");
  if (x.ndim() == 0 || x.ndim() > 2)
    throw ValueError("savetxt", "Expected 1D or 2D array, got " + std::to_string(x.ndim()) + "D array instead");
  const number_format format(o.fmt);
  const std::int64_t columns = x.ndim() == 2 ? x.shape(1) : 1;
  std::string text = commented(o.header, o);
  for (std::int64_t i = 0; i < x.size(); ++i) {
    const detail::element_value v = detail::flat_element(x, i, a.where());
    text += v.kind == 'c' ? complex_text(v, o.fmt) : format(v);
    text += (i + 1) % columns == 0 ? o.newline : o.delimiter;
  }
  return text + commented(o.footer, o);
}

void savetxt(const std::string& path, const operand& a, const savetxt_options& options) {
  const std::string text = savetxt_string(a, options);
  if (const int code = detail::replace_file(path, detail::temporary_beside(path), text, 0666))
    throw OSError("savetxt", detail::system_error_text(code, path));
}

}  // namespace numjit
