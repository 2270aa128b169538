// What tests of bundles share: files that go with the test, arrays without a pattern, comparison by bits.
#pragma once

#include <filesystem>
#include <string>

#include <unistd.h>

#include <numjit/array/same_bits.h>
#include <numjit/np.h>
#include <numjit/runtime/bundle/bundle.h>
#include <support/trace_values.h>

namespace numjit::testing {

namespace np = numjit;

/// A path for a bundle, in a folder that goes with the test.
class BundleFile {
 public:
  BundleFile() {
    char name[] = "/tmp/numjit-export-XXXXXX";
    folder_ = mkdtemp(name);
    path = folder_ + "/f.npj";
  }
  ~BundleFile() { std::filesystem::remove_all(folder_); }
  std::string path;

 private:
  std::string folder_;
};

/// Writes other text into a bundle's sections, checksum and all; false if there is no such text.
inline bool replace_in_bundle(const std::string& path, const std::string& from, const std::string& to) {
  numjit::runtime::Bundle bundle = numjit::runtime::read_bundle(path);
  bool changed = false;
  for (auto& section : bundle.sections) {
    std::string text(section.bytes.begin(), section.bytes.end());
    for (std::size_t at; (at = text.find(from)) != std::string::npos; changed = true) text.replace(at, from.size(), to);
    section.bytes.assign(text.begin(), text.end());
  }
  numjit::runtime::write_bundle(bundle);
  return changed;
}

inline bool same_bits(const np::array& a, const np::array& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() &&
         !numjit::detail::first_difference(a.get(), b.get());
}

/// Kernels where this build can make them.
inline np::export_options with_kernels() {
  np::export_options options;
  if (!std::filesystem::exists(NUMJIT_TEST_BUILD_DIR "/lib/numjit_halide.so")) options.targets.clear();
  return options;
}

/// Elements with no simple pattern: sin(k * 12.9898) * 43758.5453 and so on.
inline np::array noise(std::int64_t n) { return np::sin(ramp(n) * 12.9898) * 3.5; }

/// The caller's file and a line of it, as errors show them.
inline std::string at_line(int line, const char* file = __builtin_FILE()) {
  return std::string(file) + ":" + std::to_string(line);
}

}  // namespace numjit::testing
