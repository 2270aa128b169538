// Canonical text and hash of kernel specs: what the disk cache is keyed by.
#include <kernels/kernel_fixture.h>

namespace numjit::testing {
namespace {

TEST(SpecText, Elementwise) {
  SpecBuilder b;
  int x = b.operand(dtype_id::float64), y = b.operand(dtype_id::float64), s = b.scalar(dtype_id::float64);
  auto spec = b.outputs({b.op("add", b.op("multiply", x, y), s), b.op("less", x, y)});
  EXPECT_EQ(to_text(spec),
            "operands dd\n"
            "scalars d\n"
            "%0 = operand 0\n"
            "%1 = operand 1\n"
            "%2 = scalar 0\n"
            "%3 = multiply.dd->d(%0, %1)\n"
            "%4 = add.dd->d(%3, %2)\n"
            "%5 = less.dd->?(%0, %1)\n"
            "outputs %4 %5\n");
}

TEST(SpecText, NestedReductions) {
  SpecBuilder b;
  int p = b.operand(dtype_id::float32), c = b.operand(dtype_id::float32);
  int d = b.op("subtract", p, c);
  auto spec = b.outputs({b.reduce("argmin", b.reduce("sum", b.op("multiply", d, d), 0), 1)});
  EXPECT_EQ(to_text(spec),
            "operands ff\n"
            "scalars \n"
            "reduced axes 2\n"
            "%0 = operand 0\n"
            "%1 = operand 1\n"
            "%2 = subtract.ff->f(%0, %1)\n"
            "%3 = multiply.ff->f(%2, %2)\n"
            "%4 = sum.f->f(%3) over axis 0\n"
            "%5 = argmin.f->l(%4) over axis 1\n"
            "outputs %5\n");
}

TEST(SpecText, CastsBeforeReductions) {
  SpecBuilder b;
  auto spec = b.outputs({b.reduce("sum", b.operand(dtype_id::uint8))});
  EXPECT_EQ(to_text(spec),
            "operands B\n"
            "scalars \n"
            "reduced axes 1\n"
            "%0 = operand 0\n"
            "%1 = cast.L(%0)\n"
            "%2 = sum.B->L(%1) over axis 0\n"
            "outputs %2\n");
}

TEST(SpecText, HashFollowsTheText) {
  SpecBuilder a, b, c;
  auto one = a.outputs({a.op("negative", a.operand(dtype_id::float64))});
  auto same = b.outputs({b.op("negative", b.operand(dtype_id::float64))});
  auto other = c.outputs({c.op("negative", c.operand(dtype_id::float32))});
  EXPECT_EQ(content_hash(one).size(), 32u);
  EXPECT_EQ(content_hash(one), content_hash(same));
  EXPECT_NE(content_hash(one), content_hash(other));
}

}  // namespace
}  // namespace numjit::testing
