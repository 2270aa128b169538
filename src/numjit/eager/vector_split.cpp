// Chooses the vectors of a selection's pass: eager/loops/vector_split.cpp is compiled per instruction set.
#include <numjit/eager/vector_split.h>

#include <numjit/base/cpu.h>

namespace numjit::eager {

#define NUMJIT_DECLARE_SPLIT(T) split_counts split(T* p, std::int64_t n, T low, T high, T* middle, T* above);
#define NUMJIT_SPLITS_OF(isa)             \
  namespace isa {                         \
  NUMJIT_DECLARE_SPLIT(std::int32_t)      \
  NUMJIT_DECLARE_SPLIT(std::int64_t)      \
  NUMJIT_DECLARE_SPLIT(std::uint64_t)     \
  NUMJIT_DECLARE_SPLIT(placed_key)        \
  }
NUMJIT_SPLITS_OF(v3)
NUMJIT_SPLITS_OF(v4)

namespace {

template <class T>
split_counts split_by_level([[maybe_unused]] T* p, [[maybe_unused]] std::int64_t n, [[maybe_unused]] T low,
                            [[maybe_unused]] T high, [[maybe_unused]] T* middle, [[maybe_unused]] T* above) {
#ifdef NUMJIT_HAVE_ISA_v4
  if (numjit::detail::cpu_level() >= 4) return v4::split(p, n, low, high, middle, above);
#endif
#ifdef NUMJIT_HAVE_ISA_v3
  if (numjit::detail::cpu_level() >= 3) return v3::split(p, n, low, high, middle, above);
#endif
  return {};
}

}  // namespace

#define NUMJIT_SPLIT(T)                                                                          \
  split_counts vector_split(T* p, std::int64_t n, T low, T high, T* middle, T* above) {          \
    return split_by_level(p, n, low, high, middle, above);                                       \
  }
NUMJIT_SPLIT(std::int32_t)
NUMJIT_SPLIT(std::int64_t)
NUMJIT_SPLIT(std::uint64_t)
NUMJIT_SPLIT(placed_key)
#undef NUMJIT_SPLIT

}  // namespace numjit::eager
