// Floating-point errors that code outside of the core finds, beside those that errstate looks for in results.
#pragma once

#include <cstdint>
#include <string_view>

namespace numjit::tracing {

enum class FloatErrorKind : std::uint8_t { divide, over, under, invalid };

/// Reacts to an error as this thread's errstates say: ignores it, warns, or throws FloatingPointError. `where`: what comes
/// behind "encountered in".
void report_float_error(FloatErrorKind kind, std::string_view op, std::string_view where);

/// While it lives operations are those of scalars, and the texts of errors say so.
class [[nodiscard]] ScalarsAtWork {
 public:
  ScalarsAtWork();
  ~ScalarsAtWork();
  ScalarsAtWork(const ScalarsAtWork&) = delete;
  ScalarsAtWork& operator=(const ScalarsAtWork&) = delete;

 private:
  bool before_;
};

}  // namespace numjit::tracing
