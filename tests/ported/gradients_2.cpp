// Programs of docs/programs/gradients, some in one translation unit so that the headers are read once.
#include "../../docs/programs/gradients/digits.cpp"
#include "../../docs/programs/gradients/gaussian_process_fit.cpp"
#include "../../docs/programs/gradients/gray_scott_inverse.cpp"
#include "../../docs/programs/gradients/hamiltonian_monte_carlo.cpp"

#include "gradients.h"

GRADIENT_PROGRAM(digits)
GRADIENT_PROGRAM(gaussian_process_fit)
GRADIENT_PROGRAM(gray_scott_inverse)
GRADIENT_PROGRAM(hamiltonian_monte_carlo)
