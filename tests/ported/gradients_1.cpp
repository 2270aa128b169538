// Programs of docs/programs/gradients, some in one translation unit so that the headers are read once.
#include "../../docs/programs/gradients/bundle_adjustment.cpp"
#include "../../docs/programs/gradients/burgers_pinn.cpp"
#include "../../docs/programs/gradients/convolutional_network.cpp"
#include "../../docs/programs/gradients/deblurring.cpp"

#include "gradients.h"

GRADIENT_PROGRAM(bundle_adjustment)
GRADIENT_PROGRAM(burgers_pinn)
GRADIENT_PROGRAM(convolutional_network)
GRADIENT_PROGRAM(deblurring)
