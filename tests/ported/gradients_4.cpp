// Programs of docs/programs/gradients, some in one translation unit so that the headers are read once.
#include "../../docs/programs/gradients/newton_cg.cpp"
#include "../../docs/programs/gradients/optimisers.cpp"
#include "../../docs/programs/gradients/pendulum_control.cpp"
#include "../../docs/programs/gradients/ray_marching.cpp"

#include "gradients.h"

GRADIENT_PROGRAM(newton_cg)
GRADIENT_PROGRAM(optimisers)
GRADIENT_PROGRAM(pendulum_control)
GRADIENT_PROGRAM(ray_marching)
