// numjit.list_devices() and its like, and arrays that move between devices.
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <numjit/array/remote.h>
#include <numjit/base/location_provider.h>
#include <numjit/np_cuda_graphs.h>

#include "devices.h"

namespace numjit::py {
namespace {

nb::dict device_fields(const device_info& d) {
  nb::dict fields;
  fields["name"] = d.name;
  fields["model"] = d.model;
  fields["driver"] = d.driver;
  fields["memory"] = d.memory;
  fields["units"] = d.units;
  fields["capability"] = d.capability;
  return fields;
}

nb::dict memory_fields(const std::string& name) {
  const device_memory m = device_memory_usage(name);
  nb::dict fields;
  fields["in_use"] = m.in_use;
  fields["peak"] = m.peak;
  fields["cached"] = m.cached;
  fields["limit"] = m.limit;
  fields["trims"] = m.trims;
  return fields;
}

nb::list host_work_fields() {
  nb::list all;
  for (const host_work& w : device_host_work()) {
    nb::dict fields;
    fields["device"] = w.device;
    fields["op"] = w.op;
    fields["count"] = w.count;
    fields["bytes"] = w.bytes;
    all.append(fields);
  }
  return all;
}

nb::dict transfer_fields() {
  const device_transfers t = transfer_counts();
  nb::dict fields;
  fields["in_"] = t.in;  // `in` is a word of Python
  fields["in_bytes"] = t.in_bytes;
  fields["out"] = t.out;
  fields["out_bytes"] = t.out_bytes;
  return fields;
}

nb::dict cuda_fields() {
  const cuda::info_report report = cuda::info();
  nb::list all;
  for (const device_info& d : report.devices) all.append(device_fields(d));
  nb::dict fields;
  fields["available"] = report.available;
  fields["reason"] = report.reason;
  fields["driver"] = report.driver;
  fields["devices"] = all;
  fields["text"] = report.str();
  return fields;
}

}  // namespace

array placed_in_scope(array made) {
  node* n = made.get();
  // Memory of somebody else's stays where it is.
  if (n->device == 0 && !n->base && !n->deleter && !n->is(node::lazy)) detail::place_in_scope(n);
  return made;
}

void define_devices(Module& m) {
  m.def("_list_devices", [] {
    nb::list all;
    for (const device_info& d : list_devices()) all.append(device_fields(d));
    return all;
  });
  m.def("_device_now", [] { return detail::device_name(detail::device_now()); });
  m.def("_device_name", [](const std::string& name) { return detail::device_name(detail::device_index(name)); });
  m.def("_device_memory", memory_fields);
  m.def("set_device_memory_limit", [](const std::string& name, std::int64_t bytes) { set_device_memory_limit(name, bytes); });
  m.def("trim_device_memory", [](const std::string& name) { trim_device_memory(name); });
  m.def("_host_work", host_work_fields);
  m.def("_transfer_counts", transfer_fields);
  m.def("_cuda_info", cuda_fields);
  m.def("_use_graphs", [](bool on) { cuda::use_graphs(on); });
  m.def("_uses_graphs", [] { return cuda::uses_graphs(); });
  m.def("_graph_counts", [] {
    const cuda::graph_counts c = cuda::count_graphs();
    nb::dict fields;
    fields["kept"] = c.kept;
    fields["repeated"] = c.repeated;
    fields["launched"] = c.launched;
    fields["refused"] = c.refused;
    return fields;
  });
  // The object itself where the array is there already.
  m.def("_to_device", [](Any o, const std::string& name) {
    const array& from = checked_array(o.ptr());
    const array there = from.to(name, detail::recording ? detail::known_location({}) : location{});
    if (there.get() == from.get()) return nb::borrow(o);
    return nb::steal(wrap(there, is_scalar(o.ptr())));
  });
}

}  // namespace numjit::py
