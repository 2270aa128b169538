// np::polynomial::Polynomial.
#include <sstream>

#include <numjit/polynomial.h>

#include "against_numpy.h"

namespace np = numjit;
using np::polynomial::Polynomial;

namespace {

Polynomial p() { return Polynomial({1, 2, 3}); }
Polynomial q() { return Polynomial({-2.0, 0.5}); }
Polynomial moved() { return Polynomial({1, 2, 3}, {.domain = np::array{0, 4}, .window = np::array{-1, 2}}); }
#define P "p = np.polynomial.Polynomial([1, 2, 3]); q = np.polynomial.Polynomial([-2, .5]); "
#define M "p = np.polynomial.Polynomial([1, 2, 3], [0, 4], [-1, 2]); q = np.polynomial.Polynomial([-2, .5], [0, 4], [-1, 2]); "

TEST(polynomial_class, arithmetic) {
  const Polynomial a = moved(), b({-2.0, 0.5}, {.domain = np::array{0, 4}, .window = np::array{-1, 2}});
  VALUE(M "(p + q).coef", (a + b).coef());
  VALUE(M "(q - p).coef", (b - a).coef());
  VALUE(M "(p - p).coef", (a - a).coef());
  VALUE(M "(p * q).coef", (a * b).coef());
  VALUE(M "(-p).coef", (-a).coef());
  VALUE(M "(p + 1).coef", (a + 1).coef());
  VALUE(M "(1 - p).coef", (1 - a).coef());
  VALUE(M "(3 * p / 2).coef", (3 * a / 2).coef());
  VALUE(M "(p // q).coef", np::polynomial::floor_divide(a, b).coef());
  VALUE(M "(p % q).coef", (a % b).coef());
  VALUE(M "(q // p).coef", np::polynomial::floor_divide(b, a).coef());
  VALUE(M "(q % p).coef", (b % a).coef());
  VALUE(M "(p ** 3).coef", a.pow(3).coef());
  VALUE(M "(p ** 0).coef", a.pow(0).coef());
  VALUE(M "(p * q).domain", (a * b).domain());
  EXPECT_TRUE(a == moved());
  EXPECT_FALSE(a == p());
  ERROR(P "p % np.polynomial.Polynomial([0])", p() % Polynomial({0}));
  ERROR(P "p + np.polynomial.Polynomial([1], [0, 1])", p() + Polynomial({1}, {.domain = np::array{0, 1}}));
  ERROR(P "p + np.polynomial.Polynomial([1], window=[0, 1])", p() + Polynomial({1}, {.window = np::array{0, 1}}));
  ERROR(P "p + np.polynomial.Polynomial([1], symbol='y')", p() + Polynomial({1}, {.symbol = "y"}));
  ERROR(P "p ** -1", p().pow(-1));
  ERROR(P "p ** 101", p().pow(101));
}

TEST(polynomial_class, values_and_calculus) {
  VALUE(P "p(2.0)", p()(2.0));
  VALUE(M "p(np.arange(5))", moved()(np::arange(5)));
  VALUE(P "p(q).coef", p()(q()).coef());
  VALUE(M "p.deriv().coef", moved().deriv().coef());
  VALUE(M "p.deriv(2).coef", moved().deriv(2).coef());
  VALUE(M "p.deriv(5).coef", moved().deriv(5).coef());
  VALUE(M "p.integ().coef", moved().integ().coef());
  VALUE(M "p.integ(2, [1, 2], 0.5).coef", moved().integ({.m = 2, .k = {1, 2}, .lbnd = 0.5}).coef());
  VALUE_CLOSE("np.polynomial.Polynomial([6, -5, 1], [0, 4], [-1, 2]).roots()", 1e-13,
              Polynomial({6, -5, 1}, {.domain = np::array{0, 4}, .window = np::array{-1, 2}}).roots());
  VALUE_CLOSE(P "p.roots()", 1e-13, p().roots());
  VALUE(M "p.linspace(4)[1]", moved().linspace(4).second);
  VALUE(M "p.mapparms()[0]", np::array(moved().mapparms().first));
  ERROR(P "p.deriv(-1)", p().deriv(-1));
  ERROR(P "p.integ(-1)", p().integ({.m = -1}));
  ERROR(P "p.integ(1, [1, 2])", p().integ({.k = {1, 2}}));
}

TEST(polynomial_class, ways_to_make_one) {
  VALUE_CLOSE("np.polynomial.Polynomial.fit([0, 1, 2, 4], [1, 3, 2, 5], 2).coef", 1e-13,
              Polynomial::fit(np::array{0, 1, 2, 4}, np::array{1, 3, 2, 5}, 2).coef());
  VALUE("np.polynomial.Polynomial.fit([0, 1, 2, 4], [1, 3, 2, 5], 2).domain",
        Polynomial::fit(np::array{0, 1, 2, 4}, np::array{1, 3, 2, 5}, 2).domain());
  VALUE_CLOSE(
      "np.polynomial.Polynomial.fit([0, 1, 2, 4], [1, 3, 2, 5], 1, domain=[0, 1], w=[1, 2, 1, 1]).convert().coef", 1e-13,
      Polynomial::fit(np::array{0, 1, 2, 4}, np::array{1, 3, 2, 5}, 1, {.domain = np::array{0, 1}, .w = np::array{1, 2, 1, 1}})
          .convert()
          .coef());
  VALUE("np.polynomial.Polynomial.fromroots([1, 2, -3]).coef", Polynomial::fromroots(np::array{1, 2, -3}).coef());
  VALUE("np.polynomial.Polynomial.fromroots([1, 2], [0, 4]).coef",
        Polynomial::fromroots(np::array{1, 2}, {.domain = np::array{0, 4}}).coef());
  VALUE("np.polynomial.Polynomial.identity([0, 4]).coef", Polynomial::identity({.domain = np::array{0, 4}}).coef());
  VALUE("np.polynomial.Polynomial.basis(3).coef", Polynomial::basis(3).coef());
  VALUE(M "p.convert().coef", moved().convert().coef());
  VALUE(M "p.convert(domain=[0, 1]).coef", moved().convert({.domain = np::array{0, 1}}).coef());
  VALUE("np.polynomial.Polynomial([1, 1e-3, 0, 0]).trim(1e-2).coef", Polynomial({1, 1e-3, 0, 0}).trim(1e-2).coef());
  VALUE(P "p.truncate(2).coef", p().truncate(2).coef());
  VALUE(P "p.cutdeg(0).coef", p().cutdeg(0).coef());
  EXPECT_EQ(p().degree(), 2);
  ERROR("np.polynomial.Polynomial([])", Polynomial(np::zeros(0)));
  ERROR("np.polynomial.Polynomial([[1]])", Polynomial(np::ones({1, 1})));
  ERROR("np.polynomial.Polynomial([1], [1, 2, 3])", Polynomial({1}, {.domain = np::array{1, 2, 3}}));
  ERROR("np.polynomial.Polynomial([1], window=[1])", Polynomial({1}, {.window = np::ones(1)}));
  ERROR("np.polynomial.Polynomial([1], symbol='')", Polynomial({1}, {.symbol = ""}));
  ERROR("np.polynomial.Polynomial.basis(-1)", Polynomial::basis(-1));
  ERROR(P "p.trim(-1)", p().trim(-1));
  ERROR(P "p.truncate(0)", p().truncate(0));
}

TEST(polynomial_class, text) {
  const auto text = [](const Polynomial& x) { return (std::ostringstream() << x).str(); };
  TEXT(P "str(p)", text(p()));
  TEXT("str(np.polynomial.Polynomial([1.5, -2, 1e-9, 3e8], symbol='z'))",
       text(Polynomial({1.5, -2, 1e-9, 3e8}, {.symbol = "z"})));
  TEXT(M "str(p)", text(moved()));
  TEXT("str(np.polynomial.Polynomial([1, 2j]))", text(Polynomial({1, std::complex<double>(0, 2)})));
  TEXT("str(np.polynomial.Polynomial(np.arange(15) / 7))", text(Polynomial(np::arange(15) / 7)));
}

}  // namespace
