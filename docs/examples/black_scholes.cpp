// Prices of options after Black and Scholes: a long elementwise formula becomes one kernel.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>

#include <numjit/np.h>

namespace np = numjit;

// The cumulative normal distribution, after Abramowitz and Stegun 26.2.17 (error below 7.5e-8).
np::array normal_cdf(const np::array& x) {
  auto t = 1 / (1 + 0.2316419 * np::abs(x));
  auto polynomial =
      t *
      (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  auto tail = 0.3989422804014327 * np::exp(-0.5 * x * x) * polynomial;
  return np::where(x >= 0, 1 - tail, tail);
}

// Price of a European call: spot and strike prices, time in years, interest rate and volatility.
np::array call_price(const np::array& spot, const np::array& strike, const np::array& years,
                     double rate, double volatility) {
  auto deviation = volatility * np::sqrt(years);
  auto d1 = (np::log(spot / strike) + (rate + 0.5 * volatility * volatility) * years) / deviation;
  auto d2 = d1 - deviation;
  return spot * normal_cdf(d1) - strike * np::exp(-rate * years) * normal_cdf(d2);
}

int main(int argc, char** argv) {
  auto price = np::compile(call_price);

  auto strikes = np::array({80.0, 90.0, 100.0, 110.0, 120.0});
  auto calls = price(np::array(100.0), strikes, np::array(0.5), 0.02, 0.25);
  std::cout << "strikes " << strikes << "\ncalls   " << np::round(calls, 4) << "\n\n";

  const int n = argc > 1 ? std::atoi(argv[1]) : 1000000;
  if (n < 1) {
    std::fprintf(stderr,
                 "black_scholes: the number of options is wrong: got %s, expected 1 or more\n",
                 argv[1]);
    return 1;
  }
  auto spot = np::linspace(50, 150, n), strike = np::linspace(150, 50, n),
       years = np::linspace(0.1, 2, n);
  auto milliseconds = [&](auto& f) {
    const auto start = std::chrono::steady_clock::now();
    f(spot, strike, years, 0.02, 0.25);
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
        .count();
  };
  auto result = price(spot, strike, years, 0.02, 0.25);  // records, and runs eagerly meanwhile
  np::wait_for_compiles();
  const double compiled = milliseconds(price), eager = milliseconds(call_price);
  std::printf("%d options: eager %.1f ms, compiled %.1f ms\n", n, eager, compiled);
  std::printf("sum of the prices %.4f\n", np::sum(result).item<double>());
  std::cout << "as eager, bit for bit: " << std::boolalpha
            << np::array_equal(price(spot, strike, years, 0.02, 0.25),
                               call_price(spot, strike, years, 0.02, 0.25))
            << "\n";
}
