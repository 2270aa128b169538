// The .npy format (versions 1 to 3), read and written.
#include <cstring>

#include <numjit/base/check_interrupt.h>
#include <numjit/base/file.h>
#include <numjit/npy.h>

#include <surface.h>

namespace numjit {

namespace {

constexpr char magic[] = "\x93NUMPY";
constexpr std::size_t magic_size = 6, max_header_size = 10000;

// ---- the header: a Python dict literal ----

struct header {
  std::string descr;
  bool fortran_order = false;
  dims shape;
};

/// Reads {'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }.
class header_reader {
 public:
  header_reader(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  header read() {
    header h;
    bool seen[3] = {};
    expect('{');
    while (!take('}')) {
      std::string key = quoted();
      expect(':');
      if (key == "descr") {
        seen[0] = true;
        if (peek() != '\'' && peek() != '"')
          throw TypeError("load", "structured dtypes are not supported: got " + std::string(text_.substr(at_, 60)) +
                                      ", expected one of the fourteen numeric dtypes.");
        h.descr = quoted();
      } else if (key == "fortran_order") {
        seen[1] = true;
        h.fortran_order = word() == "True";
      } else if (key == "shape") {
        seen[2] = true;
        h.shape = tuple();
      } else {
        fail();
      }
      take(',');
    }
    if (!seen[0] || !seen[1] || !seen[2]) fail();
    return h;
  }

 private:
  [[noreturn]] void fail() const {
    throw ValueError("load", "Cannot parse header: got '" + std::string(text_.substr(0, 80)) + "' in " + name_ + ".");
  }
  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
    if (at_ >= text_.size()) fail();
    return text_[at_];
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail();
  }
  std::string quoted() {
    const char q = peek();
    if (q != '\'' && q != '"') fail();
    std::size_t end = text_.find(q, at_ + 1);
    if (end == std::string_view::npos) fail();
    std::string s(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return s;
  }
  std::string word() {
    peek();
    std::string s;
    while (at_ < text_.size() && std::isalpha(static_cast<unsigned char>(text_[at_]))) s += text_[at_++];
    if (s != "True" && s != "False") fail();
    return s;
  }
  dims tuple() {
    dims shape;
    expect('(');
    while (!take(')')) {
      std::int64_t v = 0;
      int digits = 0;
      for (peek(); at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])); ++digits) {
        if (digits >= 18) fail();
        v = v * 10 + (text_[at_++] - '0');
      }
      if (digits == 0) fail();
      take('L');  // Python 2 wrote long integers so
      take(',');
      shape.push_back(v);
    }
    return shape;
  }

  std::string_view text_;
  std::string name_;
  std::size_t at_ = 0;
};

dtype parse_descr(const std::string& descr, bool& big_endian) {
  big_endian = !descr.empty() && descr[0] == '>';
  std::string little = descr;
  if (big_endian) little[0] = '<';
  for (int i = 0; i < dtype_count; ++i) {
    const std::string_view known = detail::dtype_table[i].descr;
    if (little == known || (known[0] == '|' && little.substr(little.empty() ? 0 : 1) == known.substr(1)))
      return static_cast<dtype_id>(i);
  }
  if (descr.find('O') != std::string::npos)
    throw ValueError("load",
                     "Object arrays cannot be loaded: got descr '" + descr + "', expected one of the fourteen numeric dtypes.");
  throw TypeError("load", "the dtype is not supported: got descr '" + descr +
                              "' (strings, bytes, dates and long double are not), expected one of "
                              "the fourteen numeric dtypes.");
}

void swap_bytes(char* p, std::size_t count, std::size_t width) {
  for (std::size_t i = 0; i < count; ++i, p += width)
    for (std::size_t k = 0; k < width / 2; ++k) std::swap(p[k], p[width - 1 - k]);
}

void check_magic(const char* data, std::size_t size, const std::string& name) {
  if (size == 0) throw ValueError("load", "No data left in file: " + name);
  if (size < magic_size || std::memcmp(data, magic, magic_size) != 0) {
    if (size >= 4 && std::memcmp(data, "PK\x03\x04", 4) == 0)
      throw ValueError("load", "a .npz archive holds several arrays: got " + name +
                                   ", expected a .npy file. Use np::npz_file(path)[\"name\"].");
    throw ValueError("load",
                     "the magic string is not correct: got a file that does not begin with "
                     "\\x93NUMPY, expected a .npy file: " +
                         name);
  }
  if (size < magic_size + 4)
    throw ValueError("load", "EOF: reading array header, got " + std::to_string(size) + " bytes in " + name + ".");
}

/// Where the elements begin, by the first bytes of the file. NumPy's limit holds a header to what arrays need.
std::size_t end_of_header(const char* data, std::size_t size, const std::string& name) {
  check_magic(data, size, name);
  const int major = static_cast<unsigned char>(data[6]);
  if (major < 1 || major > 3)
    throw ValueError("load", "we only support format version (1,0), (2,0), and (3,0), not (" + std::to_string(major) + ", " +
                                 std::to_string(static_cast<unsigned char>(data[7])) + ")");
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  const std::size_t begin = magic_size + 2 + length_bytes;
  if (size < begin)
    throw ValueError("load", "EOF: reading array header length, got " + std::to_string(size) + " bytes in " + name + ".");
  std::size_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i)
    length |= static_cast<std::size_t>(static_cast<unsigned char>(data[8 + i])) << (8 * i);
  if (length > max_header_size)
    throw ValueError("load", "Header info length (" + std::to_string(length) +
                                 ") is large and may not be safe to "
                                 "load securely: expected at most " +
                                 std::to_string(max_header_size) + " bytes in " + name + ".");
  return begin + length;
}

}  // namespace

