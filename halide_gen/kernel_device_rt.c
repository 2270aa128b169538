// What the host code of a GPU kernel calls: Halide's names, passed on to numjit's device layer. Linked into each
// such kernel; the loader puts the table in its place.
#include <stddef.h>
#include <stdint.h>

// As in src/numjit/device/kernel_hooks.h.
struct numjit_kernel_hooks {
  int (*initialize)(void **state, const char *source, int size);
  int (*run)(void *state, const char *entry, const int *shape, const size_t *sizes, void **arguments,
             const int8_t *is_buffer);
};

__attribute__((visibility("default"))) const struct numjit_kernel_hooks *numjit_kernel_hooks;
__attribute__((visibility("default"))) void **numjit_kernel_state;

#define HIDDEN __attribute__((visibility("hidden")))

#define NUMJIT_DRIVER(name)                                                                                  \
  int halide_##name##_initialize_kernels(void *context, void **state, const char *source, int size);         \
  int halide_##name##_run(void *context, void *state, const char *entry, int bx, int by, int bz, int tx,     \
                          int ty, int tz, int shared, size_t sizes[], void *arguments[],                     \
                          int8_t is_buffer[]);                                                               \
  void halide_##name##_finalize_kernels(void *context, void *state);                                         \
  const void *halide_##name##_device_interface(void);                                                        \
  HIDDEN int halide_##name##_initialize_kernels(void *context, void **state, const char *source, int size) { \
    (void)context;                                                                                           \
    numjit_kernel_state = state;                                                                             \
    return *state ? 0 : numjit_kernel_hooks->initialize(state, source, size);                                \
  }                                                                                                          \
  HIDDEN int halide_##name##_run(void *context, void *state, const char *entry, int bx, int by, int bz,      \
                                 int tx, int ty, int tz, int shared, size_t sizes[], void *arguments[],      \
                                 int8_t is_buffer[]) {                                                       \
    const int shape[7] = {bx, by, bz, tx, ty, tz, shared};                                                   \
    (void)context;                                                                                           \
    return numjit_kernel_hooks->run(state, entry, shape, sizes, arguments, is_buffer);                       \
  }                                                                                                          \
  HIDDEN void halide_##name##_finalize_kernels(void *context, void *state) {                                 \
    (void)context;                                                                                           \
    (void)state;                                                                                             \
  }                                                                                                          \
  HIDDEN const void *halide_##name##_device_interface(void) { return 0; }

NUMJIT_DRIVER(opencl)
NUMJIT_DRIVER(cuda)

// Arrays are on the device before a kernel is called.
int halide_copy_to_device(void *context, void *buffer, const void *interface);
HIDDEN int halide_copy_to_device(void *context, void *buffer, const void *interface) {
  (void)context;
  (void)buffer;
  (void)interface;
  return 0;
}
