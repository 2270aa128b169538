// Programs of docs/programs, some in one translation unit so that the headers are read once.
#include "../../docs/programs/boids.cpp"
#include "../../docs/programs/fdtd.cpp"
#include "../../docs/programs/fft_by_hand.cpp"
#include "../../docs/programs/gray_scott.cpp"
#include "../../docs/programs/heat_implicit.cpp"
#include "../../docs/programs/image_filters.cpp"
#include "../../docs/programs/pca.cpp"

#include "table.h"

namespace {

NUMJIT_PORTED(boids);
NUMJIT_PORTED(fdtd);
NUMJIT_PORTED(fft_by_hand);
NUMJIT_PORTED(gray_scott);
NUMJIT_PORTED(heat_implicit);
NUMJIT_PORTED(image_filters);
NUMJIT_PORTED(pca);

}  // namespace
