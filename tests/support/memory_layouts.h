// The same values in different memory: what no result may depend on.
#pragma once

#include <string_view>
#include <vector>

#include <numjit/np.h>
#include <numjit/ops/bind.h>
#include <numjit/ops/param_layout.h>

namespace numjit::testing {

/// c: C order; f: Fortran order; strided: every second element along each axis of a larger array (the first
/// of which is not its start); negative: every axis backwards in memory.
enum class MemoryLayout { c, f, strided, negative };
inline constexpr MemoryLayout memory_layouts[] = {MemoryLayout::c, MemoryLayout::f, MemoryLayout::strided,
                                                  MemoryLayout::negative};
constexpr std::string_view layout_name(MemoryLayout layout) {
  constexpr std::string_view names[] = {"c", "f", "strided", "negative"};
  return names[static_cast<int>(layout)];
}

/// One range along each axis.
inline array ranges(const array& a, std::int64_t start, std::int64_t step) {
  std::vector<layout::index_entry> entries(static_cast<std::size_t>(a.ndim()),
                                           layout::index_entry::range(start, layout::none, step));
  const op_params params = layout::index_params(entries);
  return bind({op_id::index, {a}, &params, nullptr, nullptr, location::here()});
}

/// A fresh array of a's values with this layout.
inline array laid_out(const array& a, MemoryLayout kind) {
  if (a.ndim() == 0) return a.copy();
  switch (kind) {
    case MemoryLayout::c: return a.copy();
    case MemoryLayout::f: return a.transpose().copy().transpose();
    case MemoryLayout::strided: {
      dims wide = a.shape();
      for (int k = 0; k < wide.size(); ++k) wide[k] = 2 * wide[k] + 1;
      array view = ranges(zeros(wide, {.dtype = a.dtype()}), 1, 2);
      std::move(view) = a;
      return view;
    }
    case MemoryLayout::negative: return ranges(ranges(a, layout::none, -1).copy(), layout::none, -1);
  }
  return a;
}

}  // namespace numjit::testing
