// Refers to all that a kernel may refer to: another object, functions of libc, constants, data of its own and of others.
#include <stddef.h>

extern void* memcpy(void*, const void*, size_t);
extern int shared;    // in another object
int next(int value);  // as well
int choose(void);     // here, unless another object has a better one
__attribute__((weak)) int choose(void) { return 1; }

static int calls;
static int twice(int value) { return 2 * value; }
static int (*const functions[])(int) = {next, twice};
static const int constants[] = {10, 20, 30, 40};

int parts_argv(void** argv);
int parts_argv(void** argv) {
  int copy[4];
  memcpy(copy, constants, sizeof copy);
  int* result = argv[0];
  result[0] = functions[0](copy[3]) + functions[1](copy[0]);
  result[1] = ++calls;
  result[2] = ++shared;
  result[3] = choose();
  return 0;
}
