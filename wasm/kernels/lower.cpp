// Arguments of kernels, and their expressions from the table of rows.
#include "lower.h"

#include <algorithm>
#include <cstddef>

#include <numjit/base/error.h>

namespace numjit::wasm_gen {

using graph::KernelNode;
using graph::KernelNodeKind;
using graph::KernelSpec;

// Fields of runtime::kernel_buffer and kernel_dim, as WebAssembly lays them out.
namespace {
constexpr unsigned host_at = 12, dim_at = 32, extent_at = 4, stride_at = 8, dim_size = 16;
#ifdef __wasm__
static_assert(offsetof(runtime::kernel_buffer, host) == host_at);
static_assert(offsetof(runtime::kernel_buffer, dim) == dim_at);
static_assert(offsetof(runtime::kernel_dim, extent) == extent_at);
static_assert(offsetof(runtime::kernel_dim, stride) == stride_at);
static_assert(sizeof(runtime::kernel_dim) == dim_size);
#endif

int parts_of(dtype_id type) { return is_complex(type) ? 2 : 1; }
}  // namespace

Kernel::Kernel(const KernelSpec& spec_in, const runtime::KernelVariant& variant_in, const Target& target_in, int parameters,
               const std::vector<dtype_id>& outputs)
    : code({Wasm::i32}), spec(spec_in), variant(variant_in), target(target_in), parameters_(parameters) {
  int place = 0;
  for (dtype_id type : spec.operand_types) {
    operand_places_.push_back(place);
    place += parts_of(type);
  }
  for (dtype_id type : spec.scalar_types) {
    scalar_places_.push_back(place);
    place += parts_of(type);
  }
  parameter_place_ = place;
  place += parameters_;
  for (dtype_id type : outputs) {
    output_places_.push_back(place);
    place += parts_of(type);
  }
}

void Kernel::push_extent(int place, int axis) {
  code.get(0).load_i32(static_cast<unsigned>(4 * place)).load_i32(dim_at);
  code.load_i32(static_cast<unsigned>(axis) * dim_size + extent_at);
}

/// Strides are counted in parts.
void Kernel::push_stride(const Buffer& buffer, int axis) {
  code.get(0).load_i32(static_cast<unsigned>(4 * buffer.place)).load_i32(dim_at);
  code.load_i32(static_cast<unsigned>(axis) * dim_size + stride_at);
  code.i32(width_of(part_type(buffer.type))).raw(op::i32_mul);
}

void Kernel::push_parameter(int i) {
  code.get(0).load_i32(static_cast<unsigned>(4 * (parameter_place_ + i))).load_i32(0);
}

Buffer Kernel::new_buffer(int place, dtype_id type, Array::Walk walk) {
  Buffer b;
  b.place = place;
  b.type = type;
  b.array = static_cast<int>(arrays.size());
  Array array;
  array.type = part_type(type);
  array.pointer = code.local(Wasm::i32);
  array.walk = walk;
  arrays.push_back(array);
  return b;
}

Buffer Kernel::buffer(int place, dtype_id type, int axes, std::uint8_t stride_class) {
  Buffer b = new_buffer(place, type,
                        stride_class == 0                          ? Array::Walk::still
                        : stride_class == 1 && parts_of(type) == 1 ? Array::Walk::dense
                                                                   : Array::Walk::strided);
  if (stride_class > 1) {
    int& stride = arrays.back().stride;
    stride = code.local(Wasm::i32);
    push_stride(b, 0);
    code.set(stride);
  }
  push_host(b);
  for (int axis = 1; axis < axes; ++axis) add_axis(b, axis);
  return b;
}

Buffer Kernel::still_buffer(int place, dtype_id type, int axes) {
  Buffer b = new_buffer(place, type, Array::Walk::still);
  push_host(b);
  for (int axis = 0; axis < axes; ++axis) add_axis(b, axis);
  return b;
}

void Kernel::push_host(Buffer& b) {
  b.base.push_back(code.local(Wasm::i32));
  code.get(0).load_i32(static_cast<unsigned>(4 * b.place)).load_i32(host_at).set(b.base[0]);
}

void Kernel::add_axis(Buffer& b, int axis) {
  b.stride.push_back(code.local(Wasm::i32));
  push_stride(b, axis);
  code.set(b.stride.back());
  b.base.push_back(code.local(Wasm::i32));
}

Buffer Kernel::operand(int i, int axes) {
  const auto at = static_cast<std::size_t>(i);
  return buffer(operand_places_[at], spec.operand_types[at], axes, variant.inner_stride[at]);
}

int Kernel::scratch_array(Type type) {
  Array array;
  array.type = type;
  array.pointer = code.local(Wasm::i32);
  arrays.push_back(array);
  return static_cast<int>(arrays.size()) - 1;
}

Id Kernel::leaf(Type type, const Source& source) {
  sources.push_back(source);
  return dag.leaf(type, sources.size() - 1);
}

Value Kernel::element(const Buffer& b) {
  const Type type = part_type(b.type);
  Value v;
  v.re = leaf(type, {Source::Kind::array, b.array, 0});
  if (is_complex(b.type)) v.im = leaf(type, {Source::Kind::array, b.array, 1});
  return v;
}

Leaves Kernel::elements(const std::vector<Buffer>& buffers) {
  Leaves leaves;
  leaves.operand = [this, &buffers](int i) { return element(buffers[static_cast<std::size_t>(i)]); };
  return leaves;
}

Value Kernel::scalar(int i) {
  const auto at = static_cast<std::size_t>(i);
  const Type type = part_type(spec.scalar_types[at]);
  Value v;
  v.re = leaf(type, {Source::Kind::scalar, scalar_places_[at], 0});
  if (is_complex(spec.scalar_types[at])) v.im = leaf(type, {Source::Kind::scalar, scalar_places_[at] + 1, 0});
  return v;
}

namespace {

/// Values of a spec's nodes, each lowered once.
class Lowering {
 public:
  Lowering(Kernel& kernel, const KernelSpec& spec, const Leaves& leaves)
      : kernel_(kernel), spec_(spec), leaves_(leaves), values_(spec.nodes.size()), known_(spec.nodes.size()) {}

