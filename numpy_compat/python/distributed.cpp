// numjit.distributed: operations between ranks, for numjit/distributed.py.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <numjit/base/location_provider.h>
#include <numjit/np_distributed.h>

#include "module.h"

namespace numjit::py {

namespace {

namespace nd = numjit::distributed;

/// The call of an operation: its line is asked for with the GIL, and the ranks are waited for without.
template <class F>
nb::object waited(Any x, F&& fn) {
  Argument a(x.ptr());
  const location where = detail::known_location({});
  array result;
  {
    MaybeUnlocked unlocked(MaybeUnlocked::worth + 1, a);
    const operand& in = a;
    result = fn(in.is_array() ? operand(array::share(in.n()), where.file, where.function, where.line) : in);
  }
  return give_result(std::move(result));
}

template <class F>
void waited(F&& fn) {
  const location where = detail::known_location({});
  std::optional<Unlocked> unlocked;
  if (!detail::recording) unlocked.emplace();
  fn(where);
}

/// Buckets of one call of a function, which Python runs between begin() and end().
class Buckets {
 public:
  Buckets(std::vector<int> parted, std::int64_t bucket_bytes, const nd::communicator& on)
      : buckets_({std::move(parted), bucket_bytes, on}, {}) {}
  void begin() { scope_.emplace(buckets_); }
  void end() { scope_.reset(); }
  nb::object mean_of(Any value) {
    return waited(value, [&](const operand& in) { return buckets_.mean_of(asarray(in)); });
  }

 private:
  nd::GradientBuckets buckets_;
  std::optional<transform::gradients_taken_by> scope_;
};

}  // namespace

void define_distributed(Module& top) {
  Module m(top.def_submodule("distributed"));
  nb::class_<nd::communicator>(m, "communicator")
      .def_prop_ro("rank", &nd::communicator::rank)
      .def_prop_ro("size", &nd::communicator::size)
      .def(
          "split",
          [](const nd::communicator& c, std::int64_t color, std::int64_t key) {
            nd::communicator made;
            waited([&](const location& where) { made = c.split(color, key, where); });
            return made;
          },
          nb::arg("color"), nb::arg("key") = 0,
          "Those of the ranks that give the same color, ordered by key, then by rank. All ranks call it.");
  nb::class_<Buckets>(m, "Buckets")
      .def(nb::init<std::vector<int>, std::int64_t, const nd::communicator&>())
      .def("begin", &Buckets::begin)
      .def("end", &Buckets::end)
      .def("mean_of", &Buckets::mean_of);
  m.def("world", nd::world);
  m.def("adopt", nd::adopt);
  m.def("all_reduce", [](Any x, const std::string& op, const nd::communicator& on) {
    return waited(x, [&](const operand& in) { return nd::all_reduce(in, {op.c_str(), on}); });
  });
  m.def("all_gather", [](Any x, std::int64_t axis, std::int64_t length, const nd::communicator& on) {
    return waited(x, [&](const operand& in) { return nd::all_gather(in, {axis, length, on}); });
  });
  m.def("reduce_scatter", [](Any x, const std::string& op, std::int64_t axis, const nd::communicator& on) {
    return waited(x, [&](const operand& in) { return nd::reduce_scatter(in, {op.c_str(), axis, on}); });
  });
  m.def("broadcast", [](Any x, std::int64_t root, const nd::communicator& on) {
    return waited(x, [&](const operand& in) { return nd::broadcast(in, {root, on}); });
  });
  m.def("all_to_all", [](Any x, std::int64_t axis, const nd::communicator& on) {
    return waited(x, [&](const operand& in) { return nd::all_to_all(in, {axis, on}); });
  });
  m.def("permute", [](Any x, const std::vector<std::pair<std::int64_t, std::int64_t>>& pairs, const nd::communicator& on) {
    return waited(x, [&](const operand& in) { return nd::permute(in, pairs, {on}); });
  });
  m.def("exchange_halo", [](Any x, std::int64_t width, std::int64_t axis, bool periodic, const nd::communicator& on) {
    return waited(x, [&](const operand& in) { return nd::exchange_halo(in, width, {axis, periodic, on}); });
  });
  m.def("sum", [](Any x, Any axis, const nd::communicator& on) {
    nd::sum_options o{.on = on};
    if (!axis.is_none()) o.axis = nb::cast<std::int64_t>(axis);
    return waited(x, [&](const operand& in) { return nd::sum(in, o); });
  });
  m.def("part", [](std::int64_t n, const nd::communicator& on) {
    const slice rows = nd::part(n, on);
    return std::pair(rows.start, rows.stop);
  });
  m.def("barrier", [](const nd::communicator& on) { waited([&](const location& where) { nd::barrier(on, where); }); });
  m.def("abort", [](const std::string& text) { nd::abort(text); });
  m.def("leave", nd::leave, nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace numjit::py
