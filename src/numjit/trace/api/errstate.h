// np::errstate: what happens when floating-point arithmetic meets a pole, an overflow or a NaN.
#pragma once

#include <string_view>

#include <numjit/base/config.h>
#include <numjit/ops/bind.h>
#include <numjit/trace/api/region.h>

namespace numjit {

/// Settings of np::errstate, in NumPy's names: "ignore", "warn" or "raise"; "" leaves what is set.
struct errstate_options {
  std::string_view all{};
  std::string_view divide{};
  std::string_view over{};
  std::string_view under{};
  std::string_view invalid{};
};

namespace tracing {

class ErrstateEntry;

/// What the errstates that are open on this thread say together.
FloatErrors float_errors_now();

/// Runs ops eagerly and looks at what came out. The check goes by values, not by flags of the
/// processor, so that it is the same for every vector width and thread count.
class FloatErrorChecker final : public interpreter {
 public:
  array apply(const op_call& call) override;
};

}  // namespace tracing

/// Reacts to floating-point errors on this thread until the scope ends, as np.errstate. By default all
/// are ignored (NumPy: warn), eagerly and compiled alike. "warn" writes "RuntimeWarning: divide by zero
/// encountered in divide" to the log sink, "raise" throws FloatingPointError with that text. While
/// anything but "ignore" is set, compiled functions run eagerly; opened inside of one, the scope ends
/// its segment. Scopes may end in any order (see config_scope): what one sets holds over what those opened before it set.
/// Errors: ValueError for another setting.
///   np::errstate scope({.divide = "raise"});
///   np::ones(2) / 0.0;   // FloatingPointError: [divide] divide by zero encountered in divide
class [[nodiscard]] errstate {
 public:
  explicit errstate(errstate_options options, location where = location::here());
  ~errstate();
  errstate(const errstate&) = delete;
  errstate& operator=(const errstate&) = delete;

 private:
  tracing::ErrstateEntry* entry_;
};

}  // namespace numjit
