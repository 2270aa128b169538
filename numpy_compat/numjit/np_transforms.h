// Derivatives and batching of functions: np::grad, vjp, jvp, vmap and what is made of them.
#pragma once

#include <numjit/transform/api.h>
#include <numjit/transform/check_grads.h>
#include <numjit/transform/checkpoint.h>
#include <numjit/transform/custom.h>
#include <numjit/transform/vmap.h>
