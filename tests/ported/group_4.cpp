// Programs of docs/programs, some in one translation unit so that the headers are read once.
#include "../../docs/programs/logistic_regression.cpp"
#include "../../docs/programs/lu.cpp"
#include "../../docs/programs/mandelbrot.cpp"
#include "../../docs/programs/nbody.cpp"
#include "../../docs/programs/nearest_neighbours.cpp"
#include "../../docs/programs/neural_network.cpp"
#include "../../docs/programs/newton_fractal.cpp"
#include "../../docs/programs/pagerank.cpp"

#include "table.h"

namespace {

NUMJIT_PORTED(logistic_regression);
NUMJIT_PORTED(lu);
NUMJIT_PORTED(mandelbrot);
NUMJIT_PORTED(nbody);
NUMJIT_PORTED(nearest_neighbours);
NUMJIT_PORTED(neural_network);
NUMJIT_PORTED(newton_fractal);
NUMJIT_PORTED(pagerank);

}  // namespace
