// The transforms of a whole array along one axis, as a routine of graphs: lines on all threads.
#include <algorithm>
#include <string_view>
#include <vector>

#include <numjit/base/error.h>
#include <numjit/base/thread_pool.h>
#include <numjit/eager/internal.h>
#include <numjit/ops/routine.h>

#include "lanes.h"
#include "line_impl.h"

namespace numjit::fft {
namespace detail {
namespace v2 {
const LaneFunctions& lane_functions();
}
namespace v3 {
const LaneFunctions& lane_functions();
}
namespace v4 {
const LaneFunctions& lane_functions();
}
}  // namespace detail
namespace {

using detail::cpx;
using detail::Kind;
using detail::LaneFunctions;
using detail::LineGroup;
using detail::LineTransform;
using numjit::detail::routine_call;

dtype_id complex_of(dtype_id t) {
  return t == dtype_id::float32 || t == dtype_id::complex64 ? dtype_id::complex64 : dtype_id::complex128;
}
dtype_id real_of(dtype_id t) { return complex_of(t) == dtype_id::complex64 ? dtype_id::float32 : dtype_id::float64; }

void infer(const op_call& call, inference& result) {
  const node* a = call.in[0].n();
  const std::int64_t kind = call.p()[1], n = call.p()[2], axis = call.p()[3];
  if (kind < 0 || kind > 3 || n < 1 || axis < 0 || axis >= a->rank)
    throw InternalError("fft", "parameters are not those of a transform");
  result.type = kind == static_cast<int>(Kind::to_real) ? real_of(a->type) : complex_of(a->type);
  result.shape = dims(a->shape, a->rank);
  result.shape[static_cast<int>(axis)] = kind == static_cast<int>(Kind::from_real) ? n / 2 + 1 : n;
}

/// Lines of the array along the axis, 16 neighbours at a time: what lies between the elements of a line is
/// used by the next ones.
constexpr std::int64_t together = 16;

template <class T>
struct Lines {
  const node* in;
  int axis;
  std::int64_t inner = 1, count = 1;  // lines that lie side by side in the result; all of them
  explicit Lines(const node* n, int a) : in(n), axis(a) {
    for (int i = 0; i < n->rank; ++i)
      if (i != a) count *= n->shape[i];
    for (int i = a + 1; i < n->rank; ++i) inner *= n->shape[i];
  }
  const char* begin(std::int64_t line) const {
    const char* at = in->data;
    for (int i = in->rank - 1; i >= 0; --i) {
      if (i == axis) continue;
      at += line % in->shape[i] * in->strides[i];
      line /= in->shape[i];
    }
    return at;
  }
};

template <class From, class To>
void convert(const char* from, To& to) {
  const From& v = *reinterpret_cast<const From*>(from);
  if constexpr (requires { v.re; to.re; }) to = {v.re, v.im};
  else if constexpr (requires { to.re; }) to = {v, {}};
  else if constexpr (requires { v.re; }) to = v.re;
  else to = v;
}

/// `n` elements of a line, with zeros where it ends before.
template <class From, class To>
void read(const char* from, std::int64_t step, std::int64_t have, std::int64_t n, To* to) {
  const std::int64_t some = std::min(have, n);
  for (std::int64_t i = 0; i < some; ++i) convert<From>(from + i * step, to[i]);
  for (std::int64_t i = some; i < n; ++i) to[i] = {};
}

/// Transforms lines whose results lie one behind the other, each straight into its place.
template <class E, class T, class In, class Out, class F>
void run_rows(const Lines<T>& lines, std::int64_t n_in, std::int64_t n_out, std::int64_t room, double ns, T factor, Out* result,
              F transform) {
  const std::int64_t step = lines.in->strides[lines.axis], have = lines.in->shape[lines.axis];
  const bool as_it_is = std::is_same_v<E, In> && step == static_cast<std::int64_t>(sizeof(E)) && have >= n_in;
  numjit::detail::parallel_ranges(lines.count, 1, ns * static_cast<double>(lines.count), [&](std::int64_t from, std::int64_t to) {
    std::vector<In> in(static_cast<std::size_t>(as_it_is ? 0 : n_in));
    std::vector<cpx<T>> work(static_cast<std::size_t>(room));
    for (std::int64_t line = from; line < to; ++line) {
      Out* const out = result + line * n_out;
      const char* const begin = lines.begin(line);
      if (as_it_is) {
        transform(reinterpret_cast<const In*>(begin), out, work.data());
      } else {
        read<E>(begin, step, have, n_in, in.data());
        transform(in.data(), out, work.data());
      }
      for (std::int64_t i = 0; factor != T(1) && i < n_out; ++i) out[i] = out[i] * factor;
    }
  });
}

/// Transforms the lines [first, last): E is the input's element, In and Out those of a line.
template <class E, class T, class In, class Out, class F>
void run_lines(const routine_call& c, const LineTransform<T>& t, double ns, F transform) {
  const auto axis = static_cast<int>(c.params[3]);
  const std::int64_t n_in = t.n_in(), n_out = t.n_out(), room = t.room();
  const Lines<T> lines(c.in[0], axis);
  const std::int64_t step = c.in[0]->strides[axis], have = c.in[0]->shape[axis], inner = lines.inner;
  const T factor = static_cast<T>(c.params.real(4));
  auto* result = reinterpret_cast<Out*>(c.result->data);
  if (inner == 1) return run_rows<E, T, In, Out>(lines, n_in, n_out, room, ns, factor, result, transform);
  const std::int64_t groups = (inner + together - 1) / together, outer = lines.count / std::max<std::int64_t>(inner, 1);
  numjit::detail::parallel_ranges(
      outer * groups, 1, ns * static_cast<double>(lines.count), [&](std::int64_t from, std::int64_t to) {
        const std::int64_t at_once = std::min(together, inner);
        std::vector<In> in(static_cast<std::size_t>(n_in * at_once));
        std::vector<Out> out(static_cast<std::size_t>(n_out * at_once));
        std::vector<cpx<T>> work(static_cast<std::size_t>(room));
        for (std::int64_t g = from; g < to; ++g) {
          const std::int64_t first = g % groups * together, many = std::min(together, inner - first), o = g / groups;
          for (std::int64_t l = 0; l < many; ++l)
            read<E>(lines.begin(o * inner + first + l), step, have, n_in, in.data() + l * n_in);
          for (std::int64_t l = 0; l < many; ++l) transform(in.data() + l * n_in, out.data() + l * n_out, work.data());
          for (std::int64_t i = 0; i < n_out; ++i)
            for (std::int64_t l = 0; l < many; ++l)
              result[(o * n_out + i) * inner + first + l] = factor == T(1)
                                                                ? out[static_cast<std::size_t>(l * n_out + i)]
                                                                : out[static_cast<std::size_t>(l * n_out + i)] * factor;
        }
      });
}

/// The functions for this machine's vectors; null where lines go one by one.
const LaneFunctions* functions_of_machine() {
#ifdef __EMSCRIPTEN__
  return nullptr;
#else
  static const LaneFunctions* chosen = []() -> const LaneFunctions* {
    [[maybe_unused]] const std::string_view isa = eager::loops().isa;
#ifdef NUMJIT_HAVE_ISA_v4
    if (isa == "v4") return &detail::v4::lane_functions();
#endif
#ifdef NUMJIT_HAVE_ISA_v3
    if (isa == "v3") return &detail::v3::lane_functions();
#endif
#ifdef NUMJIT_HAVE_ISA_v2
    if (isa == "v2") return &detail::v2::lane_functions();
#endif
    return nullptr;
  }();
  return chosen;
#endif
}

/// As many lines at once as a vector has lanes. False: there are too few, or so long ones that they would leave the cache.
template <class E, class T>
bool run_in_lanes(const routine_call& c, const LineTransform<T>& t, double ns) {
  constexpr std::int64_t cache = 1 << 20;
  const LaneFunctions* const functions = functions_of_machine();
  const auto axis = static_cast<int>(c.params[3]);
  const Lines<T> lines(c.in[0], axis);
  const std::int64_t lanes = functions ? functions->bytes / static_cast<std::int64_t>(sizeof(T)) : 0;
  const std::int64_t parts = t.is_complex_out() ? 2 : 1;
  const std::int64_t in = (t.is_complex_in() ? 2 : 1) * t.n_in(), out = parts * t.n_out();
  const std::int64_t all = in + out + 2 * t.room(), bytes = all * lanes * static_cast<std::int64_t>(sizeof(T));
  if (lanes == 0 || 2 * lines.count < lanes || bytes > cache) return false;
  const std::int64_t groups = (lines.count + lanes - 1) / lanes;
  auto* const result = reinterpret_cast<T*>(c.result->data);
  numjit::detail::parallel_ranges(groups, 1, ns * static_cast<double>(lines.count), [&](std::int64_t from, std::int64_t to) {
    const eager::scratch memory(bytes);
    LineGroup<T> g;
    g.complex_elements = !std::is_same_v<E, T>;
    g.step = lines.in->strides[axis], g.have = lines.in->shape[axis], g.step_out = parts * lines.inner;
    g.factor = static_cast<T>(c.params.real(4));
    g.in = memory.as<T>(), g.out = g.in + in * lanes, g.work = g.out + out * lanes;
    for (std::int64_t group = from; group < to; ++group) {
      g.count = static_cast<int>(std::min(lanes, lines.count - group * lanes));
      for (int l = 0; l < g.count; ++l) {
        const std::int64_t line = group * lanes + l, before = line / lines.inner, beside = line % lines.inner;
        g.begins[l] = lines.begin(line);
        g.places[l] = result + parts * (before * t.n_out() * lines.inner + beside);
      }
      if constexpr (std::is_same_v<T, float>)
        functions->of_floats(t, g);
      else
        functions->of_doubles(t, g);
    }
  });
  return true;
}

template <class E, class T>
void run_type(const routine_call& c) {
  const std::int64_t n = c.params[2];
  double log = 1;
  for (std::int64_t k = n; k > 1; k /= 2) ++log;
  const double ns = 1.5 * static_cast<double>(n) * log;  // of a line
  const LineTransform<T> t(static_cast<Kind>(c.params[1]), std::is_same_v<E, T>, n);
  if (run_in_lanes<E, T>(c, t, ns / 4)) return;
  const auto line = [&](const auto* in, auto* out, cpx<T>* work) {
    run_line(t, reinterpret_cast<const T*>(in), reinterpret_cast<T*>(out), work);
  };
  if (!t.is_complex_in())
    run_lines<E, T, T, cpx<T>>(c, t, ns / 2, line);
  else if (t.is_complex_out())
    run_lines<E, T, cpx<T>, cpx<T>>(c, t, ns, line);
  else
    run_lines<E, T, cpx<T>, T>(c, t, ns / 2, line);
}

void run(const routine_call& c) {
  switch (c.in[0]->type) {
    case dtype_id::float32: return run_type<float, float>(c);
    case dtype_id::float64: return run_type<double, double>(c);
    case dtype_id::complex64: return run_type<cpx<float>, float>(c);
    default: return run_type<cpx<double>, double>(c);
  }
}

[[maybe_unused]] const bool installed = [] {
  const auto text = [](const op_params& p) -> std::string {
    switch (static_cast<numjit::detail::fft_kind>(p[1])) {
      case numjit::detail::fft_kind::forward: return "fft.fft";
      case numjit::detail::fft_kind::backward: return "fft.ifft";
      case numjit::detail::fft_kind::from_real: return "fft.rfft";
      case numjit::detail::fft_kind::to_real: return "fft.irfft";
    }
    return "fft.fft";
  };
  numjit::detail::add_routine(numjit::detail::routine_id::fft,
                              {"fft", "_kind:int n:int axis:int _factor:real", 1, false, false, infer, run, false, text});
  return true;
}();

}  // namespace
}  // namespace numjit::fft
