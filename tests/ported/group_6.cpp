// Programs of docs/programs, some in one translation unit so that the headers are read once.
#include "../../docs/programs/shallow_water.cpp"
#include "../../docs/programs/sieve.cpp"
#include "../../docs/programs/sinkhorn.cpp"
#include "../../docs/programs/spectrogram.cpp"
#include "../../docs/programs/viterbi.cpp"
#include "../../docs/programs/wavelets.cpp"

#include "table.h"

namespace {

NUMJIT_PORTED(shallow_water);
NUMJIT_PORTED(sieve);
NUMJIT_PORTED(sinkhorn);
NUMJIT_PORTED(spectrogram);
NUMJIT_PORTED(viterbi);
NUMJIT_PORTED(wavelets);

}  // namespace
