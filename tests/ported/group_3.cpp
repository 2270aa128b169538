// Programs of docs/programs, some in one translation unit so that the headers are read once.
#include "../../docs/programs/life.cpp"
#include "../../docs/programs/logistic_regression.cpp"
#include "../../docs/programs/lu.cpp"
#include "../../docs/programs/mandelbrot.cpp"
#include "../../docs/programs/nbody.cpp"
#include "../../docs/programs/neural_network.cpp"
#include "../../docs/programs/pagerank.cpp"
#include "../../docs/programs/pca.cpp"

#include "table.h"

namespace {

NUMJIT_PORTED(life);
NUMJIT_PORTED(logistic_regression);
NUMJIT_PORTED(lu);
NUMJIT_PORTED(mandelbrot);
NUMJIT_PORTED(nbody);
NUMJIT_PORTED(neural_network);
NUMJIT_PORTED(pagerank);
NUMJIT_PORTED(pca);

}  // namespace
