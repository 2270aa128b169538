// The harness itself: a program whose ways differ is found, and the report names what differs.
#include "harness.h"

using meaning::check_program;
using meaning::Trial;
namespace np = numjit;

TEST(Harness, FindsAWrongElement) {
  EXPECT_EQ(check_program("x", [](Trial& p) { p.show("y", np::array{1.0, p.records() ? 2.5 : 2.0}); }),
            "x, backend eager, cold, round 0: sight 0: y element 1 of (2,) float64: plain 2.0, here 2.5");
}

TEST(Harness, FindsDtypeShapeStridesAndSign) {
  EXPECT_EQ(check_program("x", [](Trial& p) {
              p.show("y", np::ones(2, p.records() ? np::float32 : np::float64));
            }),
            "x, backend eager, cold, round 0: sight 0: y dtype: plain float64, here float32");
  EXPECT_EQ(check_program("x", [](Trial& p) { p.show("y", np::ones(p.records() ? 3 : 2)); }),
            "x, backend eager, cold, round 0: sight 0: y shape: plain (2,), here (3,)");
  EXPECT_EQ(check_program("x", [](Trial& p) {
              auto a = np::ones({2, 2});
              p.show("y", p.records() ? a.transpose() : a);
            }),
            "x, backend eager, cold, round 0: sight 0: y strides: plain (16, 8), here (8, 16)");
  EXPECT_EQ(check_program("x", [](Trial& p) { p.show("y", np::array(p.records() ? -0.0 : 0.0)); }),
            "x, backend eager, cold, round 0: sight 0: y element 0 of () float64: plain 0.0, here -0.0");
}

TEST(Harness, FindsOrderAndOutput) {
  EXPECT_EQ(check_program("x", [](Trial& p) {
              if (p.records()) p.out << "late";
              p.note("n");
              if (!p.records()) p.out << "late";
            }),
            "x, backend eager, cold, round 0: sight 0: plain 'n', here 'printed: late'");
}

TEST(Harness, FindsExceptions) {
  EXPECT_EQ(check_program("x", [](Trial& p) {
              p.catches("c", [&] {
                if (p.records()) throw np::ValueError("op", "text");
              });
            }),
            "x, backend eager, cold, round 0: sight 0: plain 'c: no exception', here 'c: "
            "numjit::ValueError (ValueError, op 'op'): [op] text'");
  EXPECT_EQ(check_program("x", [](Trial& p) {
              p.note("n");
              if (p.records()) throw std::runtime_error("out");
            }),
            "x, backend eager, cold, round 0: sight 1 'left by std::runtime_error: out' is only seen here");
}

TEST(Harness, FindsFailedChecksAndEmptyPrograms) {
  EXPECT_EQ(check_program("x", [](Trial&) {}), "x, plain, round 0: shows nothing");
  EXPECT_EQ(check_program("x", [](Trial& p) {
              p.note("n");
              p.check(!p.records(), "why");
            }),
            "x, backend eager, cold, round 0: why");
}

TEST(Harness, TellsSharedMemory) {
  EXPECT_EQ(check_program("x", [](Trial& p) {
              auto a = np::ones(4);
              p.shared("s", a, p.records() ? a.copy() : a(np::slice(1, 3)));
            }),
            "x, backend eager, cold, round 0: sight 0: plain 's: memory shared', here 's: apart'");
}

TEST(Harness, CallsBundlesOfPurePrograms) {
  const int before = meaning::exported_calls();
  EXPECT_EQ(check_program("x", [](Trial& p) {
              auto f = p.compile([](np::array x, double by) {
                x *= by;
                return std::pair(x, np::sum(x));
              });
              np::array x = meaning::ramp(3);
              p.show("pair", f(x, 2.5));
              p.show("x", x);
            }, true), "");
  EXPECT_GT(meaning::exported_calls(), before);
}
