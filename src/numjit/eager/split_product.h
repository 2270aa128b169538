// Products that are worth more than one call of BLAS for each block of the result.
#pragma once

#include <numjit/eager/blas.h>

namespace numjit::eager {

///   a a'           the half below the diagonal is computed and mirrored: exactly symmetric, as NumPy's
///   long sums      a result with few elements, each the sum of many products (x' x, x' y): the sums are cut into parts
///                  that threads share, and the parts are added in their order
///
/// How it is cut follows from the shapes alone: the number of threads changes no bit. False, and nothing done, where one
/// pass of blocks does as well.
bool split_product(dtype_id type, const matrix& a, const matrix& b, const matrix& c);

}  // namespace numjit::eager
