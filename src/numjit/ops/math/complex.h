// Complex arithmetic of the math vocabulary. The element type itself (struct numjit::complex) lives
// in array/complex.h, because array/ may not include ops/.
#pragma once

#include <numjit/array/complex.h>
