// Programs of docs/programs, some in one translation unit so that the headers are read once.
#include "../../docs/programs/american_option.cpp"
#include "../../docs/programs/asian_option.cpp"
#include "../../docs/programs/boids.cpp"
#include "../../docs/programs/bootstrap.cpp"
#include "../../docs/programs/conjugate_gradient.cpp"
#include "../../docs/programs/connected_components.cpp"
#include "../../docs/programs/cubic_spline.cpp"
#include "../../docs/programs/fdtd.cpp"

#include "table.h"

namespace {

NUMJIT_PORTED(american_option);
NUMJIT_PORTED(asian_option);
NUMJIT_PORTED(boids);
NUMJIT_PORTED(bootstrap);
NUMJIT_PORTED(conjugate_gradient);
NUMJIT_PORTED(connected_components);
NUMJIT_PORTED(cubic_spline);
NUMJIT_PORTED(fdtd);

}  // namespace
