// Programs of docs/programs, some in one translation unit so that the headers are read once.
#include "../../docs/programs/fft_by_hand.cpp"
#include "../../docs/programs/floyd_warshall.cpp"
#include "../../docs/programs/gaussian_mixture.cpp"
#include "../../docs/programs/gaussian_process.cpp"
#include "../../docs/programs/gray_scott.cpp"
#include "../../docs/programs/heat_implicit.cpp"
#include "../../docs/programs/image_filters.cpp"
#include "../../docs/programs/ising.cpp"

#include "table.h"

namespace {

NUMJIT_PORTED(fft_by_hand);
NUMJIT_PORTED(floyd_warshall);
NUMJIT_PORTED(gaussian_mixture);
NUMJIT_PORTED(gaussian_process);
NUMJIT_PORTED(gray_scott);
NUMJIT_PORTED(heat_implicit);
NUMJIT_PORTED(image_filters);
NUMJIT_PORTED(ising);

}  // namespace
