// Making and reading inputs of the fuzzed readers.
#pragma once

#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bad_input {

/// A file that is written over and over, in memory where the system has such a folder, and goes with the test.
class Scratch {
 public:
  explicit Scratch(const std::string& suffix);
  Scratch(const Scratch&) = delete;
  ~Scratch();
  const std::string& path() const { return path_; }
  void write(std::string_view bytes) const;
  std::string read() const;

 private:
  std::string path_;
};

/// Indexes an array as the bytes say: integers, slices, whole axes, new axes, ellipses, index arrays, masks; reads
/// the result and stores to it.
void read_indices(const std::string& bytes);

/// A bundle's bytes with the checksums that its sections should have, so that reading goes on behind them.
std::string with_checksums(std::string bytes);
/// The bytes of a section, and the bundle with others in their place.
std::string section_of(const std::string& bundle, std::string_view name);
std::string with_section(const std::string& bundle, std::string_view name, std::string_view content);
inline std::string with_program(const std::string& bundle, std::string_view program) {
  return with_section(bundle, "program", program);
}
/// Pieces of programs.
std::vector<std::string> program_words();

/// A JSON text with one value changed, taken away, or put in another place; text that is no JSON as it is.
std::string changed_json(const std::string& text, std::mt19937_64& random);

/// A compressed archive of members by name, whatever their content.
void write_zip(const std::string& path, const std::vector<std::pair<std::string, std::string>>& members);
/// The archive's directory with its one member listed `count` times under other names.
std::string overlapping_members(const std::string& archive, int count);

/// Printable: other bytes as \x00.
std::string shown(std::string_view bytes);

}  // namespace bad_input
