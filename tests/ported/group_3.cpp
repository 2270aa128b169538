// Programs of docs/programs, some in one translation unit so that the headers are read once.
#include "../../docs/programs/jacobi_eigenvalues.cpp"
#include "../../docs/programs/jpeg.cpp"
#include "../../docs/programs/kalman_filter.cpp"
#include "../../docs/programs/kdv.cpp"
#include "../../docs/programs/kmeans.cpp"
#include "../../docs/programs/lattice_boltzmann.cpp"
#include "../../docs/programs/levenshtein.cpp"
#include "../../docs/programs/life.cpp"

#include "table.h"

namespace {

NUMJIT_PORTED(jacobi_eigenvalues);
NUMJIT_PORTED(jpeg);
NUMJIT_PORTED(kalman_filter);
NUMJIT_PORTED(kdv);
NUMJIT_PORTED(kmeans);
NUMJIT_PORTED(lattice_boltzmann);
NUMJIT_PORTED(levenshtein);
NUMJIT_PORTED(life);

}  // namespace
