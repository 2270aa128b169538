"""./dev bench grad: derivatives of one set of plain functions by numjit, JAX, PyTorch, HIPS/autograd and MLX."""