  Value value(int node) {
    const auto at = static_cast<std::size_t>(node);
    if (!known_[at]) {
      values_[at] = compute(spec_.nodes[at], node);
      known_[at] = true;
    }
    return values_[at];
  }

 private:
  Value compute(const KernelNode& node, int index) {
    switch (node.kind) {
      case KernelNodeKind::operand: return leaves_.operand(node.index);
      case KernelNodeKind::scalar: return kernel_.scalar(node.index);
      case KernelNodeKind::reduce: return leaves_.reduced(index);
      case KernelNodeKind::shifted: break;  // of devices
      case KernelNodeKind::cast: {
        const Value v = value(node.in[0]);
        if (node.index) return {v.im, 0};
        return cast(kernel_.dag, spec_.nodes[node.in[0]].type, node.type, v);
      }
      case KernelNodeKind::op: break;
    }
    Value in[3];
    for (int i = 0; i < info(node.op).arity; ++i) in[i] = value(node.in[i]);
    return apply(kernel_.dag, node.op, node.loop, in);
  }

  Kernel& kernel_;
  const KernelSpec& spec_;
  const Leaves& leaves_;
  std::vector<Value> values_;
  std::vector<bool> known_;
};

}  // namespace

Value Kernel::lower(const KernelSpec& of, int node, const Leaves& leaves) { return Lowering(*this, of, leaves).value(node); }

std::vector<Value> Kernel::lower_all(const KernelSpec& of, const Leaves& leaves) {
  Lowering lowering(*this, of, leaves);
  std::vector<Value> values;
  for (std::uint16_t output : of.outputs) values.push_back(lowering.value(output));
  return values;
}

void Kernel::add_stores(std::vector<Stored>& stores, const Buffer& to, Value v) const {
  stores.push_back({v.re, to.array, 0});
  if (is_complex(to.type)) stores.push_back({v.im, to.array, 1});
}

Step Kernel::step_for(const std::vector<Id>& roots) const {
  if (!target.simd) return {1, false};
  std::vector<bool> needed(dag.size());
  for (Id id : roots) needed[id] = true;
  int widest = 1, count = 0;
  for (Id id = dag.size(); id-- > 0;) {
    if (!needed[id]) continue;
    const DagNode& n = dag[id];
    widest = std::max(widest, width_of(n.type));
    count += n.prim != Prim::constant;
    for (int k = 0; k < arity_of(n.prim); ++k)
      if (!(n.prim == Prim::rarely && k == 1)) needed[n.in[k]] = true;
  }
  // How many operations wait for each other.
  std::vector<int> depth(dag.size());
  int longest = 0;
  for (Id id = 0; id < dag.size(); ++id) {
    const DagNode& n = dag[id];
    if (!needed[id] || n.prim == Prim::leaf || n.prim == Prim::constant) continue;
    for (int k = 0; k < arity_of(n.prim); ++k) depth[id] = std::max(depth[id], depth[n.in[k]]);
    longest = std::max(longest, ++depth[id]);
  }
  // Several vectors at once hide latencies: of a chain four; of short expressions, whose rounds overlap, two. They are
  // code, too, which takes its time to be compiled.
  const int vectors = longest < 16 ? 2 : count <= 300 ? 4 : count <= 1200 ? 2 : 1;
  return {16 / widest * vectors, longest >= 48 && count <= 300};
}

int Kernel::begin_axis(const std::vector<Buffer*>& buffers, int level, int extent) {
  const int count = code.local(Wasm::i32);
  const auto at = static_cast<std::size_t>(level);
  code.get(extent).tee(count).i32(0).raw(op::i32_gt_s).begin_if();
  for (Buffer* b : buffers) code.get(b->base[at - 1]).set(b->base[at]);
  code.begin_loop();
  return count;
}

void Kernel::end_axis(const std::vector<Buffer*>& buffers, int level, int count) {
  const auto at = static_cast<std::size_t>(level);
  for (Buffer* b : buffers) code.increase_by(b->base[at], b->stride[b->stride.size() - at]);
  code.get(count).i32(1).raw(op::i32_sub).tee(count).i32(0).raw(op::i32_gt_s).br_if(0);
  code.end().end();
}

void Kernel::start_walk(const std::vector<Buffer*>& buffers, int level) {
  for (Buffer* b : buffers)
    code.get(b->base[static_cast<std::size_t>(level)]).set(arrays[static_cast<std::size_t>(b->array)].pointer);
}

}  // namespace numjit::wasm_gen
