// Programs of docs/programs, some in one translation unit so that the headers are read once.
#include "../../docs/programs/kmeans.cpp"
#include "../../docs/programs/life.cpp"
#include "../../docs/programs/lu.cpp"
#include "../../docs/programs/mandelbrot.cpp"
#include "../../docs/programs/nbody.cpp"
#include "../../docs/programs/poisson_jacobi.cpp"

#include "table.h"

namespace {

NUMJIT_PORTED(kmeans);
NUMJIT_PORTED(life);
NUMJIT_PORTED(lu);
NUMJIT_PORTED(mandelbrot);
NUMJIT_PORTED(nbody);
NUMJIT_PORTED(poisson_jacobi);

}  // namespace
