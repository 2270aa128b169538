// The code generator's libraries are never torn down: a compile may still run when the process ends.
//
// Halide and LLVM make static objects at first use, so their destructors are registered after any exit
// handler of ours and would run before it, under the hands of a background compile. Registrations that
// come from these libraries are therefore dropped; every other one goes on to the C library.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

#include <cstring>

#include <dlfcn.h>

extern "C" [[gnu::visibility("default")]] int __cxa_atexit(void (*function)(void*), void* argument, void* library) noexcept {
  using register_function = int (*)(void (*)(void*), void*, void*);
  // Found at each call: this runs before static objects of this library exist.
  const auto next = reinterpret_cast<register_function>(dlsym(RTLD_NEXT, "__cxa_atexit"));
  Dl_info info;
  if (library && dladdr(library, &info) && info.dli_fname) {
    const char* slash = std::strrchr(info.dli_fname, '/');
    const char* name = slash ? slash + 1 : info.dli_fname;
    if (std::strncmp(name, "libHalide", 9) == 0 || std::strncmp(name, "numjit_halide", 13) == 0) return 0;
  }
  return next(function, argument, library);
}

#endif
