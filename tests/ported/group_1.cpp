// Programs of docs/programs, some in one translation unit so that the headers are read once.
#include "../../docs/programs/american_option.cpp"
#include "../../docs/programs/asian_option.cpp"
#include "../../docs/programs/boids.cpp"
#include "../../docs/programs/conjugate_gradient.cpp"
#include "../../docs/programs/connected_components.cpp"
#include "../../docs/programs/fdtd.cpp"
#include "../../docs/programs/fft_by_hand.cpp"
#include "../../docs/programs/floyd_warshall.cpp"

#include "table.h"

namespace {

NUMJIT_PORTED(american_option);
NUMJIT_PORTED(asian_option);
NUMJIT_PORTED(boids);
NUMJIT_PORTED(conjugate_gradient);
NUMJIT_PORTED(connected_components);
NUMJIT_PORTED(fdtd);
NUMJIT_PORTED(fft_by_hand);
NUMJIT_PORTED(floyd_warshall);

}  // namespace
