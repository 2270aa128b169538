// EXPECT: ufunc_facts|could not convert|no viable conversion
// A row that does not say what an element costs.
#include <numjit/ops/op.h>
namespace numjit::detail::row_words {
constexpr ufunc_facts facts = pole_at_zero_divisor;
}
