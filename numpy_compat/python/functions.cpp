// Functions that make, reduce, sort and join arrays, for the Python layer: positional, with all options.
#include <deque>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <at_hand.h>
#include <numjit/image.h>
#include <numjit/mapped_file.h>
#include <numjit/npy.h>
#include <numjit/ops/param_layout.h>

#include "byte_order.h"
#include "devices.h"

namespace numjit::py {

array target_of(Any out) {
  array target = opt_array(out);
  if (!target.empty_handle()) {
    if (!target.writeable()) throw ValueError("", "output array is read-only");
    detail::settle_pending();
  }
  return target;
}

namespace {

op_id op_named(const std::string& name) {
  if (std::optional<op_id> op = find_op(name)) return *op;
  throw ValueError("", "unknown op: got '" + name + "'.");
}

layout::number number_of(const std::string& op, const operand& v) {
  if (!v.is_array()) return layout::number::of_literal(v);
  detail::refuse_followed(v.n(), op.c_str(), "initial");
  const detail::element_value e = detail::single_element(array::share(v.n()), {});
  if (e.kind == 'c') return layout::number::of(e.re, e.im);
  if (e.kind == 'f') return layout::number::of(e.re);
  return layout::number::of(e.i);
}

nb::object reduce(const std::string& name, Any h, Any axis, Any type, Any out, bool keepdims,
                  Any initial, Any where) {
  Argument a(h.ptr());
  layout::reduction r;
  const axis_list axes = to_axes(axis.ptr());
  if (!axes.all()) r.axes = axes.list();
  r.keepdims = keepdims;
  if (!initial.is_none()) r.initial = number_of(name, initial_of(Argument(initial.ptr())));
  r.dtype = to_optional_dtype(type.ptr());
  const array target = target_of(out), mask = opt_array(where);
  const op_params params = layout::reduction_params(r);
  array result;
  {
    MaybeUnlocked unlocked(work_of(a));
    result = bind({op_named(name), a.get(), &params, target.empty_handle() ? nullptr : target.get(),
                   mask.empty_handle() ? nullptr : mask.get(), {}});
  }
  return give_or_out(std::move(result), out);
}

void define_reductions(Module& m) { m.def("reduce", reduce); }

void define_ufunc_methods(Module& m) {
  m.def("ufunc_reduce", [](const std::string& name, Any h, Any axis, Any type, Any out, bool keepdims, Any initial, Any where) {
    Argument a(h.ptr()), start;
    ufunc_reduce_options o{.axis = to_axes(axis.ptr()), .out = target_of(out), .keepdims = keepdims, .where = opt_array(where)};
    if (!type.is_none()) o.dtype = dtype(to_dtype(type.ptr()));
    if (!initial.is_none()) {
      start.set(initial.ptr());
      o.initial = initial_of(start);
    }
    array result;
    {
      MaybeUnlocked unlocked(work_of(a));
      result = ufunc(name).reduce(a, o);
    }
    return give_or_out(std::move(result), out);
  });
  const auto options = [](Any axis, Any type, Any out) {
    ufunc_axis_options o{.axis = to_optional_int(axis.ptr()).value_or(0), .out = target_of(out)};
    if (!type.is_none()) o.dtype = dtype(to_dtype(type.ptr()));
    return o;
  };
  m.def("ufunc_accumulate", [options](const std::string& name, Any h, Any axis, Any type, Any out) {
    Argument a(h.ptr());
    const ufunc_axis_options o = options(axis, type, out);
    array result;
    {
      MaybeUnlocked unlocked(work_of(a));
      result = ufunc(name).accumulate(a, o);
    }
    return give_or_out(std::move(result), out);
  });
  m.def("ufunc_reduceat", [options](const std::string& name, Any h, Any indices, Any axis, Any type, Any out) {
    Argument a(h.ptr()), cuts(indices.ptr());
    const ufunc_axis_options o = options(axis, type, out);
    array result;
    {
      MaybeUnlocked unlocked(work_of(a));
      result = ufunc(name).reduceat(a, cuts, o);
    }
    return give_or_out(std::move(result), out);
  });
  m.def("ufunc_at", [](const std::string& name, Any h, Any places, Any given) {
    const array a = to_array(h.ptr()), flat = to_array(places.ptr()), values = opt_array(given);
    MaybeUnlocked unlocked(flat.get()->size);
    detail::ufunc_at_places(ufunc(name).op(), a, flat, given.is_none() ? nullptr : &values);
  });
  m.def("direct_places", [](Any h, Any index) -> nb::object {
    const array places = detail::direct_places(to_array(h.ptr()), to_array(index.ptr()));
    return places.empty_handle() ? nb::none() : give(places);
  });
  m.def("ufunc_identity", [](const std::string& name) { return ufunc(name).identity(); });
}

/// np.result_type: arrays, dtypes and what stands for them, numbers.
nb::object result_type_of(nb::args args) {
  std::vector<operand> operands;
  std::vector<array> kept;
  kept.reserve(args.size());
  std::deque<Argument> arguments;
  for (nb::handle h : args) {
    if (is_array(h.ptr()) || is_weak_number(h.ptr())) {
      const Argument& given = arguments.emplace_back(h.ptr());
      // an integer of any size is weak
      operands.push_back(given.is_huge() && args.size() > 1 ? operand(0, "", "", 0) : given.get());
      continue;
    }
    std::optional<dtype_id> type;
    try {
      type = to_dtype(h.ptr());
    } catch (const TypeError&) {
    }
    if (type) {
      kept.push_back(empty({0}, dtype(*type), {}));
      operands.push_back(operand_of(kept.back()));
    } else {
      operands.push_back(arguments.emplace_back(h.ptr()).get());
    }
  }
  if (operands.empty()) throw ValueError("result_type", "at least one array or dtype is required");
  if (operands.size() == 1 && !operands[0].is_array() && operands[0].kind() == weak_kind::int_ && operands[0].above_int64())
    return nb::borrow(dtype_object(dtype_id::uint64));
  return nb::borrow(dtype_object(result_type(operand_list(operands.data(), operands.size()))));
}

void define_promotion(Module& m) {
  m.def("promote_types",
        [](Any a, Any b) { return nb::borrow(dtype_object(promote_types(to_dtype(a.ptr()), to_dtype(b.ptr())))); });
  m.def("result_type", result_type_of);
  m.def("can_cast", [](Any from, Any to, const std::string& rule) {
    const bool casts = can_cast(dtype(to_dtype(from.ptr())), dtype(to_dtype(to.ptr())), rule.c_str());
    return casts && (rule != "no" || is_other_order(from.ptr()) == is_other_order(to.ptr()));
  });
}

void define_creation(Module& m) {
  m.def("array", [](Any o, Any type, bool copy) {
    const auto [t, other] = to_kept_type(type.ptr());
    if (t && is_array(o.ptr())) warn_complex(array_of(o.ptr()).dtype().id(), *t, 2);
    return in_order(give(placed_in_scope(array_from(o.ptr(), t, copy))), t ? other : is_in_other_order(o.ptr()));
  });
  m.def("asarray", [](Any o, Any type, bool allow_copy) {
    if (is_array(o.ptr()) && type.is_none() && !is_scalar(o.ptr())) return nb::borrow(o);
    if (!allow_copy && is_array(o.ptr()) && is_scalar(o.ptr()))
      throw ValueError("asarray", "Unable to avoid copy while creating an array as requested. Use copy=None.");
    const nb::object own = array_offered_by(o.ptr());
    if (own.is_valid() && type.is_none()) return own;
    if (own.is_valid()) o = Any(own);
    const auto [t, other] = to_kept_type(type.ptr());
    if (t && is_array(o.ptr())) warn_complex(array_of(o.ptr()).dtype().id(), *t, 2);
    array made = unshared(to_array(o.ptr(), t, allow_copy), o.ptr());
    const bool is_own = is_array(o.ptr()) && !is_scalar(o.ptr()) && made.get() == array_of(o.ptr()).get();
    if (is_own && is_in_other_order(o.ptr()) == other) return nb::borrow(o);
    if (other || is_own) {
      if (!allow_copy) throw ValueError("asarray", "Unable to avoid copy while creating an array as requested. Use copy=None.");
      if (is_own || made.get()->deleter || made.get()->base) made = made.copy({});
    }
    return in_order(give(is_array(o.ptr()) ? made : placed_in_scope(made)), other);
  });
  m.def("is_weak", [](Any o) { return is_weak_number(o.ptr()); });
  m.def("stands_for_number", [](Any o) { return stands_for_number(o.ptr()); });
  m.def("as_scalar", [](Any o) { return nb::steal(wrap(checked_array(o.ptr()), array_of(o.ptr()).ndim() == 0)); });
  m.def("full", [](Any shape, Any value, Any type) {
    const dims extents = to_dims(shape.ptr());
    detail::check_extents("full", extents);
    Argument v(value.ptr());
    const auto [t, other] = to_kept_type(type.ptr());
    v.refuse_huge(t ? dtype(*t).kind() : 'i');
    if (t && v.get().kind() == weak_kind::int_) check_literal("full", v.get(), *t);
    filled_options o;
    if (t) o.dtype = dtype(*t);
    return in_order(give(full(extents, v, o)), other);
  });
  m.def("arange", [](Any start, Any stop, Any step, Any type) {
    array_options o;
    const auto [t, other] = to_kept_type(type.ptr());
    if (t) o.dtype = dtype(*t);
    return in_order(give(arange(Argument(start.ptr()), Argument(stop.ptr()), Argument(step.ptr()), o)), other);
  });
  define_promotion(m);
}

/// Options of a dict over others; the texts among them are kept in `nan` and `inf`.
print_options with_options(print_options o, nb::dict options, std::string& nan, std::string& inf) {
  nan = o.nanstr, inf = o.infstr;
  for (auto [key, value] : options) {
    const auto name = nb::cast<std::string>(key);
    if (name == "precision")
      o.precision = nb::cast<int>(value);
    else if (name == "threshold")
      o.threshold = nb::cast<int>(value);
    else if (name == "edgeitems")
      o.edgeitems = nb::cast<int>(value);
    else if (name == "linewidth")
      o.linewidth = nb::cast<int>(value);
    else if (name == "suppress")
      o.suppress = nb::cast<bool>(value);
    else if (name == "nanstr")
      nan = nb::cast<std::string>(value);
    else if (name == "infstr")
      inf = nb::cast<std::string>(value);
  }
  o.nanstr = nan.c_str();
  o.infstr = inf.c_str();
  return o;
}

void define_text(Module& m) {
  m.def("png", [](nb::handle a) {
    const std::string file = png(array_of(a.ptr()));
    return nb::bytes(file.data(), file.size());
  });
  m.def("imsave", [](const std::string& path, nb::handle a) { imsave(path, array_of(a.ptr())); });
  m.def("picture", [](nb::handle a) { return give(picture(array_of(a.ptr()))); });
  m.def("array2string", [](Any a, nb::dict options) {
    std::string nan, inf;
    const print_options o = with_options(get_printoptions(), options, nan, inf);
    return array2string(checked_array(a.ptr()), o);
  });
  m.def("get_printoptions", [] {
    const print_options o = get_printoptions();
    nb::dict d;
    d["precision"] = o.precision;
    d["threshold"] = o.threshold;
    d["edgeitems"] = o.edgeitems;
    d["linewidth"] = o.linewidth;
    d["suppress"] = o.suppress;
    d["nanstr"] = o.nanstr;
    d["infstr"] = o.infstr;
    return d;
  });
  m.def("plain_text", [](nb::handle a, bool repr, nb::dict options) {
    std::string nan, inf;
    const printoptions scope(with_options(get_printoptions(), options, nan, inf));
    return nb::steal(plain_text(a.ptr(), repr));
  });
  m.def("set_text_functions", set_text_functions);
  m.def("npy_parts", [](Any a) {
    auto [header, stored] = detail::npy_parts_of(Argument(a.ptr()));
    return nb::make_tuple(nb::bytes(header.data(), header.size()), give(std::move(stored)));
  });
  // Bytes of what npy_parts gives second. Not by its buffer: nobody else comes to see the array's memory.
  m.def("npy_part", [](Any stored, std::int64_t begin, std::int64_t end) {
    return nb::bytes(array_of(stored.ptr()).get()->data + begin, static_cast<std::size_t>(end - begin));
  });
  m.def("from_npy_bytes", [](nb::bytearray bytes, const std::string& name) {
    return give(from_npy_bytes(static_cast<const char*>(bytes.data()), bytes.size(), name));
  });
}

void define_files(Module& m) {
  m.def("npy_size", [](nb::bytearray bytes, const std::string& name) {
    return detail::npy_size(static_cast<const char*>(bytes.data()), bytes.size(), name);
  });
  m.def("memmap", [](const std::string& path, Any type, const std::string& mode, std::int64_t offset, Any shape) {
    memmap_options o{.dtype = dtype(to_native_dtype(type.ptr())), .mode = mode.c_str(), .offset = offset};
    if (!shape.is_none()) o.shape = to_dims(shape.ptr());
    return give(memmap(path, o));
  });
  m.def("load_mapped", [](const std::string& path, const std::string& mode) { return give(load(path, mode.c_str())); });
  m.def("mark_path", [](Any mapped) { detail::mark_path(to_array(mapped.ptr())); });
  m.def("file_of", [](Any a) -> nb::object {
    const std::optional<mapped_file> file = is_array(a.ptr()) ? file_of(array_of(a.ptr())) : std::nullopt;
    if (!file) return nb::none();
    return nb::make_tuple(nb::str(file->filename.c_str()), file->offset, nb::str(file->mode.c_str()), file->given_as_path);
  });
  m.def("flush_file", [](Any mapped) { flush_file(to_array(mapped.ptr())); },
        "Writes what was stored in a mapped array to its file.");
}

}  // namespace

void define_functions(Module& m) {
  define_files(m);
  define_reductions(m);
  define_ufunc_methods(m);
  define_creation(m);
  define_text(m);
}

}  // namespace numjit::py
