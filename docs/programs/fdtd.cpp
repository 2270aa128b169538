// Maxwell's equations in two dimensions by Yee's scheme (FDTD): a pulse meets a piece of glass
// between mirrors.
#include <numjit/np.h>

namespace np = numjit;

namespace fdtd {

std::pair<np::array, int> inputs() {
  auto glass = np::ones({24, 30});
  glass(np::_, np::slice(18, 24)) = 2.25;
  return {glass, 30};
}

std::tuple<np::array, np::array, np::array> run(const np::array& permittivity, int steps) {
  const double courant = 0.5;
  const auto rows = permittivity.shape(0), columns = permittivity.shape(1);
  const auto in = np::slice(1, -1), first = np::slice(np::none, -1), last = np::slice(1, np::none);
  auto ez = np::zeros({rows, columns});
  auto hx = np::zeros({rows, columns - 1}), hy = np::zeros({rows - 1, columns});
  auto factor = courant / permittivity(in, in);
  auto seen = np::zeros(steps);
  for (int t = 0; t < steps; ++t) {
    hx -= courant * (ez(np::_, last) - ez(np::_, first));
    hy += courant * (ez(last) - ez(first));
    ez(in, in) += factor * (hy(last, in) - hy(first, in) - hx(in, last) + hx(in, first));
    const double s = (t - 10) / 4.0;
    ez(12, 8) += std::exp(-s * s);
    seen(t) = ez(12, 20);
  }
  auto energy = 0.5 * (np::sum(permittivity * np::square(ez)) + np::sum(np::square(hx)) +
                       np::sum(np::square(hy)));
  return {ez, seen, energy};
}

}  // namespace fdtd
