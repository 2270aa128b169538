// The order of contractions is NumPy's, and gives the sums of the plain order.
#include "against_numpy.h"
#include "support/error_text.h"

namespace np = numjit;

namespace {

np::array sized(std::initializer_list<std::int64_t> shape) {
  np::dims d;
  std::int64_t n = 1;
  for (std::int64_t extent : shape) d.push_back(extent), n *= extent;
  return np::arange(n).reshape(d) % 7 - 3;
}

#define PATHS "s = lambda *d: np.arange(np.prod(d)).reshape(d) % 7 - 3; p = np.einsum_path; "

TEST(einsum_path, tables) {
  const np::array_list chain{sized({10, 30}), sized({30, 5}), sized({5, 60}), sized({60, 2})};
  TEXT(PATHS "p('ij,jk,kl,lm->im', s(10, 30), s(30, 5), s(5, 60), s(60, 2))[1]", np::einsum_path("ij,jk,kl,lm->im", chain).text);
  TEXT(PATHS "p('ij,jk,kl,lm->im', s(10, 30), s(30, 5), s(5, 60), s(60, 2), optimize='optimal')[1]",
       np::einsum_path("ij,jk,kl,lm->im", chain, {.optimize = "optimal"}).text);
  TEXT(PATHS "p('ij,jk,kl,lm->im', s(10, 30), s(30, 5), s(5, 60), s(60, 2), optimize=False)[1]",
       np::einsum_path("ij,jk,kl,lm->im", chain, {.optimize = "none"}).text);
  const np::array_list loops{sized({3, 4}), sized({4, 5, 6}), sized({6, 3}), sized({5, 7}), sized({7, 7})};
  TEXT(PATHS "p('ab,bcd,da,ce,ef->f', s(3, 4), s(4, 5, 6), s(6, 3), s(5, 7), s(7, 7))[1]",
       np::einsum_path("ab,bcd,da,ce,ef->f", loops).text);
  TEXT(PATHS "p('ab,bcd,da,ce,ef->f', s(3, 4), s(4, 5, 6), s(6, 3), s(5, 7), s(7, 7), optimize='optimal')[1]",
       np::einsum_path("ab,bcd,da,ce,ef->f", loops, {.optimize = "optimal"}).text);
  TEXT(PATHS "p('ab,cd,ef->', s(3, 4), s(5, 6), s(2, 3))[1]",
       np::einsum_path("ab,cd,ef->", {sized({3, 4}), sized({5, 6}), sized({2, 3})}).text);
  TEXT(PATHS "p('a,ab,abc->abc', s(3), s(3, 4), s(3, 4, 5))[1]",
       np::einsum_path("a,ab,abc->abc", {sized({3}), sized({3, 4}), sized({3, 4, 5})}).text);
  TEXT(PATHS "p('ij,jk,kl->il', s(20, 3), s(3, 20), s(20, 4), optimize=('greedy', 30))[1]",
       np::einsum_path("ij,jk,kl->il", {sized({20, 3}), sized({3, 20}), sized({20, 4})},
                       {.optimize = "greedy", .memory_limit = 30})
           .text);
}

TEST(einsum_path, values) {
  const np::array_list chain{sized({10, 30}), sized({30, 5}), sized({5, 60}), sized({60, 2})};
  for (const char* kind : {"greedy", "optimal"}) {
    VALUE_EXACT(PATHS "np.einsum('ij,jk,kl,lm->im', s(10, 30), s(30, 5), s(5, 60), s(60, 2))",
                np::einsum("ij,jk,kl,lm->im", chain, {.optimize = kind}));
    VALUE_EXACT(PATHS "np.einsum('i...,ij,...j->...', s(4, 2, 3), s(4, 5), s(2, 3, 5))",
                np::einsum("i...,ij,...j->...", {sized({4, 2, 3}), sized({4, 5}), sized({2, 3, 5})}, {.optimize = kind}));
    VALUE_EXACT(PATHS "np.einsum('ii,ij,jk->k', s(3, 3), s(3, 4), s(4, 2))",
                np::einsum("ii,ij,jk->k", {sized({3, 3}), sized({3, 4}), sized({4, 2})}, {.optimize = kind}));
  }
  VALUE_EXACT(PATHS "np.einsum('ij,jk,kl,lm->im', s(10, 30), s(30, 5), s(5, 60), s(60, 2))",
              np::einsum("ij,jk,kl,lm->im", chain, {.path = {{2, 3}, {1, 2}, {0, 1}}}));
  TEXT(PATHS "p('ij,jk,kl,lm->im', s(10, 30), s(30, 5), s(5, 60), s(60, 2), optimize=['einsum_path', (2, 3), (1, 2), (0, 1)])[1]",
       np::einsum_path("ij,jk,kl,lm->im", chain, {.path = {{2, 3}, {1, 2}, {0, 1}}}).text);
  TEXT(PATHS "p('ii,ij,jk->k', s(3, 3), s(3, 4), s(4, 2))[1]",
       np::einsum_path("ii,ij,jk->k", {sized({3, 3}), sized({3, 4}), sized({4, 2})}).text);
  EXPECT_EQ(np::class_and_text_of([&] {
              np::einsum("ij,jk,kl,lm->im", chain, {.path = {{0, 1}}});
            }),
            "ValueError: [einsum] Invalid einsum_path is specified: 2 more operands has to be contracted.");
  EXPECT_EQ(np::class_and_text_of([&] {
              np::einsum("ij,jk,kl,lm->im", chain, {.path = {{0, 7}}});
            }),
            "IndexError: [einsum] invalid path: a step names operand 7, of 4 that are left.");
  EXPECT_EQ(np::class_and_text_of([&] { np::einsum("ij,jk,kl,lm->im", chain, {.path = {{}}}); }),
            "IndexError: [einsum] invalid path: a step names no operand.");
  try {
    np::einsum_path("i,i", {sized({3}), sized({3})}, {.optimize = "best"});
    FAIL();
  } catch (const np::ValueError& e) {
    EXPECT_STREQ(e.what(), "[einsum_path] unknown optimize: got 'best', expected 'none', 'greedy' or 'optimal'.");
  }
}

}  // namespace
