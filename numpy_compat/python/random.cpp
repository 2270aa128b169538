// numjit.random: the streams of np::random, for the classes of numjit/random.py.
#include <map>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <numjit/np_random.h>

#include "module.h"

namespace numjit::py {

namespace {

namespace r = numjit::random;
using r::BitGenerator, r::Generator, r::RandomState, r::SeedSequence, r::distributions;

r::detail::optional_size size_of(const Any& size) {
  if (size.is_none()) return {};
  return to_dims(size.ptr());
}
r::size_options sized(const Any& size) { return {{}, size_of(size)}; }
/// Without a size, what parameters without axes give is a scalar of NumPy's; with size=() it is an array.
nb::object element_drawn(array a, const Any& size) { return size.is_none() ? give_result(std::move(a)) : give(std::move(a)); }
/// The same, the scalar being a number of Python's own: weak beside arrays, so its value is read, unless a transform follows it.
nb::object drawn(array a, const Any& size) {
  if (!size.is_none() || a.ndim() > 0 || detail::is_followed(a.get())) return give(std::move(a));
  return nb::steal(item_object(a));
}

/// Where numbers go: None, or an array.
array out_of(const Any& out) {
  if (out.is_none()) return {};
  if (stands_for_number(out.ptr()) || (!is_array(out.ptr()) && !PyObject_CheckBuffer(out.ptr())))
    throw ValueError("", "Supplied output array must be contiguous, writable, aligned, and in machine byte-order.");
  return to_array(out.ptr());
}

/// Operands of a draw, with what keeps them.
class Parameters {
 public:
  explicit Parameters(nb::args args) {
    for (nb::handle h : args) arguments_[count_++].set(h.ptr());
  }
  const operand& operator[](std::size_t i) const { return arguments_[i].get(); }

