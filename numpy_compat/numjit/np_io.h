// Files and text: .npy, .npz, text tables, raw memory; array2string, print options.
#pragma once

#include <concepts>
#include <iosfwd>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <numjit/np_creation.h>

namespace numjit {

/// Reads a .npy file (format 1 to 3) of one of the fourteen dtypes.
/// Errors: OSError (missing file), ValueError (no .npy file, damaged or truncated), TypeError (a dtype
/// that is not supported: objects, strings, structured, big-endian is converted).
array load(const std::string& path);
/// Writes a .npy file; ".npy" is appended to a name without it, as NumPy does.
void save(const std::string& path, const operand& a);
/// The bytes of a .npy file, and back.
std::string npy_bytes(const operand& a);
array from_npy_bytes(const char* data, std::size_t size, const std::string& name);

/// The arrays of a .npz file by name, in the order of the file.
class npz_file {
 public:
  /// Errors: OSError (missing file), ValueError (no zip archive, or a damaged one), as load() for its members.
  explicit npz_file(const std::string& path);
  std::vector<std::string> files() const;
  bool contains(const std::string& name) const;
  /// ValueError for a name that is not in the file: "x is not a file in the archive".
  array operator[](const std::string& name) const;

 private:
  std::string path_;
  std::vector<std::string> names_;
  std::vector<array> arrays_;
};
using named_arrays = std::vector<std::pair<std::string, array>>;
/// Writes a .npz file, by atomic rename; ".npz" is appended to a name without it.
///   np::savez("state.npz", {{"u", u}, {"v", v}});  np::npz_file("state.npz")["u"]
void savez(const std::string& path, const named_arrays& arrays);
void savez_compressed(const std::string& path, const named_arrays& arrays);

struct savetxt_options {
  const char* fmt = "%.18e";       // one printf conversion of a number; complex: " (%.18e%+.18ej)"
  const char* delimiter = " ";
  const char* newline = "\n";
  const char* header = "";
  const char* footer = "";
  const char* comments = "# ";     // before header and footer
};
/// Writes a vector as a column, a matrix as rows of text. ValueError: "Expected 1D or 2D array, got 3D array instead".
void savetxt(const std::string& path, const operand& a, const savetxt_options& options = {});
std::string savetxt_string(const operand& a, const savetxt_options& options = {});

struct loadtxt_options {
  numjit::dtype dtype = float64;
  const char* comments = "#";
  const char* delimiter = nullptr;  // white space
  std::int64_t skiprows = 0;
  std::vector<std::int64_t> usecols{};
  bool unpack = false;
  int ndmin = 0;
  std::int64_t max_rows = -1;
};
/// Reads a table of numbers: rows of equal length, the text after `comments` and empty lines left out.
/// Errors: OSError; ValueError: "could not convert string 'x' to float64 at row 0, column 2.", "the number of columns changed
/// ...".
array loadtxt(const std::string& path, const loadtxt_options& options = {});
array loadtxt_string(std::string_view text, const loadtxt_options& options = {});

struct genfromtxt_options {
  numjit::dtype dtype = float64;
  const char* comments = "#";
  const char* delimiter = nullptr;
  std::int64_t skip_header = 0, skip_footer = 0;
  std::vector<std::int64_t> usecols{};
  double filling_values = std::numeric_limits<double>::quiet_NaN();  // of what is missing or no number
  bool unpack = false;
  std::int64_t max_rows = -1;
};
/// The same for tables with holes.
array genfromtxt(const std::string& path, const genfromtxt_options& options = {});
array genfromtxt_string(std::string_view text, const genfromtxt_options& options = {});

/// Elements in C order as bytes, and arrays of bytes (copied; native order).
std::string tobytes(const operand& a);
array frombuffer(std::string_view bytes, numjit::dtype type = float64, std::int64_t count = -1, std::int64_t offset = 0);
/// The same in files. ValueError: "buffer size must be a multiple of element size", ...
void tofile(const operand& a, const std::string& path);
array fromfile(const std::string& path, numjit::dtype type = float64, std::int64_t count = -1, std::int64_t offset = 0);
/// Numbers of a text, between separators.
array fromstring(std::string_view text, numjit::dtype type = float64, std::int64_t count = -1, const char* sep = " ");

struct print_options {
  int precision = 8;
  int threshold = 1000;
  int edgeitems = 3;
  int linewidth = 75;
  bool suppress = false;
  const char* nanstr = "nan";
  const char* infstr = "inf";
  char sign = '-';                     // '+' or ' ': before what is not negative, too
  const char* floatmode = "maxprec";   // or "fixed", "unique", "maxprec_equal"
};
/// What np::memmap opens, and how.
struct memmap_options {
  numjit::dtype dtype = uint8;
  const char* mode = "r+";            // "r": read only, "r+": stores change the file, "w+": made anew, "c": stores stay here
  std::int64_t offset = 0;            // bytes before the first element
  std::optional<dims> shape{};        // by default a vector of all there is
};
/// An array over a file in memory: pages are read when their elements are, and what is stored goes to the file, at the
/// latest when the last array on it goes or np::flush_file is called.
///   np::array x = np::memmap("x.bin", {.dtype = np::float64, .mode = "r", .shape = np::dims{1000, 3}});
/// Errors: OSError; ValueError: "mmap length is greater than file size", "shape must be given if mode == 'w+'", a mode
/// that is none of these.
array memmap(const std::string& path, const memmap_options& options = {});
/// The same for a .npy file, as np.load with mmap_mode ("r", "r+" or "c").
array load(const std::string& path, const char* mmap_mode);
/// Writes what was stored in a mapped array to its file. ValueError for an array that is not mapped.
void flush_file(const array& mapped);

namespace detail {
class PrintEntry;
std::string text_of(const array& a, const print_options& o, const std::string& separator, int prefix, int suffix);
}  // namespace detail
/// Print options of str, repr and <<, process-wide, or those of the innermost np::printoptions of this thread. ValueError: a
/// `sign` or `floatmode` that is none of these.
///   np::array2string(np::array{0.5, 1.25}, {.precision = 3, .floatmode = "fixed"})  ->  [0.500 1.250]
print_options get_printoptions();
void set_printoptions(const print_options& options);
/// Text of an array as NumPy prints it, without "array(...)".
template <std::same_as<print_options> Options>
std::string array2string(const array& a, const Options& options) {
  return detail::text_of(a, options, " ", 0, 0);
}
/// What is left out is as np::set_printoptions says. separator: between elements; prefix, suffix: texts that shall stand
/// before and behind, which lines leave room for.
///   np::array2string(np::array{1, 2, 3}, {.separator = ","})  ->  [1,2,3]
struct array2string_options {
  std::optional<int> max_line_width{}, precision{};
  std::optional<bool> suppress_small{};
  const char* separator = " ";
  const char* prefix = "";
  std::optional<int> threshold{}, edgeitems{};
  std::optional<char> sign{};
  const char* floatmode = nullptr;
  const char* suffix = "";
};
std::string array2string(const array& a, const array2string_options& options = {});
/// Print options of this thread until the end of the scope: np.printoptions. Of open scopes the one opened last holds, and they
/// may end in any order (see config_scope); np::set_printoptions inside of one holds until it ends.
///   np::printoptions scope({.precision = 3});
class [[nodiscard]] printoptions {
 public:
  explicit printoptions(const print_options& options);
  ~printoptions();
  printoptions(const printoptions&) = delete;
  printoptions& operator=(const printoptions&) = delete;

