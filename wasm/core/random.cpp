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
Options sized(Call& c, std::size_t at) {
  Options o;
  if (c.has(at)) o.size = shape_list(c.shape(at));
  return o;
}

random::fill_options filled(Call& c, std::size_t at) {
  auto o = sized<random::fill_options>(c, at);
  o.dtype = c.type(at + 1);
  return o;
}


}  // namespace

void add_random(std::vector<Function>& table) {
  const Function rows[] = {
      {"random.make", "seed", make},
      {"random.release", "generator", [](Call& c) {
         generators().at(static_cast<std::size_t>(c.integer(0, 0))).reset();
         return Result();
       }},
      {"random.random", "generator size dtype", [](Call& c) { return give(generator(c).random(filled(c, 1))); }},
      {"random.standard_normal", "generator size dtype", [](Call& c) { return give(generator(c).standard_normal(filled(c, 1))); }},
      {"random.normal", "generator loc scale size", [](Call& c) {
         return give(generator(c).normal(c[1], c[2], sized<random::size_options>(c, 3)));
       }},
      {"random.uniform", "generator low high size", [](Call& c) {
         return give(generator(c).uniform(c[1], c[2], sized<random::size_options>(c, 3)));
       }},
      {"random.integers", "generator low high size", [](Call& c) {
         return give(generator(c).integers(c[1], c[2], sized<random::integers_options>(c, 3)));
       }},
      {"random.exponential", "generator scale size", [](Call& c) {
         return give(generator(c).exponential(c[1], sized<random::size_options>(c, 2)));
       }},
      {"random.poisson", "generator lam size", [](Call& c) {
         return give(generator(c).poisson(c[1], sized<random::size_options>(c, 2)));
       }},
      {"random.permutation", "generator x", [](Call& c) { return give(generator(c).permutation(c[1])); }},
      {"random.choice", "generator a size replace", [](Call& c) {
         auto o = sized<random::choice_options>(c, 2);
         o.replace = c.flag(3, true);
         return give(generator(c).choice(c[1], o));
       }},
      {"random.shuffle", "generator x", [](Call& c) {
         generator(c).shuffle(c[1].as_array());
         return Result();
       }},
  };
  table.insert(table.end(), std::begin(rows), std::end(rows));
}

}  // namespace numjit::js
