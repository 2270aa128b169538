// np::random::Generator, held by number for JavaScript.
#include <numjit/np_random.h>

#include "call.h"

namespace numjit::js {
namespace {

std::vector<std::optional<random::Generator>>& generators() {
  static auto& all = *new std::vector<std::optional<random::Generator>>;
  return all;
}

random::Generator& generator(Call& c) { return *generators().at(static_cast<std::size_t>(c.integer(0, 0))); }

Result make(Call& c) {
  std::size_t at = 0;
  while (at < generators().size() && generators()[at]) ++at;
  if (at == generators().size()) generators().emplace_back();
  generators()[at] = c.has(0) ? random::default_rng(random::seed_value(c[0].as_integer("seed"))) : random::default_rng();
  return give(static_cast<std::int64_t>(at));
}

/// Shape of a draw: the argument, or that of the parameters.
template <class Options>
Options sized(Call& c, int at) {
  Options o;
  if (c.has(at)) o.size = shape_list(c.shape(at));
  return o;
}
random::size_options drawn(Call& c, int at) { return sized<random::size_options>(c, at); }

random::fill_options filled(Call& c, int at) {
  auto o = sized<random::fill_options>(c, at);
  o.dtype = c.type(at + 1);
  o.out = c.array_or_none(at + 2);
  return o;
}

Result integers(Call& c) {
  auto o = sized<random::integers_options>(c, 3);
  o.dtype = c.type(4);
  o.endpoint = c.flag(5);
  return give(c.has(2) ? generator(c).integers(c[1], c[2], o) : generator(c).integers(c[1], o));
}

Result chosen(Call& c) {
  auto o = sized<random::choice_options>(c, 2);
  o.replace = c.flag(3, true);
  o.p = c.array_or_none(4);
  o.axis = c.integer(5, 0);
  o.shuffle = c.flag(6, true);
  return give(generator(c).choice(c[1], o));
}

Result normals(Call& c) {
  auto o = sized<random::multivariate_options>(c, 3);
  o.check_valid = c.word(4, o.check_valid);
  o.tol = c.number(5, o.tol);
  o.method = c.word(6, o.method);
  return give(generator(c).multivariate_normal(c[1].as_array(), c[2].as_array(), o));
}

}  // namespace

void add_random(std::vector<Function>& table) {
  static constexpr Function rows[] = {
      {"random.make", "= seed", make},
      {"random.release", "generator",
       [](Call& c) {
         generators().at(static_cast<std::size_t>(c.integer(0, 0))).reset();
         return Result();
       }},
      {"random.random", "generator = size dtype out", [](Call& c) { return give(generator(c).random(filled(c, 1), {})); }},
      {"random.standard_normal", "generator = size dtype out",
       [](Call& c) { return give(generator(c).standard_normal(filled(c, 1), {})); }},
      {"random.standard_exponential", "generator = size dtype method out",
       [](Call& c) {
         auto o = sized<random::exponential_fill_options>(c, 1);
         o.dtype = c.type(2);
         o.method = c.word(3, o.method);
         o.out = c.array_or_none(4);
         return give(generator(c).standard_exponential(o, {}));
       }},
      {"random.standard_gamma", "generator shape = size dtype out",
       [](Call& c) { return give(generator(c).standard_gamma(c[1], filled(c, 2))); }},
#define NUMJIT_D0(name) {"random." #name, "generator = size", [](Call& c) { return give(generator(c).name(drawn(c, 1), {})); }},
#define NUMJIT_D1(name, a) \
  {"random." #name, "generator " #a " = size", [](Call& c) { return give(generator(c).name(c[1], drawn(c, 2))); }},
#define NUMJIT_D1D(name, a)                    \
  {"random." #name, "generator = " #a " size", \
   [](Call& c) { return give(generator(c).name(c.number_or_array(1, 1), drawn(c, 2))); }},
#define NUMJIT_D2(name, a, b) \
  {"random." #name, "generator " #a " " #b " = size", [](Call& c) { return give(generator(c).name(c[1], c[2], drawn(c, 3))); }},
#define NUMJIT_D2D(name, a, b)                        \
  {"random." #name, "generator = " #a " " #b " size", \
   [](Call& c) { return give(generator(c).name(c.number_or_array(1, 0), c.number_or_array(2, 1), drawn(c, 3))); }},
#define NUMJIT_D2E(name, a, b)                        \
  {"random." #name, "generator " #a " = " #b " size", \
   [](Call& c) { return give(generator(c).name(c[1], c.number_or_array(2, 1), drawn(c, 3))); }},
#define NUMJIT_D3(name, a, b, d)                             \
  {"random." #name, "generator " #a " " #b " " #d " = size", \
   [](Call& c) { return give(generator(c).name(c[1], c[2], c[3], drawn(c, 4))); }},
      NUMJIT_RANDOM_DRAWS(NUMJIT_D0, NUMJIT_D1, NUMJIT_D1D, NUMJIT_D2, NUMJIT_D2D, NUMJIT_D2E, NUMJIT_D3){
          "random.integers", "generator low = high size dtype endpoint?", integers},
      {"random.multinomial", "generator n pvals = size",
       [](Call& c) { return give(generator(c).multinomial(c[1], c[2], drawn(c, 3))); }},
      {"random.dirichlet", "generator alpha = size", [](Call& c) { return give(generator(c).dirichlet(c[1], drawn(c, 2))); }},
      {"random.multivariate_normal", "generator mean cov = size check_valid tol * method", normals},
      {"random.choice", "generator a = size replace? p axis shuffle?", chosen},
      {"random.permutation", "generator x = axis", [](Call& c) { return give(generator(c).permutation(c[1], c.integer(2, 0))); }},
      {"random.permuted", "generator x = * axis out",
       [](Call& c) {
         random::permuted_options o;
         o.axis = c.axis(2);
         o.out = c.array_or_none(3);
         return give(generator(c).permuted(c[1].as_array(), o, {}));
       }},
      {"random.shuffle", "generator x = axis",
       [](Call& c) {
         generator(c).shuffle(c[1].as_array(), c.integer(2, 0), {});
         return Result();
       }},
  };
  table.insert(table.end(), std::begin(rows), std::end(rows));
}

}  // namespace numjit::js
