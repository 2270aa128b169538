// The table of black boxes and their shape rule.
#include <numjit/ops/black_box.h>

#include <deque>
#include <mutex>
#include <vector>

#include <numjit/ops/bind.h>
#include <numjit/ops/promotion.h>

namespace numjit {
namespace detail {
namespace {

struct Table {
  std::mutex mutex;
  std::deque<black_box> boxes;  // references stay valid
};
Table& table() {
  static auto& instance = *new Table;
  return instance;
}

}  // namespace

std::int64_t add_black_box(black_box box) {
  std::lock_guard lock(table().mutex);
  table().boxes.push_back(std::move(box));
  return static_cast<std::int64_t>(table().boxes.size()) - 1;
}

const black_box& black_box_of(std::int64_t number) {
  std::lock_guard lock(table().mutex);
  return table().boxes[static_cast<std::size_t>(number)];
}

}  // namespace detail

void infer_black_box(const op_call& call, inference& result) {
  std::vector<array_spec> in;
  for (const operand& o : call.in) {
    if (o.is_array())
      in.push_back({o.n()->type, dims(o.n()->shape, o.n()->rank)});
    else
      in.push_back({result_type({&o, 1}), {}});
  }
  const array_spec out = detail::black_box_of(call.p()[0]).shape_rule(in);
  result = {};
  result.type = out.dtype.id();
  result.shape = out.shape;
}

}  // namespace numjit