detail::npy_layout detail::npy_layout_of(const char* data, std::size_t size, const std::string& name) {
  npy_layout l;
  l.begin = end_of_header(data, size, name);
  const std::size_t from = magic_size + 2 + (data[6] == 1 ? 2 : 4);
  if (size < l.begin)
    throw ValueError("load", "EOF: reading array header, expected " + std::to_string(l.begin - from) + " bytes got " +
                                 std::to_string(size - from) + " in " + name + ".");
  const header h = header_reader({data + from, l.begin - from}, name).read();
  l.type = parse_descr(h.descr, l.big_endian);
  l.fortran_order = h.fortran_order;
  l.shape = h.shape;
  l.count = element_count(h.shape);
  if (__builtin_mul_overflow(static_cast<std::size_t>(l.count), l.type.itemsize(), &l.bytes))
    throw ValueError("load",
                     "array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum possible size: "
                     "got shape " +
                         h.shape.str() + " in " + name + ".");
  return l;
}

std::size_t detail::npy_size(const char* data, std::size_t size, const std::string& name) {
  const std::size_t begin = end_of_header(data, size, name);
  if (size < begin) return begin;
  const npy_layout l = npy_layout_of(data, size, name);
  return l.begin + l.bytes;
}

array from_npy_bytes(const char* data, std::size_t size, const std::string& name) {
  const detail::npy_layout l = detail::npy_layout_of(data, size, name);
  const std::size_t have = size - l.begin;
  if (have < l.bytes)
    throw ValueError("load", "cannot reshape array of size " + std::to_string(have / l.type.itemsize()) + " into shape " +
                                 l.shape.str() + ": the file is truncated, got " + std::to_string(have) +
                                 " bytes of data, expected " + std::to_string(l.bytes) + " in " + name + ".");
  dims stored = l.shape;
  if (l.fortran_order)
    for (int i = 0; i < l.shape.size(); ++i) stored[i] = l.shape[l.shape.size() - 1 - i];
  array a = detail::fresh(l.type.id(), stored);
  char* to = a.get()->data;
  detail::in_parts(static_cast<std::int64_t>(l.bytes), 1 << 22, [&](std::int64_t begin, std::int64_t end) {
    std::memcpy(to + begin, data + l.begin + begin, static_cast<std::size_t>(end - begin));
    const std::size_t word = l.type.itemsize() / (l.type.kind() == 'c' ? 2 : 1);
    if (l.big_endian) swap_bytes(to + begin, static_cast<std::size_t>(end - begin) / word, word);
  });
  return l.fortran_order && l.shape.size() > 1 ? transpose(a) : a;
}

detail::npy_parts detail::npy_parts_of(const operand& a) {
  const location_scope scope(a.where());
  const array x = to_array(a);
  concrete(x.get(), "save");
  const bool fortran = x.is_f_contiguous() && !x.is_c_contiguous();
  return {npy_header(x.dtype(), fortran, x.shape()), readable(fortran ? transpose(x) : x, "save")};
}

std::string npy_bytes(const operand& a) {
  auto [bytes, stored] = detail::npy_parts_of(a);
  bytes.append(stored.get()->data, static_cast<std::size_t>(stored.nbytes()));
  return bytes;
}

std::string detail::npy_header(dtype type, bool fortran, const dims& shape) {
  std::string text = "{'descr': '" + std::string(type.descr()) + "', 'fortran_order': " + (fortran ? "True" : "False") +
                     ", 'shape': " + shape.str() + ", }";
  // Padded as NumPy pads: room for the first axis to grow, data aligned to 64 bytes.
  if (!shape.empty()) {
    std::size_t digits = std::to_string(fortran ? shape.back() : shape[0]).size();
    text.append(21 - digits, ' ');
  }
  const std::size_t head = magic_size + 2 + 2;
  text.append(63 - (head + text.size()) % 64, ' ');
  text += '\n';
  std::string bytes(magic, magic_size);
  bytes += '\x01';
  bytes += '\x00';
  bytes += static_cast<char>(text.size() & 0xff);
  bytes += static_cast<char>(text.size() >> 8);
  return bytes + text;
}

array load(const std::string& path) {
  std::string bytes;
  if (const int code = detail::read_file(path, bytes)) throw OSError("load", detail::system_error_text(code, path));
  return from_npy_bytes(bytes.data(), bytes.size(), path);
}

void save(const std::string& path, const operand& a) {
  std::string name = path;
  if (name.size() < 4 || name.compare(name.size() - 4, 4, ".npy") != 0) name += ".npy";
  const std::string bytes = npy_bytes(a);
  if (const int code = detail::replace_file(name, detail::temporary_beside(name), bytes, 0666))
    throw OSError("save", detail::system_error_text(code, name));
}

}  // namespace numjit