 private:
  Argument arguments_[3];
  std::size_t count_ = 0;
};
using Draw = array (*)(const distributions&, const Parameters&, const r::size_options&);

const std::map<std::string, Draw>& draws() {
#define NUMJIT_D0(name) \
  {#name, [](const distributions& g, const Parameters&, const r::size_options& o) { return g.name(o, location{}); }},
#define NUMJIT_D1(name, ...) \
  {#name, [](const distributions& g, const Parameters& p, const r::size_options& o) { return g.name(p[0], o); }},
#define NUMJIT_D2(name, ...) \
  {#name, [](const distributions& g, const Parameters& p, const r::size_options& o) { return g.name(p[0], p[1], o); }},
#define NUMJIT_D3(name, ...) \
  {#name, [](const distributions& g, const Parameters& p, const r::size_options& o) { return g.name(p[0], p[1], p[2], o); }},
  static const auto& table = *new std::map<std::string, Draw>{
      NUMJIT_RANDOM_DRAWS(NUMJIT_D0, NUMJIT_D1, NUMJIT_D1, NUMJIT_D2, NUMJIT_D2, NUMJIT_D2, NUMJIT_D3)
      NUMJIT_D1(dirichlet) NUMJIT_D2(multinomial)};
#undef NUMJIT_D0
#undef NUMJIT_D1
#undef NUMJIT_D2
#undef NUMJIT_D3
  return table;
}

/// Names of parameters and defaults of each distribution: (("loc", 0.0), ("scale", 1.0)); None: required.
nb::dict draw_signatures() {
  nb::dict d;
  auto add = [&](const char* name, std::initializer_list<std::pair<const char*, nb::object>> parameters) {
    nb::list list;
    for (const auto& [parameter, value] : parameters) list.append(nb::make_tuple(parameter, value));
    d[name] = nb::tuple(list);
  };
  const nb::object none = nb::none(), zero = nb::cast(0.0), one = nb::cast(1.0);
#define NUMJIT_S0(name) add(#name, {});
#define NUMJIT_S1(name, a) add(#name, {{#a, none}});
#define NUMJIT_S1D(name, a) add(#name, {{#a, one}});
#define NUMJIT_S2(name, a, b) add(#name, {{#a, none}, {#b, none}});
#define NUMJIT_S2D(name, a, b) add(#name, {{#a, zero}, {#b, one}});
#define NUMJIT_S2E(name, a, b) add(#name, {{#a, none}, {#b, one}});
#define NUMJIT_S3(name, a, b, c) add(#name, {{#a, none}, {#b, none}, {#c, none}});
  NUMJIT_RANDOM_DRAWS(NUMJIT_S0, NUMJIT_S1, NUMJIT_S1D, NUMJIT_S2, NUMJIT_S2D, NUMJIT_S2E, NUMJIT_S3)
  NUMJIT_S1(dirichlet, alpha) NUMJIT_S2(multinomial, n, pvals)
#undef NUMJIT_S0
#undef NUMJIT_S1
#undef NUMJIT_S1D
#undef NUMJIT_S2
#undef NUMJIT_S2D
#undef NUMJIT_S2E
#undef NUMJIT_S3
  return d;
}

optional_dtype type_of(const Any& type) {
  std::optional<dtype_id> t = to_optional_dtype(type.ptr());
  return t ? optional_dtype(dtype(*t)) : std::nullopt;
}
r::choice_options choice_of(const Any& size, bool replace, const Any& p, std::int64_t axis, bool shuffle) {
  return {{}, size_of(size), replace, opt_array(p), axis, shuffle};
}

BitGenerator new_bit_generator(const std::string& name, const SeedSequence& seed) {
  if (name == "PCG64") return r::PCG64(seed);
  if (name == "PCG64DXSM") return r::PCG64DXSM(seed);
  if (name == "MT19937") return r::MT19937(seed);
  if (name == "Philox") return r::Philox(seed);
  if (name == "SFC64") return r::SFC64(seed);
  throw ValueError("random", "unknown bit generator: got '" + name + "'.");
}

void define_sources(Module& m) {
  nb::class_<SeedSequence>(m, "SeedSequence")
      .def(nb::init<>())
      .def(nb::new_([](std::vector<std::uint64_t> words, std::vector<std::uint64_t> key, int pool, std::uint32_t children) {
        return new SeedSequence(r::seed_value(std::move(words)), std::move(key), pool, children);
      }))
      .def("generate_state",
           [](const SeedSequence& s, std::int64_t n, Any type) { return give(s.generate_state(n, dtype(to_dtype(type.ptr())))); })
      .def("spawn", [](SeedSequence& s, int n) { return s.spawn(n); })
      .def_prop_ro("words", &SeedSequence::entropy)
      .def_prop_ro("spawn_key", &SeedSequence::spawn_key)
      .def_prop_ro("n_children_spawned", &SeedSequence::n_children_spawned)
      .def_prop_ro("pool", &SeedSequence::pool);
  nb::class_<BitGenerator>(m, "BitGenerator")
      .def(nb::new_(
          [](const std::string& name, const SeedSequence& seed) { return new BitGenerator(new_bit_generator(name, seed)); }))
      .def("random_raw",
           [](const BitGenerator& g, Any size) {
             return size.is_none() ? nb::cast(g.random_raw()) : nb::object(give(g.random_raw(to_dims(size.ptr()))));
           })
      .def("advance", [](const BitGenerator& g, std::uint64_t delta) { g.advance(delta); })
      .def("jumped", &BitGenerator::jumped)
      .def("spawn", &BitGenerator::spawn)
      .def_prop_ro("name", &BitGenerator::name)
      .def_prop_ro("seed_seq", [](const BitGenerator& g) { return g.seed_seq(); })
      .def("state",
           [](const BitGenerator& g) {
             const r::bit_generator_state s = g.state();
             return nb::make_tuple(s.bit_generator, s.state, s.key, s.buffer, s.pos, s.has_uint32, s.uinteger, s.has_gauss,
                                   s.gauss);
           })
      .def("set_state", [](const BitGenerator& g, const std::string& name, std::vector<std::uint64_t> state,
                           std::vector<std::uint64_t> key, std::vector<std::uint64_t> buffer, int pos, bool has_uint32,
                           std::uint32_t uinteger, bool has_gauss, double gauss) {
        g.set_state({name, std::move(state), std::move(key), std::move(buffer), pos, has_uint32, uinteger, has_gauss, gauss});
      });
}

/// What both classes have under the same names.
template <class G>
void define_common(Class<G, distributions>& c) {
  c.def("choice",
        [](const G& g, Any a, Any size, bool replace, Any p, std::int64_t axis, bool shuffle) {
          array made = g.choice(Argument(a.ptr()), choice_of(size, replace, p, axis, shuffle));
          return is_weak_number(a.ptr()) ? drawn(std::move(made), size) : element_drawn(std::move(made), size);
        })
      .def("multivariate_normal",
           [](const G& g, Any mean, Any cov, Any size, const std::string& check, double tol, const std::string& method) {
             return give(g.multivariate_normal(to_array(mean.ptr()), to_array(cov.ptr()),
                                               {{}, size_of(size), check.c_str(), tol, method.c_str()}));
           });
}

void define_generator(Module& m) {
  Class<Generator, distributions> c(m, "Generator");
  c.def(nb::init<const BitGenerator&>())
      .def("random",
           [](const Generator& g, Any size, Any type, Any out) {
             return drawn(g.random({{}, size_of(size), type_of(type), out_of(out)}, {}), size);
           })
      .def("standard_normal",
           [](const Generator& g, Any size, Any type, Any out) {
             return drawn(g.standard_normal({{}, size_of(size), type_of(type), out_of(out)}, {}), size);
           })
      .def("standard_exponential",
           [](const Generator& g, Any size, Any type, const std::string& method, Any out) {
             return drawn(g.standard_exponential({{}, size_of(size), type_of(type), method.c_str(), out_of(out)}, {}), size);
           })
      .def("standard_gamma",
           [](const Generator& g, Any shape, Any size, Any type, Any out) {
             return drawn(g.standard_gamma(Argument(shape.ptr()), {{}, size_of(size), type_of(type), out_of(out)}), size);
           })
      .def("integers",
           [](const Generator& g, Any low, Any high, Any size, Any type, bool endpoint) {
             const r::integers_options o{{}, size_of(size), type_of(type), endpoint};
             return element_drawn(
                 high.is_none() ? g.integers(Argument(low.ptr()), o) : g.integers(Argument(low.ptr()), Argument(high.ptr()), o),
                 size);
           })
      .def("permutation",
           [](const Generator& g, Any x, std::int64_t axis) { return give(g.permutation(Argument(x.ptr()), axis)); })
      .def("shuffle", [](const Generator& g, Any x, std::int64_t axis) { g.shuffle(checked_array(x.ptr()), axis, {}); })
      .def("permuted",
           [](const Generator& g, Any x, Any axis, Any out) {
             return give(g.permuted(to_array(x.ptr()), {{}, to_optional_int(axis.ptr()), out_of(out)}, {}));
           })
      .def("multivariate_hypergeometric",
           [](const Generator& g, Any colors, std::int64_t n, Any size, const std::string& method) {
             return give(g.multivariate_hypergeometric(to_array(colors.ptr()), n, {{}, size_of(size), method.c_str()}));
           })
      .def("spawn", &Generator::spawn);
  define_common(c);
}

void define_random_state(Module& m) {
  Class<RandomState, distributions> c(m, "RandomState");
  c.def(nb::init<>())
      .def(nb::init<const BitGenerator&>())
      .def("seed",
           [](RandomState& g, Any words, bool is_list) {
             if (words.is_none()) return g.seed();
             const auto list = nb::cast<std::vector<std::uint64_t>>(words);
             if (!is_list) return g.seed(r::seed_value(list.at(0)));
             g.seed(r::seed_value(list));
           })
      .def("random", [](const RandomState& g, Any size) { return drawn(g.random(sized(size), {}), size); })
      .def("standard_normal", [](const RandomState& g, Any size) { return drawn(g.standard_normal(sized(size), {}), size); })
      .def("standard_exponential",
           [](const RandomState& g, Any size) { return drawn(g.standard_exponential(sized(size), {}), size); })
      .def("standard_gamma", [](const RandomState& g, Any shape,
                                Any size) { return drawn(g.standard_gamma(Argument(shape.ptr()), sized(size)), size); })
      .def("randint",
           [](const RandomState& g, Any low, Any high, Any size, Any type) {
             const r::integers_options o{{}, size_of(size), type_of(type), false};
             return element_drawn(
                 high.is_none() ? g.randint(Argument(low.ptr()), o) : g.randint(Argument(low.ptr()), Argument(high.ptr()), o),
                 size);
           })
      .def("permutation", [](const RandomState& g, Any x) { return give(g.permutation(Argument(x.ptr()))); })
      .def("shuffle", [](const RandomState& g, Any x) { g.shuffle(checked_array(x.ptr()), {}); })
      .def("tomaxint", [](const RandomState& g, Any size) { return drawn(g.tomaxint(sized(size), {}), size); });
  define_common(c);
}

}  // namespace

void define_random(Module& top) {
  Module m(top.def_submodule("random"));
  define_sources(m);
  Class<distributions>(m, "Distributions")
      .def("draw",
           [](const distributions& g, const std::string& name, Any size, nb::args args) {
             const Parameters parameters(args);
             return drawn(draws().at(name)(g, parameters, sized(size)), size);
           })
      .def("bytes",
           [](const distributions& g, std::int64_t n) {
             const std::string bytes = g.bytes(n);
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def("bit_generator", &distributions::bit_generator);
  define_generator(m);
  define_random_state(m);
  m.attr("signatures") = draw_signatures();
}

}  // namespace numjit::py
