// The math vocabulary: every function that an op row's eval may use, for scalars, complex and hx.
#pragma once

#include <numjit/ops/math/arithmetic.h>
#include <numjit/ops/math/cast.h>
#include <numjit/ops/math/compare.h>
#include <numjit/ops/math/complex_math.h>
#include <numjit/ops/math/exp.h>
#include <numjit/ops/math/hyperbolic.h>
#include <numjit/ops/math/integer.h>
#include <numjit/ops/math/inverse_trig.h>
#include <numjit/ops/math/log.h>
#include <numjit/ops/math/pow.h>
#include <numjit/ops/math/round.h>
#include <numjit/ops/math/special.h>
#include <numjit/ops/math/trig.h>
