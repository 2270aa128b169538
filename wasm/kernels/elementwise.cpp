// Elementwise kernels: rows of steps of vectors, and what is left of a row one by one. A chain of operations takes as long
// for one element as for a step of them: there what is left is a step, too, in scratch memory.
//
// Integers that fit a narrower type are computed in it (graph/narrow.h); where that takes scalars for small ones,
// both forms stand in the kernel, which chooses one at its start.
#include <optional>

#include <numjit/graph/narrow.h>

#include "reduction.h"
#include "simd.h"

namespace numjit::wasm_gen {

using graph::KernelSpec;
using runtime::KernelVariant;

namespace {

/// A row's loop in which the last step, of `count` < `lanes` elements, reads copies and leaves copies.
class PaddedLoop {
 public:
  PaddedLoop(Kernel& k, std::vector<Buffer>& in, std::vector<Buffer>& out, int count, int lanes)
      : k_(k), f_(k.code), count_(count), lanes_(lanes) {
    std::uint32_t place = 0;
    for (std::vector<Buffer>* list : {&in, &out})
      for (Buffer& b : *list) {
        Array& a = k.arrays[static_cast<std::size_t>(b.array)];
        if (list == &out && a.walk == Array::Walk::still) a.walk = Array::Walk::dense;  // an axis of length 1
        if (a.walk == Array::Walk::still) continue;
        const int bytes = width_of(a.type) * (is_complex(b.type) ? 2 : 1);
        parts_.push_back({b.array, bytes, place, list == &out, f_.local(Wasm::i32), f_.local(Wasm::i32)});
        place += static_cast<std::uint32_t>((bytes * lanes + 15) / 16 * 16);
      }
    for (int& local : at_) local = f_.local(Wasm::i32);
    left_ = f_.local(Wasm::i32);
  }

  void write(const std::vector<Stored>& stores, const std::vector<Id>& roots) {
    Pass pass(k_.context(), roots, lanes_);
    f_.get(count_).i32(0).raw(op::i32_gt_s).begin_if();
    pass.before();
    f_.begin_loop();
    f_.get(count_).i32(lanes_).raw(op::i32_lt_s).begin_if();
    copy_in();
    f_.end();
    pass.compute();
    for (const Stored& s : stores) pass.store(s.value, k_.arrays[static_cast<std::size_t>(s.array)], s.part);
    f_.get(count_).i32(lanes_).raw(op::i32_lt_s).begin_if();
    copy_out();
    f_.end();
    for (const Array& array : k_.arrays) pass.advance(array);
    f_.get(count_).i32(lanes_).raw(op::i32_sub).tee(count_).i32(0).raw(op::i32_gt_s).br_if(0);
    f_.end().end();
  }

 private:
  struct Part {
    int array, bytes;        // of an element
    std::uint32_t place;     // in scratch memory
    bool is_output;
    int pointer, stride;     // locals: what the array's were
  };
  const Array& array(const Part& p) const { return k_.arrays[static_cast<std::size_t>(p.array)]; }
  int& at(const Part& p) { return at_[p.bytes == 1 ? 0 : p.bytes == 2 ? 1 : p.bytes == 4 ? 2 : p.bytes == 8 ? 3 : 4]; }

  void copy_in() {
    for (Part& p : parts_) {
      if (p.is_output) continue;
      for (int i = 0; i < lanes_ * p.bytes; i += 16) {  // what is not there is 0
        f_.scratch(0).simd(simd::const_).fixed(0, 8).fixed(0, 8);
        f_.simd(simd::store).at(p.place + static_cast<unsigned>(i));
      }
    }
    copy(false);
    for (Part& p : parts_) {
      const Array& a = array(p);
      if (p.is_output) f_.get(a.pointer).set(p.pointer);
      f_.scratch(p.place).set(a.pointer);
      if (a.stride == 0) continue;
      f_.get(a.stride).set(p.stride);
      f_.i32(p.bytes).set(a.stride);
    }
  }
  void copy_out() {
    for (Part& p : parts_)
      if (array(p).stride != 0) f_.get(p.stride).set(array(p).stride);
    copy(true);
  }

