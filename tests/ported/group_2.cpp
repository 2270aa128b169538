// Programs of docs/programs, some in one translation unit so that the headers are read once.
#include "../../docs/programs/gray_scott.cpp"
#include "../../docs/programs/heat_implicit.cpp"
#include "../../docs/programs/image_filters.cpp"
#include "../../docs/programs/ising.cpp"
#include "../../docs/programs/kalman_filter.cpp"
#include "../../docs/programs/kdv.cpp"
#include "../../docs/programs/kmeans.cpp"
#include "../../docs/programs/lattice_boltzmann.cpp"

#include "table.h"

namespace {

NUMJIT_PORTED(gray_scott);
NUMJIT_PORTED(heat_implicit);
NUMJIT_PORTED(image_filters);
NUMJIT_PORTED(ising);
NUMJIT_PORTED(kalman_filter);
NUMJIT_PORTED(kdv);
NUMJIT_PORTED(kmeans);
NUMJIT_PORTED(lattice_boltzmann);

}  // namespace
