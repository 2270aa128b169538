// A function that another one is made of.
#pragma once

namespace numjit::detail {

/// May be called where what keeps it is constant, as the function in a std::function may.
template <class F>
struct Kept {
  mutable F fn;
};
template <class F>
Kept(F) -> Kept<F>;

}  // namespace numjit::detail
