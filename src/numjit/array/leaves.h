// The arrays and plain values inside arguments and results: tuples, containers and structs taken apart.
#pragma once

#include <array>
#include <complex>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <numjit/array/array.h>

namespace numjit {

/// Lists the fields of a struct, so that replay and export can look into it. Inside the struct, with
/// all its fields in order: a missing one does not compile.
///   struct state { np::array u, v; NUMJIT_FIELDS(state, u, v) };
#define NUMJIT_FIELDS(type, ...)                                  \
  [[maybe_unused]] friend auto numjit_fields(type& numjit_self) { \
    auto& [__VA_ARGS__] = numjit_self;                            \
    return std::tie(__VA_ARGS__);                                 \
  }                                                               \
  [[maybe_unused]] friend const char* numjit_field_names(const type*) { return #__VA_ARGS__; }

namespace tracing {

template <class T>
inline constexpr bool is_std_complex = false;
template <class T>
inline constexpr bool is_std_complex<std::complex<T>> = true;

template <class T>
concept plain_leaf = std::is_arithmetic_v<T> || std::is_enum_v<T> || is_std_complex<T>;
template <class T>
concept string_leaf = std::same_as<T, std::string> || std::same_as<T, std::string_view>;
template <class T>
concept tuple_node = requires {
  std::tuple_size<T>::value;
};
template <class T>
concept struct_node = requires(T& v) {
  numjit_fields(v);
};

template <class T>
struct element_of {
  using type = void;
};
template <class T, class A>
struct element_of<std::vector<T, A>> {
  using type = T;
};
template <class T>
struct element_of<std::optional<T>> {
  using type = T;
};
// std::map, std::unordered_map: known by what they name, so that who has none need not read their headers.
template <class T>
requires requires(T& map, typename T::key_type key, typename T::mapped_type value) {
  map.insert_or_assign(key, value);
  map.size();
}
struct element_of<T> {
  using type = typename T::mapped_type;
};
template <class T>
concept container_node = !std::is_void_v<typename element_of<T>::type>;
template <class T>
concept map_node = container_node<T> && requires {
  typename T::mapped_type;
};

template <class T>
constexpr bool has_known_leaves();

template <class T, std::size_t... I>
constexpr bool tuple_has_known_leaves(std::index_sequence<I...>) {
  return (has_known_leaves<std::remove_cvref_t<std::tuple_element_t<I, T>>>() && ...);
}
template <class T>
struct fields_known : std::false_type {};
template <class... F>
struct fields_known<std::tuple<F&...>> : std::bool_constant<(has_known_leaves<std::remove_cvref_t<F>>() && ...)> {};

/// Can visit_leaves() see all that a T holds?
template <class T>
constexpr bool has_known_leaves() {
  if constexpr (std::derived_from<T, array> || plain_leaf<T> || string_leaf<T> || std::is_void_v<T>)
    return true;
  else if constexpr (map_node<T>)
    return has_known_leaves<std::remove_cv_t<typename T::key_type>>() && has_known_leaves<typename T::mapped_type>();
  else if constexpr (container_node<T>)
    return has_known_leaves<typename element_of<T>::type>();
  else if constexpr (tuple_node<T>)
    return tuple_has_known_leaves<T>(std::make_index_sequence<std::tuple_size_v<T>>{});
  else if constexpr (struct_node<T>)
    return fields_known<decltype(numjit_fields(std::declval<T&>()))>::value;
  else
    return false;
}

/// The field with this number, of names as NUMJIT_FIELDS has them: "u, v".
inline std::string field_name(std::string_view names, std::size_t number) {
  while (number-- > 0) names.remove_prefix(names.find(',') + 1);
  names = names.substr(0, names.find(','));
  names.remove_prefix(std::min(names.find_first_not_of(' '), names.size()));
  return std::string(names);
}

/// Calls visitor.array(array&) and visitor.value(word) for all leaves of `value`, in order. Plain values
/// and the sizes of containers arrive as 64-bit words.
template <class T, class Visitor>
void visit_leaves(T& value, Visitor& visitor) {
  using U = std::remove_cv_t<T>;
  auto bytes = [&](const char* from, std::size_t count) {
    for (std::size_t at = 0; at < count; at += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, from + at, std::min<std::size_t>(8, count - at));
      visitor.value(word);
    }
  };
  if constexpr (std::derived_from<U, array>) {  // also what x(rows) gives
    visitor.array(const_cast<U&>(value));
  } else if constexpr (plain_leaf<U>) {
    // long double has padding, whose bytes mean nothing.
    if constexpr (std::same_as<U, long double>) {
      bytes(reinterpret_cast<const char*>(&value), 10);
    } else {
      bytes(reinterpret_cast<const char*>(&value), sizeof value);
    }
  } else if constexpr (string_leaf<U>) {
    visitor.value(value.size());
    bytes(value.data(), value.size());
  } else if constexpr (map_node<U>) {
    visitor.value(value.size());
    for (auto& [key, element] : value) {
      visit_leaves(key, visitor);
      visit_leaves(element, visitor);
    }
  } else if constexpr (std::same_as<U, std::optional<typename element_of<U>::type>>) {
    visitor.value(value.has_value());
    if (value) visit_leaves(*value, visitor);
  } else if constexpr (container_node<U>) {
    visitor.value(value.size());
    for (std::size_t i = 0; i < value.size(); ++i) {
      if constexpr (std::same_as<typename element_of<U>::type, bool>) {
        visitor.value(value[i]);
      } else {
        visit_leaves(value[i], visitor);
      }
    }
  } else if constexpr (tuple_node<U>) {
    std::apply([&](auto&... parts) { (visit_leaves(parts, visitor), ...); }, value);
  } else if constexpr (struct_node<U>) {
    auto fields = numjit_fields(const_cast<U&>(value));
    std::apply([&](auto&... parts) { (visit_leaves(parts, visitor), ...); }, fields);
  } else {
    static_assert(has_known_leaves<U>(), "a type whose arrays can't be seen");
  }
}

}  // namespace tracing
}  // namespace numjit
