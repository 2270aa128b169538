// What a kernel may call besides libc and libm: Halide's memory hooks. Linked into each kernel.
#include <stddef.h>
#include <stdint.h>

extern void *aligned_alloc(size_t alignment, size_t size);
extern void free(void *block);

void *halide_malloc(void *context, size_t size);
void halide_free(void *context, void *block);
int halide_error_out_of_memory(void *context);

__attribute__((visibility("hidden"))) void *halide_malloc(void *context, size_t size) {
  (void)context;
  return aligned_alloc(64, (size + 63 + 64) & ~(size_t)63);
}

__attribute__((visibility("hidden"))) void halide_free(void *context, void *block) {
  (void)context;
  free(block);
}

__attribute__((visibility("hidden"))) int halide_error_out_of_memory(void *context) {
  (void)context;
  return -11;
}
