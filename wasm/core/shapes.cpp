// Creation, shapes, joining, elements and text, as JavaScript calls them.
#include "rows.h"

#include <numjit/base/error.h>

namespace numjit::js {
namespace {

/// Parameters from i on: dtype, order, device.
filled_options made_as(Call& c, int i) {
  filled_options o{.dtype = c.type(i)};
  if (c.has(i + 1) || c.has(i + 2)) place_filled(c, i + 1, o.order, o.device);
  return o;
}
/// dtype, order, subok, shape, device.
like_options like_as(Call& c, int i) {
  like_options o{.dtype = c.type(i)};
  if (c.has(i + 1) || c.has(i + 3) || c.has(i + 4)) place_like(c, i + 1, o);
  return o;
}
Result filled(Call& c, array (*make)(const shape_list&, const filled_options&, location)) {
  return give(make(c.shape(0), made_as(c, 1), {}));
}
Result filled_like(Call& c, array (*make)(const operand&, const like_options&)) { return give(make(c[0], like_as(c, 1))); }

/// The second parameter is a dtype, the third an order.
array converted(Call& c, bool copies) {
  const array a = c[0].as_array();
  const optional_dtype type = c.type(1);
  const bool casts = type && !(*type == a.dtype());
  const array as = casts ? a.astype(*type, {}) : a;
  if (c.has(2)) return copies || casts ? copied_in_order(c, 2, as, a) : laid_in_order(c, 2, as);
  return copies && !casts ? a.copy({}) : as;
}

Result spaced(Call& c) {
  const std::int64_t num = c.integer(2, 50);
  linspace_options o{.endpoint = c.flag(3, true), .dtype = c.type(5), .axis = c.integer(6, 0)};
  if (c.has(7)) o.device = c.word(7, "");
  return c.flag(4) ? spaced_with_step(c, num, o) : give(linspace(c[0], c[1], num, o));
}

/// Joined along an existing axis, null for flattened arrays; or along a new one.
Result concatenated(Call& c) {
  return give(concatenate(
      c.arrays(0), {.axis = c.axis_or(1, 0), .out = c.array_or_none(2), .dtype = c.type(3), .casting = c.word(4, "same_kind")}));
}
Result stacked(Call& c) {
  return give(stack(c.arrays(0),
                    {.axis = c.integer(1, 0), .out = c.array_or_none(2), .dtype = c.type(3), .casting = c.word(4, "same_kind")}));
}
stack_options stacking(Call& c) { return {.dtype = c.type(1), .casting = c.word(2, "same_kind")}; }

array ranged(Call& c) {
  const array_options o{.dtype = c.type(3)};
  if (!c.has(1)) return arange(c[0], o);
  return !c.has(2) ? arange(c[0], c[1], o) : arange(c[0], c[1], c[2], o);
}

Result where_of(Call& c) { return give(nonzero(c[0])); }

}  // namespace

void add_shapes(std::vector<Function>& table) {
  static constexpr Function rows[] = {
      {"array", "object = dtype order", [](Call& c) { return give(converted(c, true)); }},
      {"asarray", "object = dtype order", [](Call& c) { return give(converted(c, false)); }},
      row<"zeros">([](Call& c) { return filled(c, &zeros); }),
      row<"ones">([](Call& c) { return filled(c, &ones); }),
      row<"empty">([](Call& c) { return filled(c, &empty); }),
      row<"full">([](Call& c) { return give(full(c.shape(0), c[1], made_as(c, 2))); }),
      row<"zeros_like">([](Call& c) { return filled_like(c, &zeros_like); }),
      row<"ones_like">([](Call& c) { return filled_like(c, &ones_like); }),
      row<"full_like">([](Call& c) { return give(full_like(c[0], c[1], like_as(c, 2))); }),
      {"arange", "start = stop step dtype", [](Call& c) { return give(ranged(c)); }},
      row<"linspace">(spaced),
      row<"eye">([](Call& c) {
        const std::int64_t n = c.integer(0, 0);
        eye_options o{.M = c.integer(1, n), .k = c.integer(2, 0), .dtype = c.type(3)};
        if (c.has(4) || c.has(5)) place_filled(c, 4, o.order, o.device);
        return give(eye(n, o));
      }),
      row<"diag">([](Call& c) { return give(diag(c[0], c.integer(1, 0))); }),
      row<"reshape">([](Call& c) { return give(c.has(2) || c.has(3) ? reshaped_with_options(c) : reshape(c[0], c.shape(1))); }),
      row<"ravel">([](Call& c) { return give(c.has(1) ? raveled_in_order(c, 1) : ravel(c[0])); }),
      row<"transpose">([](Call& c) { return give(transpose(c[0], c.axes(1).list())); }),
      row<"swapaxes">([](Call& c) { return give(swapaxes(c[0], c.integer(1, 0), c.integer(2, 1))); }),
      row<"moveaxis">([](Call& c) { return give(moveaxis(c[0], c.axes(1), c.axes(2))); }),
      row<"squeeze">([](Call& c) { return give(squeeze(c[0], c.axes(1))); }),
      row<"expand_dims">([](Call& c) { return give(expand_dims(c[0], c.axes(1))); }),
      row<"broadcast_to">([](Call& c) { return give(broadcast_to(c[0], c.shape(1))); }),
      row<"diagonal">([](Call& c) { return give(diagonal(c[0], c.integer(1, 0), c.integer(2, 0), c.integer(3, 1))); }),
      row<"real">([](Call& c) { return give(real(c[0])); }),
      row<"imag">([](Call& c) { return give(imag(c[0])); }),
      row<"concatenate">(concatenated),
      row<"stack">(stacked),
      row<"vstack">([](Call& c) { return give(vstack(c.arrays(0), stacking(c))); }),
      row<"hstack">([](Call& c) { return give(hstack(c.arrays(0), stacking(c))); }),
      row<"tile">([](Call& c) { return give(tile(c[0], c.shape(1))); }),
      row<"repeat">([](Call& c) {
        const array often = c[1].as_array();
        return give(often.ndim() == 0 ? repeat(c[0], c.integer(1, 1), c.axis(2)) : repeat(c[0], often, c.axis(2)));
      }),
      row<"roll">([](Call& c) {
        return give(c.has(2) ? roll(c[0], c[1].as_dims("shift"), c[2].as_dims("axis")) : roll(c[0], c[1].as_integer("shift")));
      }),
      row<"flip">([](Call& c) { return give(flip(c[0], c.axes(1))); }),
      row<"nonzero">(where_of),
      row<"flatnonzero">([](Call& c) { return give(flatnonzero(c[0])); }),
      row<"take">([](Call& c) {
        return give(take(c[0], c[1], take_options{.axis = c.axis(2), .out = c.array_or_none(3), .mode = c.word(4, "raise")}));
      }),
      row<"copyto">([](Call& c) {
        copyto(c[0].as_array(), c[1], {.casting = c.word(2, "same_kind"), .where = c.mask(3)});
        return Result();
      }),
      {"array2string", "a", [](Call& c) { return give(array2string(c[0].as_array())); }},
      {"array_str", "a", [](Call& c) { return give(c[0].as_array().str()); }},
      {"astype", "x dtype = order * copy? device",
       [](Call& c) {
         if (const std::string_view device = c.word(4, "cpu"); device != "cpu")
           throw ValueError(c.name(), "device: got '" + std::string(device) + "', expected 'cpu'.");
         const array a = c[0].as_array();
         if (!c.flag(3, true) && !c.has(2) && a.dtype() == c[1].as_dtype()) return give(a);
         const array as = a.astype(c[1].as_dtype(), {});
         return give(c.has(2) ? copied_in_order(c, 2, as, a) : as);
       }},
      row<"copy">([](Call& c) {
        const array a = c[0].as_array();
        return give(c.has(1) ? copied_in_order(c, 1, a, a) : a.copy({}));
      }),
      {"fill", "a value",
       [](Call& c) {
         c[0].as_array().fill(c[1], {});
         return Result();
       }},
      {"item", "a", [](Call& c) { return give(detail::single_element(c[0].as_array(), {})); }},
      {"truth", "a", [](Call& c) { return give(static_cast<bool>(c[0].as_array())); }},
  };
  table.insert(table.end(), std::begin(rows), std::end(rows));
}

}  // namespace numjit::js
