// The NumPy surface of numjit: include this one header and write `namespace np = numjit;`.
//
//   np::array a{{1, 2}, {3, 4}};           arrays, views and operators as in NumPy
//   auto b = np::sum(a * a, {.axis = 1});  options are designated initialisers
//   auto f = np::compile(fn);              the same code, compiled
//
// Images are in <numjit/image.h>.
#pragma once

#include <numjit/base/needs_cxx20.h>
#include <numjit/base/needs_same_containers.h>

// Enumerators and members are called as NumPy's things are, `none` and `add`, and so are things of the namespace: -Wshadow, which
// users may have on, takes one for hiding the other.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"

#include <numjit/np_creation.h>
#include <numjit/np_devices.h>
#include <numjit/np_dtypes.h>
#include <numjit/np_emath.h>
#include <numjit/np_fft.h>
#include <numjit/np_index_tricks.h>
#include <numjit/np_indexing.h>
#include <numjit/np_io.h>
#include <numjit/np_iteration.h>
#include <numjit/np_keywords.h>
#include <numjit/np_linalg.h>
#include <numjit/np_manipulation.h>
#include <numjit/np_methods.h>
#include <numjit/np_polynomial.h>
#include <numjit/np_random.h>
#include <numjit/np_reductions.h>
#include <numjit/np_sets.h>
#include <numjit/np_statistics.h>
#include <numjit/np_ufunc_methods.h>
#include <numjit/np_ufuncs.h>

#include <numjit/base/error_location.h>

#if __has_include(<numjit/trace/api/api.h>)
#include <numjit/trace/api/api.h>
#include <numjit/trace/api/profiler.h>
#include <numjit/trace/api/report.h>
#include <numjit/trace/export/export.h>
#endif
#include <numjit/np_transforms.h>

#pragma GCC diagnostic pop

// a[0, 1] is a[1] before C++23, where it is element (0, 1): a(0, 1) is that in both.
#ifndef __cpp_multidimensional_subscript
#if defined(__clang__)
#pragma clang diagnostic error "-Wdeprecated-comma-subscript"
#elif defined(__GNUC__)
#pragma GCC diagnostic error "-Wcomma-subscript"
#endif
#endif