  /// The elements that are there, of all inputs or outputs, from or to where they belong.
  void copy(bool back) {
    bool used[5] = {};
    for (Part& p : parts_)
      if (p.is_output == back) used[&at(p) - at_] = true;
    for (int i = 0; i < 5; ++i)
      if (used[i]) f_.scratch(0).set(at_[i]);
    f_.get(count_).set(left_);
    f_.begin_loop();
    for (Part& p : parts_) {
      if (p.is_output != back) continue;
      const int pointer = back ? p.pointer : array(p).pointer;
      f_.get(back ? pointer : at(p)).get(back ? at(p) : pointer);
      load(p.bytes, back ? p.place : 0);
      store(p.bytes, back ? 0 : p.place);
      if (array(p).stride != 0) f_.increase_by(pointer, array(p).stride);
      else f_.increase(pointer, p.bytes);
    }
    for (int i = 0; i < 5; ++i)
      if (used[i]) f_.increase(at_[i], 1 << i);
    f_.get(left_).i32(1).raw(op::i32_sub).tee(left_).br_if(0);
    f_.end();
  }
  void load(int bytes, unsigned offset) {
    if (bytes == 16) f_.simd(simd::load).at(offset);
    else
      f_.raw(bytes == 1 ? op::i32_load8_u : bytes == 2 ? op::i32_load16_u : bytes == 4 ? op::i32_load : op::i64_load).at(offset);
  }
  void store(int bytes, unsigned offset) {
    if (bytes == 16) f_.simd(simd::store).at(offset);
    else
      f_.raw(bytes == 1 ? op::i32_store8 : bytes == 2 ? op::i32_store16 : bytes == 4 ? op::i32_store : op::i64_store).at(offset);
  }

  Kernel& k_;
  Function& f_;
  int count_, lanes_, left_ = 0;
  int at_[5];  // addresses in scratch memory of an element of 1, 2, 4, 8, 16 bytes
  std::vector<Part> parts_;
};

void write_rows_of(Kernel& k, const KernelSpec& spec, std::vector<Buffer>& in, std::vector<Buffer>& out) {
  const std::vector<Value> values = k.lower_all(spec, k.elements(in));
  std::vector<Stored> stores;
  std::vector<Id> roots;
  for (std::size_t i = 0; i < values.size(); ++i) k.add_stores(stores, out[i], values[i]);
  for (const Stored& s : stores) roots.push_back(s.value);
  const int ny = k.code.local(Wasm::i32), count = k.code.local(Wasm::i32);
  k.push_extent(k.output_place(0), 1);
  k.code.set(ny);
  const std::vector<Buffer*> all = pointers(in, out);
  const int y = k.begin_axis(all, 1, ny);
  k.start_walk(all, 1);
  k.push_extent(k.output_place(0), 0);
  k.code.set(count);
  const Step step = k.step_for(roots);
  if (step.chain) PaddedLoop(k, in, out, count, step.lanes).write(stores, roots);
  else write_loop(k.context(), stores, count, step.lanes, -1);
  k.end_axis(all, 1, y);
}

/// Pushes whether the scalars lie where a narrow form wants them.
void push_holds(Kernel& k, const std::vector<graph::ScalarBound>& bounds) {
  k.code.i32(1);
  for (const graph::ScalarBound& bound : bounds) {
    const dtype_id type = k.spec.scalar_types[bound.scalar];
    const Type t = part_type(type);
    const Id scalar = k.scalar(bound.scalar).re;
    const auto limit = [&](std::int64_t v) { return k.dag.constant(t, static_cast<std::uint64_t>(v)); };
    Id holds = k.dag.make(Prim::le, Type::b, scalar, limit(bound.most));
    if (is_signed(t))
      holds = k.dag.make(Prim::bit_and, Type::b, holds, k.dag.make(Prim::le, Type::b, limit(bound.least), scalar));
    Pass pass(k.context(), {holds}, 1);
    pass.compute();
    pass.push(holds);
    k.code.raw(op::i32_and);
  }
}

}  // namespace

std::vector<char> write_elementwise(const KernelSpec& spec, const KernelVariant& variant, const Target& target) {
  const std::vector<dtype_id> types = output_types(spec);
  Kernel k(spec, variant, target, 0, types);
  std::vector<Buffer> in, out;
  for (std::size_t i = 0; i < spec.operand_types.size(); ++i) in.push_back(k.operand(static_cast<int>(i), 2));
  for (std::size_t i = 0; i < types.size(); ++i)
    out.push_back(k.buffer(k.output_place(static_cast<int>(i)), types[i], 2, variant.inner_stride[in.size() + i]));
  const auto narrow = target.simd ? graph::narrow_integers(spec) : std::nullopt;
  if (narrow && narrow->bounds.empty()) {
    write_rows_of(k, narrow->spec, in, out);
  } else if (narrow) {
    push_holds(k, narrow->bounds);
    k.code.begin_if();
    write_rows_of(k, narrow->spec, in, out);
    k.code.raw(op::else_);
    k.dag.clear();
    k.sources.clear();
    write_rows_of(k, spec, in, out);
    k.code.end();
  } else {
    write_rows_of(k, spec, in, out);
  }
  return k.code.i32(0).module();
}

}  // namespace numjit::wasm_gen
