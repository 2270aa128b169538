// Digits found by the best place of the best one: what can be known of such pictures without
// learning.
#include "digits.h"

#include "expect.h"

namespace digits {

std::tuple<int, int> inputs() { return {500, 3}; }

std::tuple<np::array, np::array, np::array> run(int count, int seed) {
  auto [pictures, labels] = make(count, seed);
  // (count, 6, 8, 7, 5)
  auto places = np::lib::stride_tricks::sliding_window_view(pictures, {7, 5}, {.axis = {1, 2}});
  auto patterns = font() - np::mean(font(), {.axis = {1, 2}, .keepdims = true});
  patterns = patterns / np::sqrt(np::sum(np::square(patterns), {.axis = {1, 2}, .keepdims = true}));
  auto fits = np::tensordot(places, patterns, {3, 4}, {1, 2});
  return {pictures, labels, np::argmax(np::max(fits, {.axis = {1, 2}}), {.axis = 1})};
}

void check(const np::array& pictures, const np::array& labels, const np::array& found) {
  expect(pictures.shape() == np::shape_list{500, 12, 12}, "pictures of 12 x 12");
  expect(np::all(np::bincount(labels, {.minlength = 10}) > 25), "each digit comes often");
  expect(np::mean(found == labels) > 0.97, "nearly all are found");
}

}  // namespace digits
