// Creation, shapes, joining, elements and text, as JavaScript calls them.
#include "rows.h"

#include <numjit/base/error.h>

namespace numjit::js {
namespace {

filled_options made_as(Call& c, int i) { return {.dtype = c.type(i)}; }
like_options like_as(Call& c, int i) { return {.dtype = c.type(i)}; }

/// An array of the shape that parameter 0 has, in the order that parameter i names.
array shaped(Call& c, int i, array (*make)(Call&, const dims&)) {
  return c.has(i) ? made_in_order(c, i, make) : make(c, c.shape(0));
}

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
  const bool endpoint = c.flag(3, true);
  const array values = linspace(c[0], c[1], num, {.endpoint = endpoint, .dtype = c.type(5), .axis = c.integer(6, 0)});
  return c.flag(4) ? spaced_with_step(c, values, num, endpoint) : give(values);
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
      {"zeros", "shape = dtype order",
       [](Call& c) { return give(shaped(c, 2, [](Call& of, const dims& shape) { return zeros(shape, made_as(of, 1)); })); }},
      {"ones", "shape = dtype order",
       [](Call& c) { return give(shaped(c, 2, [](Call& of, const dims& shape) { return ones(shape, made_as(of, 1)); })); }},
      {"empty", "shape = dtype order",
       [](Call& c) { return give(shaped(c, 2, [](Call& of, const dims& shape) { return empty(shape, made_as(of, 1)); })); }},
      {"full", "shape fill_value = dtype order",
       [](Call& c) {
         return give(shaped(c, 3, [](Call& of, const dims& shape) { return full(shape, of[1], made_as(of, 2)); }));
       }},
      {"zeros_like", "a = dtype", [](Call& c) { return give(zeros_like(c[0], like_as(c, 1))); }},
      {"ones_like", "a = dtype", [](Call& c) { return give(ones_like(c[0], like_as(c, 1))); }},
      {"full_like", "a fill_value = dtype", [](Call& c) { return give(full_like(c[0], c[1], like_as(c, 2))); }},
      {"arange", "start = stop step dtype", [](Call& c) { return give(ranged(c)); }},
      {"linspace", "start stop = num endpoint? retstep? dtype axis", spaced},
      {"eye", "N = M k dtype",
       [](Call& c) {
         const std::int64_t n = c.integer(0, 0);
         const array made = eye(n, c.integer(1, n), c.integer(2, 0));
         const optional_dtype type = c.type(3);
         return give(type ? made.astype(*type, {}) : made);
       }},
      {"diag", "v = k", [](Call& c) { return give(diag(c[0], c.integer(1, 0))); }},
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
        copyto(c[0].as_array(), c[1], {.casting = c.word(2, "same_kind"), .where = c.array_or_none(3)});
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
      {"copy", "a = order",
       [](Call& c) {
         const array a = c[0].as_array();
         return give(c.has(1) ? copied_in_order(c, 1, a, a) : a.copy({}));
       }},
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
