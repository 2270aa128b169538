// Programs of docs/programs, some in one translation unit so that the headers are read once.
#include "../../docs/programs/pca.cpp"
#include "../../docs/programs/perlin_noise.cpp"
#include "../../docs/programs/poisson_fft.cpp"
#include "../../docs/programs/poisson_jacobi.cpp"
#include "../../docs/programs/qr_householder.cpp"
#include "../../docs/programs/ray_tracer.cpp"
#include "../../docs/programs/sandpile.cpp"
#include "../../docs/programs/schrodinger.cpp"

#include "table.h"

namespace {

NUMJIT_PORTED(pca);
NUMJIT_PORTED(perlin_noise);
NUMJIT_PORTED(poisson_fft);
NUMJIT_PORTED(poisson_jacobi);
NUMJIT_PORTED(qr_householder);
NUMJIT_PORTED(ray_tracer);
NUMJIT_PORTED(sandpile);
NUMJIT_PORTED(schrodinger);

}  // namespace
