// The rules of matrix products.
#include <numjit/transform/matrices.h>
#include <numjit/transform/rules.h>

namespace numjit::transform {

namespace {

/// All axes but the last one as one.
array as_rows(const array& a) { return reshaped(a, dims{-1, shape_of(a).back()}); }

/// A factor as the other's rule reads it, in the dtype of the product.
array factor(const Seen& s, std::size_t i) { return conjugate(of_type(s.array_value(i), s.result_type())); }

}  // namespace

// y = a @ b: a gets g @ b^H, b gets a^H @ g. Vectors are products of elements where a product of matrices would have one row or
// column, as those fuse.
void adjoint_matmul(Adjoint& a) {
  const int rank_a = a.rank(0), rank_b = a.rank(1);
  const array& g = a.g();
  if (a.is_active(0)) {
    const array b = factor(a, 1);
    if (rank_a == 1 && rank_b == 1)
      a.give(0, binary(op_id::multiply, g, b));
    else if (rank_a == 1)  // (k) of sums over columns
      a.give(0, reshaped(matmul(b, with_axis_of_one(g, rank_of(g))), [&] {
               dims shape = shape_of(b);
               shape.resize(shape.size() - 1);
               return shape;
             }()));
    else if (rank_b == 1)
      a.give(0, binary(op_id::multiply, with_axis_of_one(g, rank_of(g)), b));
    else
      a.give(0, matmul(g, transposed(b)));
  }
  if (!a.is_active(1)) return;
  const array left = factor(a, 0);
  if (rank_a == 1 && rank_b == 1)
    a.give(1, binary(op_id::multiply, g, left));
  else if (rank_a == 1)
    a.give(1, binary(op_id::multiply, with_axis_of_one(left, 1), with_axis_of_one(g, rank_of(g) - 1)));
  else if (rank_b == 1)  // one product for all matrices
    a.give(1, matmul(reshaped(g, dims{-1}), as_rows(left)));
  else if (rank_b == 2 && rank_a > 2)
    a.give(1, matmul(transposed(as_rows(left)), as_rows(g)));
  else
    a.give(1, matmul(transposed(left), g));
}

array tangent_matmul(const Tangent& t) {
  array sum;
  for (std::size_t i = 0; i < 2; ++i) {
    if (!t.changes(i)) continue;
    const operand other = t.value(1 - i), changed(t.change(i), "", "", 0);
    const operand in[] = {i == 0 ? changed : other, i == 0 ? other : changed};
    const array part = bind({op_id::matmul, in});
    sum = sum.empty_handle() ? part : binary(op_id::add, sum, part);
  }
  return as_result(sum, t.result_shape(), t.result_type());
}

}  // namespace numjit::transform
