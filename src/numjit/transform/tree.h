// Trees of arguments and results: their arrays, and the names of these.
#pragma once

#include <functional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <numjit/array/leaves.h>

namespace numjit::transform {

/// ValueError unless two trees have equally many arrays.
void check_leaf_counts(const char* op, std::size_t expected, std::size_t got);

struct LeafCollector {
  std::vector<numjit::array*> found;
  void array(numjit::array& a) { found.push_back(&a); }
  void value(std::uint64_t) {}
};

/// The arrays of a tree, in order. Numbers and texts are none.
template <class Tree>
std::vector<array*> leaves_of(Tree& tree) {
  static_assert(
      tracing::has_known_leaves<std::remove_cv_t<Tree>>(),
      "a type whose arrays can't be seen: expected arrays, numbers, tuples, vectors, maps, or a struct with NUMJIT_FIELDS");
  LeafCollector collector;
  tracing::visit_leaves(tree, collector);
  return std::move(collector.found);
}

/// Puts the arrays from number `at` on in place of the tree's own.
template <class Tree>
void replace_leaves(Tree& tree, const std::vector<array>& leaves, std::size_t& at) {
  for (array* leaf : leaves_of(tree)) *leaf = leaves[at++];
}

/// Where the leaf with this number stands in a tree: "['w'][2]", ".u". Counts `number` down by the leaves it passes.
template <class T>
bool find_leaf_name(T& value, std::size_t& number, std::string& name) {
  using U = std::remove_cv_t<T>;
  const auto inside = [&](auto& part, const std::string& step) {
    const std::size_t before = name.size();
    name += step;
    if (find_leaf_name(part, number, name)) return true;
    name.resize(before);
    return false;
  };
  if constexpr (std::derived_from<U, array>) {
    return number-- == 0;
  } else if constexpr (tracing::plain_leaf<U> || tracing::string_leaf<U>) {
    return false;
  } else if constexpr (tracing::map_node<U>) {
    for (auto& [key, element] : value) {
      std::string text;
      if constexpr (tracing::string_leaf<std::remove_cvref_t<decltype(key)>>)
        text = "['" + std::string(key) + "']";
      else if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(key)>>)
        text = "[" + std::to_string(key) + "]";
      if (inside(element, text)) return true;
    }
    return false;
  } else if constexpr (std::same_as<U, std::optional<typename tracing::element_of<U>::type>>) {
    return value && find_leaf_name(*value, number, name);
  } else if constexpr (tracing::container_node<U>) {
    if constexpr (!std::same_as<typename tracing::element_of<U>::type, bool>)
      for (std::size_t i = 0; i < value.size(); ++i)
        if (inside(value[i], "[" + std::to_string(i) + "]")) return true;
    return false;
  } else {
    const auto parts_of = [&](auto& parts, auto&& step) {
      return std::apply(
          [&](auto&... part) {
            std::size_t i = 0;
            return (inside(part, step(i++)) || ...);
          },
          parts);
    };
    if constexpr (tracing::struct_node<U>) {
      auto fields = numjit_fields(const_cast<U&>(value));
      return parts_of(fields, [&](std::size_t i) { return "." + tracing::field_name(numjit_field_names(&value), i); });
    } else {
      return parts_of(value, [](std::size_t i) { return "[" + std::to_string(i) + "]"; });
    }
  }
}

/// For errors: the names of the tree's leaves, asked for while it lives.
template <class Tree>
std::function<std::string(std::size_t)> name_of_leaf(Tree& tree) {
  return [&tree](std::size_t number) {
    std::string name;
    find_leaf_name(tree, number, name);
    return name;
  };
}

}  // namespace numjit::transform

/// Trees of arrays: tuples, pairs, vectors, maps, optionals, and structs with NUMJIT_FIELDS. Numbers and texts in them stay as
/// they are.
namespace numjit::tree {

/// The arrays of a tree, in order.
///   np::tree::leaves(std::tuple(np::array{1.0}, std::vector{np::array{2.0}})).size();  // 2
template <class Tree>
std::vector<array> leaves(const Tree& tree) {
  std::vector<array> found;
  for (const array* leaf : transform::leaves_of(tree)) found.push_back(*leaf);
  return found;
}

/// The tree with these arrays in place of its own. ValueError for another number of them.
template <class Tree>
Tree unflatten(Tree tree, const std::vector<array>& leaves) {
  const std::vector<array*> places = transform::leaves_of(tree);
  transform::check_leaf_counts("tree.unflatten", places.size(), leaves.size());
  for (std::size_t i = 0; i < places.size(); ++i) *places[i] = leaves[i];
  return tree;
}

/// The tree with f(leaf, ...) in place of its arrays; further trees give further arguments. ValueError where one has another
/// number of arrays.
///   p = np::tree::map([](const np::array& w, const np::array& g) { return w - 0.1 * g; }, p, np::grad(loss)(p));
template <class F, class Tree, class... More>
Tree map(F&& f, Tree tree, const More&... more) {
  const std::vector<array*> first = transform::leaves_of(tree);
  const auto checked = [&](const std::vector<array*>& leaves) {
    transform::check_leaf_counts("tree.map", first.size(), leaves.size());
    return leaves;
  };
  const auto all = std::tuple{checked(transform::leaves_of(more))...};
  for (std::size_t i = 0; i < first.size(); ++i)
    *first[i] =
        std::apply([&](const auto&... others) { return array(f(std::as_const(*first[i]), std::as_const(*others[i])...)); }, all);
  return tree;
}

}  // namespace numjit::tree
