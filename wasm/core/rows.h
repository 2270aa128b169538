// Functions of JavaScript whose parameters are those of their rows in functions.def. The compiler takes the signatures there
// apart, so that a module holds nothing but what JavaScript looks at.
//
//   row<"sum">(run)      {"sum", "a = axis dtype out keepdims? initial where", run}
#pragma once

#include <algorithm>

#include "call.h"

namespace numjit::js {

/// A text as a template's argument.
template <std::size_t N>
struct Text {
  char letters[N]{};
  constexpr Text() = default;
  constexpr Text(const char (&text)[N]) { std::copy_n(text, N, letters); }
};

namespace row_text {

struct Signature {
  std::string_view name, text;
};
inline constexpr Signature signatures[] = {
#define FUNCTION(name, chapter, signature, sentence) {#name, signature},
#define MODULE_FUNCTION(module, name, chapter, signature, sentence) {#module "." #name, signature},
#include <functions.def>
};

/// The signature of a function; one of no row does not compile.
constexpr std::string_view signature_of(std::string_view name) {
  return std::find_if(std::begin(signatures), std::end(signatures), [&](const Signature& s) { return s.name == name; })->text;
}

struct Written {
  char letters[192]{};
  std::size_t size = 0;
  constexpr void add(std::string_view text) {
    if (size > 0) letters[size++] = ' ';
    for (const char letter : text) letters[size++] = letter;
  }
};

/// One parameter with what marks it: "*x" is any number of arguments, "x?" is true or false.
constexpr void add_parameter(Written& to, std::string_view part) {
  const std::string_view name = part.substr(0, part.find('=')), value = part.substr(name.size());
  to.add(name);
  const bool is_truth = value == "=True" || value == "=False" || name == "keepdims" || name == "density";
  if (is_truth && name != "where" && name != "cov") to.letters[to.size++] = '?';
}

/// A signature as a module writes it: see Function.
constexpr Written parameters_in(std::string_view signature) {
  Written made;
  bool has_default = false;
  signature = signature.substr(1);
  while (signature.size() > 1) {
    std::size_t end = 0;
    for (int depth = 0; depth > 0 || (signature[end] != ',' && signature[end] != ')'); ++end)
      depth += signature[end] == '(' ? 1 : signature[end] == ')' ? -1 : 0;
    const std::string_view part = signature.substr(0, end);
    if (!has_default && part.find('=') != part.npos) {
      made.add("=");
      has_default = true;
    }
    if (part != "/" && part != "like=None") add_parameter(made, part);  // like=: protocols of Python's
    signature = signature.substr(std::min(end + 2, signature.size()));
  }
  return made;
}

/// One text for all functions that have it.
template <auto Kept>
inline constexpr auto kept = Kept;

template <Text Name>
constexpr auto parameters_of() {
  constexpr Written found = parameters_in(signature_of(Name.letters));
  Text<found.size + 1> made;
  std::copy_n(found.letters, found.size, made.letters);
  return made;
}

}  // namespace row_text

template <Text Name>
constexpr Function row(Result (*run)(Call&)) {
  return {row_text::kept<Name>.letters, row_text::kept<row_text::parameters_of<Name>()>.letters, run};
}

/// Where a row has the arguments that reductions have; -1: it has none.
struct Places {
  signed char dtype, out, keepdims, initial, where, ddof, mean, correction;
};

namespace row_text {

constexpr signed char place_in(std::string_view parameters, std::string_view wanted) {
  signed char at = 0;
  while (!parameters.empty()) {
    const std::string_view word = parameters.substr(0, parameters.find(' '));
    parameters.remove_prefix(std::min(word.size() + 1, parameters.size()));
    if (word == "=" || word == "*") continue;
    if (word.substr(0, word.find('?')) == wanted) return at;
    ++at;
  }
  return -1;
}
template <Text Name>
constexpr Places find_places() {
  const auto of = [](std::string_view wanted) { return place_in(kept<parameters_of<Name>()>.letters, wanted); };
  return {of("dtype"), of("out"), of("keepdims"), of("initial"), of("where"), of("ddof"), of("mean"), of("correction")};
}

}  // namespace row_text

template <Text Name>
inline constexpr Places places_of = row_text::find_places<Name>();

/// A reduction: its options, and a call of F.
template <Text Name, array (*F)(const operand&, const reduce_options&)>
constexpr Function reduction() {
  return row<Name>([](Call& c) { return give(F(c[0], c.reduced(places_of<Name>))); });
}
/// A variance.
template <Text Name, array (*F)(const operand&, const var_options&)>
constexpr Function variance() {
  return row<Name>([](Call& c) { return give(F(c[0], c.spread(places_of<Name>))); });
}

}  // namespace numjit::js
