// Programs of docs/programs, some in one translation unit so that the headers are read once.
#include "../../docs/programs/poisson_fft.cpp"
#include "../../docs/programs/poisson_jacobi.cpp"
#include "../../docs/programs/qr_householder.cpp"
#include "../../docs/programs/sandpile.cpp"
#include "../../docs/programs/schrodinger.cpp"
#include "../../docs/programs/shallow_water.cpp"
#include "../../docs/programs/sieve.cpp"

#include "table.h"

namespace {

NUMJIT_PORTED(poisson_fft);
NUMJIT_PORTED(poisson_jacobi);
NUMJIT_PORTED(qr_householder);
NUMJIT_PORTED(sandpile);
NUMJIT_PORTED(schrodinger);
NUMJIT_PORTED(shallow_water);
NUMJIT_PORTED(sieve);

}  // namespace
