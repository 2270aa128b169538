// .npy files and text: load, save, array2string, print options.
#pragma once

#include <iosfwd>
#include <string>

#include <numjit/np_options.h>

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

struct print_options {
  int precision = 8;
  int threshold = 1000;
  int edgeitems = 3;
  int linewidth = 75;
  bool suppress = false;
  const char* nanstr = "nan";
  const char* infstr = "inf";
};
/// Process-wide print options of str, repr and <<.
print_options get_printoptions();
void set_printoptions(const print_options& options);
/// Text of an array as NumPy prints it, without "array(...)".
std::string array2string(const array& a, const print_options& options);
std::string array2string(const array& a);

std::ostream& operator<<(std::ostream& out, const array& a);
std::ostream& operator<<(std::ostream& out, dtype t);
std::ostream& operator<<(std::ostream& out, const dims& shape);

}  // namespace numjit
