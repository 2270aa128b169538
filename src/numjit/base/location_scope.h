// The place in user code that all operations of a scope report.
#pragma once

#include <numjit/base/location.h>
#include <numjit/base/thread_context.h>

namespace numjit {

namespace detail {
/// The place that operations of this thread report, or where there is none the operation's own.
inline const location& scoped_location(const location& own) {
  const location* const of_scope = own_context.scope_location;
  return of_scope ? *of_scope : own;
}

/// Sets that place, or none, while this lives.
class location_override {
 public:
  explicit location_override(const location* where) : outer_(own_context.scope_location) { own_context.scope_location = where; }
  ~location_override() { own_context.scope_location = outer_; }
  location_override(const location_override&) = delete;
  location_override& operator=(const location_override&) = delete;

 private:
  const location* outer_;
};
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
class location_scope : detail::location_override {
 public:
  explicit location_scope(const location& where) : location_override(&detail::scoped_location(where)) {}
  explicit location_scope(location&&) = delete;
};

/// Around a call of the user's own code from such a function: its operations report their own lines.
class user_code_scope : detail::location_override {
 public:
  user_code_scope() : location_override(nullptr) {}
};
#endif

}  // namespace numjit
