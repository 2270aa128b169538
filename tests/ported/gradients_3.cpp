// Programs of docs/programs/gradients, some in one translation unit so that the headers are read once.
#include "../../docs/programs/gradients/lstm.cpp"
#include "../../docs/programs/gradients/mixture_by_gradient.cpp"
#include "../../docs/programs/gradients/mlp.cpp"
#include "../../docs/programs/gradients/neural_ode.cpp"

#include "gradients.h"

GRADIENT_PROGRAM(lstm)
GRADIENT_PROGRAM(mixture_by_gradient)
GRADIENT_PROGRAM(mlp)
GRADIENT_PROGRAM(neural_ode)