 private:
  detail::PrintEntry* entry_;
};
/// a.str() and a.repr().
std::string array_str(const array& a);
std::string array_repr(const array& a);

/// Options of np::format_float_positional and format_float_scientific: as many digits as make the value unique, at most
/// `precision` after the point (-1: all of them) and at least `min_digits`; trim: 'k' keeps zeros at the end, '.' and
/// '0' none or one behind the point, '-' not the point either.
struct format_float_options {
  int precision = -1;
  char trim = 'k';
  bool sign = false;
  int pad_left = 0, pad_right = 0;  // characters before the point, and behind it (positional)
  int exp_digits = 2;               // (scientific)
  int min_digits = 0;
};
///   np::format_float_positional(1e-5)  ->  "0.00001";  np::format_float_scientific(12.5f)  ->  "1.25e+01"
std::string format_float_positional(double x, const format_float_options& options = {});
std::string format_float_positional(float x, const format_float_options& options = {});
std::string format_float_scientific(double x, const format_float_options& options = {});
std::string format_float_scientific(float x, const format_float_options& options = {});
/// Digits in a base from 2 to 36. ValueError: "Bases greater than 36 not handled in base_repr."
std::string base_repr(std::int64_t number, int base = 2, int padding = 0);
/// Binary digits; negative numbers as two's complement if a width is given. ValueError: "Insufficient bit width=2 provided
/// for binwidth=3".
std::string binary_repr(std::int64_t number, std::optional<int> width = {});

std::ostream& operator<<(std::ostream& out, const array& a);
std::ostream& operator<<(std::ostream& out, dtype t);
std::ostream& operator<<(std::ostream& out, const dims& shape);

}  // namespace numjit
