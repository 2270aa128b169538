// The elementwise driver: broadcasting, casts in blocks, masks, overlap, threads.
#include <optional>

#include <numjit/eager/internal.h>
#include <numjit/ops/promotion.h>

namespace numjit::eager {
namespace {

constexpr std::int64_t block = 1024;  // elements cast at a time: 16 KiB at most per operand

/// How one operand gets from its memory to the loop.
struct channel {
  loop_fn cast = nullptr;  // null: used in place
  std::int64_t itemsize = 0;
};

struct ufunc_run {
  loop_fn loop;
  int inputs;
  channel in[3];
  channel out;
  bool casts = false;
  bool masked = false;

  /// Inputs at data[1..], output at data[0], mask last; casts through buffers on the stack.
  void buffered(char* const* data, const std::int64_t* stride, std::int64_t n) const {
    alignas(64) char buffer[4][block * 16];
    char* ptr[4];
    std::int64_t step[4];
    for (std::int64_t first = 0; first < n; first += block) {
      const std::int64_t m = n - first < block ? n - first : block;
      for (int i = 0; i < inputs; ++i) {
        char* from = data[i + 1] + first * stride[i + 1];
        ptr[i] = from;
        step[i] = stride[i + 1];
        if (!in[i].cast) continue;
        const bool scalar = stride[i + 1] == 0;
        char* cast_ptr[2] = {from, buffer[i]};
        const std::int64_t cast_step[2] = {stride[i + 1], in[i].itemsize};
        if (!scalar || first == 0) in[i].cast(cast_ptr, cast_step, scalar ? 1 : m);
        ptr[i] = buffer[i];
        step[i] = scalar ? 0 : in[i].itemsize;
      }
      char* to = data[0] + first * stride[0];
      ptr[inputs] = out.cast ? buffer[3] : to;
      step[inputs] = out.cast ? out.itemsize : stride[0];
      loop(ptr, step, m);
      if (out.cast) {
        char* cast_ptr[2] = {buffer[3], to};
        const std::int64_t cast_step[2] = {out.itemsize, stride[0]};
        out.cast(cast_ptr, cast_step, m);
      }
    }
  }

  void plain(char* const* data, const std::int64_t* stride, std::int64_t n) const {
    if (casts) return buffered(data, stride, n);
    char* ptr[4];
    std::int64_t step[4];
    for (int i = 0; i < inputs; ++i) ptr[i] = data[i + 1], step[i] = stride[i + 1];
    ptr[inputs] = data[0];
    step[inputs] = stride[0];
    loop(ptr, step, n);
  }

  void operator()(char* const* data, const std::int64_t* stride, std::int64_t n) const {
    if (!masked) return plain(data, stride, n);
    const char* mask = data[inputs + 1];
    const std::int64_t mask_step = stride[inputs + 1];
    for (std::int64_t i = 0; i < n;) {
      while (i < n && !mask[i * mask_step]) ++i;
      const std::int64_t begin = i;
      while (i < n && mask[i * mask_step]) ++i;
      if (i == begin) continue;
      char* moved[iteration::max_operands];
      for (int o = 0; o <= inputs; ++o) moved[o] = data[o] + begin * stride[o];
      plain(moved, stride, i - begin);
    }
  }
};

double guess_ns(op_id op, dtype_id type) {
  constexpr double ns_of_memory = 0.5;
  const double ns = ns_of_memory + ns_of(facts_of(op).cost);
  return kind_of(type) == 'c' && ns > 1 ? ns * 5 : ns;
}

/// An input that shares memory with the output other than element for element is copied first.
bool needs_copy(const node* in, const node* out, dtype_id loop_type, dtype_id loop_out) {
  if (in->size == 0 || !numjit::detail::may_overlap(in, out)) return false;
  const bool same_elements = in->data == out->data && in->type == out->type && in->rank == out->rank &&
                             dims(in->shape, in->rank) == dims(out->shape, out->rank) &&
                             dims(in->strides, in->rank) == dims(out->strides, out->rank);
  // Casts work block by block, which keeps element-for-element sharing safe; a loop of another width
  // reads all of a block before it writes, too.
  return !same_elements || (size_of(loop_type) != size_of(loop_out) && loop_type == in->type &&
                            loop_out == out->type);
}

[[noreturn]] void throw_negative_power() {
  throw ValueError("power", "Integers to negative integer powers are not allowed.");
}

}  // namespace

void check_exponents(const char* first, std::int64_t step, std::int64_t n, std::int64_t size) {
  for (std::int64_t i = 0; i < n; ++i)
    if (first[i * step + size - 1] & 0x80) throw_negative_power();
}

void check_power(const layout_view& exponent) {
  const iteration it(exponent.shape, {&exponent});
  const std::int64_t size = size_of(exponent.type);
  auto check = [&](char* const* data, const std::int64_t* stride, std::int64_t n) {
    check_exponents(data[0], stride[0], n, size);
  };
  if (it.size() > 0) detail::run_serial(it, check);
}

void run_ufunc(op_id op, const inference& inferred, node* const* in, int n_in, node* result,
               node* where_mask) {
  const op_loop& types = info(op).loops[static_cast<std::size_t>(inferred.loop)];
  ufunc_run run;
  run.loop = loops().ufunc[static_cast<int>(op)][inferred.loop];
  run.inputs = n_in;
  layout_view view[iteration::max_operands];
  std::optional<scratch> copies[3];
  view[0] = layout_view(result);
  for (int i = 0; i < n_in; ++i) {
    layout_view v(in[i]);
    if (needs_copy(in[i], result, types.in[i], types.out)) {
      copies[i].emplace(in[i]->size * size_of(v.type));
      layout_view still(copies[i]->data(), v.type, v.shape);
      copy_elements(v, still);
      v = still;
    }
    if (v.type != types.in[i]) {
      run.in[i] = {cast_loop(v.type, types.in[i]), size_of(types.in[i])};
      run.casts = true;
    }
    view[i + 1] = v;
  }
  if (result->type != types.out) {
    run.out = {cast_loop(types.out, result->type), size_of(types.out)};
    run.casts = true;
  }
  if (op == op_id::power && kind_of(types.in[1]) == 'i' && kind_of(view[2].type) == 'i')
    check_power(view[2]);
  int count = n_in + 1;
  std::optional<scratch> mask_copy;
  if (where_mask) {
    run.masked = true;
    view[count] = layout_view(where_mask);
    if (numjit::detail::may_overlap(where_mask, result)) {
      mask_copy.emplace(where_mask->size);
      layout_view still(mask_copy->data(), dtype_id::bool_, view[count].shape);
      copy_elements(view[count], still);
      view[count] = still;
    }
    ++count;
  }
  const layout_view* views[iteration::max_operands];
  for (int o = 0; o < count; ++o) views[o] = &view[o];
  iteration it;
  it.init(view[0].shape, views, count);
  for_each_run(it, guess_ns(op, types.in[0]), run);
}

}  // namespace numjit::eager
