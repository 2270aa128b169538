// The place in user code that all operations of a scope report.
#pragma once

#include <numjit/base/location.h>

namespace numjit {

namespace detail {
/// The place of the outermost location_scope of this thread; null: each operation has its own.
inline constinit thread_local const location* scope_location [[gnu::tls_model("initial-exec")]] = nullptr;
}  // namespace detail

/// A function made of other operations opens one at its beginning, so that they report the line of the user's call and not
/// those of the library. The outermost one counts. `where` has to outlive it, as a parameter of the function does.
///
///   array sinc(const operand& a) {
///     const location_scope scope(a.where());
///     const array x = pi * asarray(a);
///     return where(x == 0, 1.0, sin(x) / x);
///   }
#ifdef __EMSCRIPTEN__  // a scope in each function would be 2% of a page's module: those of pages open one for the whole call
class location_scope {
 public:
  explicit location_scope(const location&) {}
};
class user_code_scope {
 public:
  user_code_scope() {}
};
#else
class location_scope {
 public:
  explicit location_scope(const location& where) : outer_(detail::scope_location) {
    if (!outer_) detail::scope_location = &where;
  }
  explicit location_scope(location&&) = delete;
  ~location_scope() { detail::scope_location = outer_; }
  location_scope(const location_scope&) = delete;
  location_scope& operator=(const location_scope&) = delete;

 protected:
  struct none {};
  explicit location_scope(none) : outer_(detail::scope_location) { detail::scope_location = nullptr; }

 private:
  const location* outer_;
};

/// Around a call of the user's own code from such a function: its operations report their own lines.
class user_code_scope : location_scope {
 public:
  user_code_scope() : location_scope(none{}) {}
};
#endif

}  // namespace numjit
