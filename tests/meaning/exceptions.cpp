// Programs that throw: from operations and from the body, caught inside and outside, and what arrays hold then.
#include "harness.h"

#include <stdexcept>

#define SUITE Exceptions

using meaning::ramp;
using meaning::wave;
namespace np = numjit;

PROGRAM(shape_mismatch_caught_inside) {
  auto f = p.compile([&](np::array x, const np::array& y) {
    x += 1;
    np::array z;
    try {
      z = x + y;
      p.out << "added\n";
    } catch (const np::ValueError& e) {
      p.out << e.what() << "\n";
      z = x * 10;
    }
    x += 1;
    return z;
  });
  for (int n : {3, 4, 1, 2, 3}) {
    auto x = ramp(3);
    p.show("z", f(x, wave(n)));
    p.show("x", x);
  }
}

PROGRAM(shape_mismatch_leaves_the_body) {
  auto f = p.compile([&](np::array x, const np::array& y) {
    x += 1;
    auto z = x * y;
    x += 1;
    return z;
  });
  for (int n : {3, 4, 3, 2}) {
    auto x = ramp(3);
    p.catches("f", [&] { p.show("z", f(x, ramp(n))); });
    p.show("x", x);
  }
}

PROGRAM(bad_axis) {
  auto f = p.compile([&](const np::array& x, int axis) {
    auto y = x + 1;
    p.catches("argmax", [&] { p.show("argmax", np::argmax(y, {.axis = axis})); });
    return np::sum(y, {.axis = axis});
  });
  auto m = wave(6).reshape(2, 3);
  for (int axis : {0, 1, 2, -1, -2, -3}) p.catches("sum", [&] { p.show("sum", f(m, axis)); });
  p.catches("rank 1", [&] { p.show("sum", f(wave(3), 1)); });
}

PROGRAM(literal_overflow_caught_inside_and_outside) {
  auto f = p.compile([&](const np::array& x, std::int64_t n) {
    np::array y = x + 1;
    try {
      y = y + n;
    } catch (const np::OverflowError& e) {
      p.out << e.what() << "\n";
      y = y - 1;
    }
    return y * n;
  });
  auto bytes = np::arange(4).astype(np::uint8);
  for (std::int64_t n : {2, 300, 255, -1, 0}) p.catches("f", [&] { p.show("y", f(bytes, n)); });
  for (std::int64_t n : {100, 128, -128, -129})
    p.catches("f", [&] { p.show("y", f(np::arange(4).astype(np::int8), n)); });
}

PROGRAM(negative_power_of_integers) {
  auto f = p.compile([&](const np::array& x, int n) {
    auto y = x * 2;
    p.out << "before\n";
    auto z = np::power(y, n);
    p.out << "after\n";
    return z;
  });
  for (int n : {2, 0, -1, 3, -2, 1}) p.catches("f", [&] { p.show("z", f(np::arange(1, 4), n)); });
  p.show("floats", f(ramp(3) + 1, -2));
}

PROGRAM(negative_power_by_array) {
  auto f = p.compile([&](np::array x, const np::array& n) {
    x += 1;
    p.catches("power", [&] { p.show("power", np::power(x, n)); });
    x += 1;
  });
  auto x = np::arange(3);
  f(x, np::array{2, 3, 1});
  f(x, np::array{2, -3, 1});
  f(x, np::array{0, 0, 0});
  p.show("x", x);
}

PROGRAM(exception_of_the_user_with_payload) {
  struct Failure {
    np::array at;
  };
  auto f = p.compile([&](np::array x) {
    x *= 2;
    auto y = x + 0.5;
    if (x.size() > 2) throw Failure{y};
    return y;
  });
  auto x = ramp(4);
  try {
    f(x);
  } catch (const Failure& failure) {
    p.show("payload", failure.at);
    failure.at(0) = 9.0;
    p.show("payload", failure.at);
  }
  p.show("x", x);
  p.show("y", f(ramp(2)));
}

PROGRAM(exceptions_as_control_flow) {
  auto f = p.compile([&](const np::array& x) {
    auto y = x;
    for (int i = 0; i < 6; ++i) {
      try {
        y = y + 1;
        if (i % 2) throw i;
        y = y * 2;
      } catch (int odd) {
        y = y - odd;
      }
    }
    return y;
  });
  p.show("y", f(wave(4)));
}

PROGRAM(rethrown_and_translated) {
  auto f = p.compile([&](np::array x, const np::array& y) {
    try {
      x += 1;
      x += y;
    } catch (const np::error& e) {
      x += 100;
      throw std::invalid_argument(std::string("translated: ") + e.what());
    }
  });
  auto x = ramp(2);
  p.catches("f", [&] { f(x, ramp(3)); });
  p.show("x", x);
  p.catches("f", [&] { f(x, ramp(2)); });
  p.show("x", x);
  auto g = p.compile([&](np::array z) {
    try {
      z += np::ones(7);
    } catch (...) {
      z += 5;
      throw;
    }
  });
  p.catches("g", [&] { g(x); });
  p.show("x", x);
}

PROGRAM(cleanup_runs_operations_while_unwinding) {
  auto f = p.compile([&](np::array x) {
    struct Cleanup {
      np::array x;
      ~Cleanup() { x(0) = -1.0; }
    };
    Cleanup outer{x};
    {
      Cleanup inner{x(np::slice(1, np::none))};
      x += 10;
      x += np::ones(9);
    }
    x += 1000;
  });
  auto x = ramp(4);
  p.catches("f", [&] { f(x); });
  p.show("x", x);
}

PROGRAM(compiled_call_while_unwinding) {
  auto twice = p.compile([](np::array x) { x *= 2; });
  auto f = p.compile([&](np::array x) {
    struct Cleanup {
      decltype(twice)& call;
      np::array x;
      ~Cleanup() { call(x); }
    };
    Cleanup inside{twice, x};
    x += 1;
    throw std::runtime_error("out of f");
  });
  auto x = ramp(3);
  p.catches("f", [&] {
    struct Cleanup {
      decltype(twice)& call;
      np::array x;
      ~Cleanup() { call(x); }
    } outside{twice, x};
    f(x);
  });
  p.show("x", x);
}

PROGRAM(empty_reduction) {
  auto f = p.compile([&](const np::array& x) {
    auto y = x * 2;
    p.show("sum", np::sum(y));
    return np::max(y);
  });
  for (int n : {3, 0, 2, 0, 1}) p.catches("max", [&] { p.show("max", f(ramp(n))); });
  auto g = p.compile([&](const np::array& x) { return np::argmin(x + 1, {.axis = 0}); });
  p.catches("argmin", [&] { p.show("argmin", g(np::ones({2, 3}))); });
  p.catches("argmin", [&] { p.show("argmin", g(np::ones({0, 3}))); });
  p.catches("argmin", [&] { p.show("argmin", g(np::ones({2, 0}))); });
}

PROGRAM(truth_of_many_elements) {
  auto f = p.compile([&](np::array x) {
    x += 1;
    if (x > 0) x += 10;
    return x;
  });
  for (int n : {1, 3, 1, 0}) {
    auto x = ramp(n);
    p.catches("f", [&] { p.show("y", f(x)); });
    p.show("x", x);
  }
}

PROGRAM(item_of_many_elements_and_wrong_type) {
  auto f = p.compile([&](const np::array& x) {
    auto y = x * 2;
    p.catches("item", [&] { p.show("item", y.item<double>()); });
    p.catches("int", [&] { p.show("int", y.item<int>()); });
    p.catches("bool", [&] { p.show("bool", y.item<bool>()); });
    p.catches("data", [&] { y.data<float>()[0] = 5; });
    return y;
  });
  p.show("many", f(ramp(3)));
  p.show("one", f(np::array{1.5}));
  p.show("integer", f(np::array{3}));
}

PROGRAM(reshape_that_does_not_fit) {
  auto f = p.compile([&](const np::array& x, int columns) {
    auto y = x + 1;
    try {
      y = y.reshape(-1, columns);
    } catch (const np::ValueError& e) {
      p.out << e.what() << "\n";
    }
    return y * 2;
  });
  for (int columns : {2, 3, 4, 5}) p.show("y", f(ramp(6), columns));
  p.show("y", f(ramp(8), 4));
}

PROGRAM(joining_what_does_not_fit) {
  auto f = p.compile([&](const np::array& a, const np::array& b, int axis) {
    auto c = a * 2, d = b * 3;
    p.catches("concatenate", [&] { p.show("joined", np::concatenate({c, d}, {.axis = axis})); });
    p.catches("stack", [&] { p.show("stacked", np::stack({c, d}, {.axis = axis})); });
    return c;
  });
  p.show("c", f(np::ones({2, 3}), np::ones({2, 3}), 0));
  p.show("c", f(np::ones({2, 3}), np::ones({1, 3}), 0));
  p.show("c", f(np::ones({2, 3}), np::ones({1, 3}), 1));
  p.show("c", f(np::ones({2, 3}), np::ones({2, 3}), 5));
  p.show("c", f(np::ones({2, 3}), np::ones(3), 0));
}

PROGRAM(products_that_do_not_fit) {
  auto f = p.compile([&](const np::array& a, const np::array& b) {
    p.catches("matmul", [&] { p.show("matmul", np::matmul(a + 0, b)); });
    p.catches("dot", [&] { p.show("dot", np::dot(a, b * 1)); });
    p.catches("inner", [&] { p.show("inner", np::inner(a, b)); });
  });
  f(ramp(6).reshape(2, 3), ramp(6).reshape(3, 2));
  f(ramp(6).reshape(2, 3), ramp(4).reshape(2, 2));
  f(ramp(3), ramp(3));
  f(ramp(3), ramp(4));
  f(ramp(3), np::array(2.0));
}

PROGRAM(operations_without_a_loop) {
  auto f = p.compile([&](np::array x) {
    x += 1;
    p.catches("and", [&] { p.show("and", x & 1); });
    p.catches("invert", [&] { p.show("invert", ~x); });
    p.catches("shift", [&] { p.show("shift", x << 1); });
    p.catches("floor", [&] { p.show("floor", np::floor(x)); });
    p.catches("subtract", [&] { p.show("subtract", (x > 1) - (x > 2)); });
    p.catches("less", [&] { p.show("less", x < x * std::complex<double>(0, 1)); });
    x += 1;
  });
  for (auto type : {np::float64, np::int32, np::complex128, np::float64}) {
    auto x = np::arange(3).astype(type);
    f(x);
    p.show("x", x);
  }
}

PROGRAM(in_place_that_can_not_hold_the_result) {
  auto f = p.compile([&](np::array x) {
    p.catches("float", [&] { x += 0.5; });
    p.catches("divide", [&] { x /= 2; });
    p.catches("complex", [&] { x *= std::complex<double>(1, 1); });
    x += 1;
  });
  for (auto type : {np::int64, np::float32, np::uint8, np::complex64}) {
    auto x = np::arange(3).astype(type);
    f(x);
    p.show("x", x);
  }
}

PROGRAM(empty_handles) {
  auto f = p.compile([&](const np::array& x) {
    np::array nothing, moved = x + 1;
    auto taken = std::move(moved);
    p.catches("default", [&] { p.show("y", nothing + 1); });
    p.catches("shape", [&] { p.show("y", nothing.ndim()); });
    p.catches("moved from", [&] { p.show("y", x + moved); });
    moved = taken * 2;
    return moved;
  });
  p.show("y", f(ramp(3)));
}

PROGRAM(error_in_the_middle_of_a_long_chain) {
  auto f = p.compile([&](np::array x, int bad_at) {
    for (int i = 0; i < 8; ++i) {
      x += i;
      if (i == bad_at) x += np::ones(50);
      x *= 1.5;
    }
  });
  for (int bad : {-1, 3, 7, 0, 3}) {
    auto x = wave(4);
    p.catches("f", [&] { f(x, bad); });
    p.show("x", x);
  }
}

PROGRAM(inner_compiled_function_throws) {
  auto inner = p.compile([&](np::array x, bool fails) {
    x += 1;
    if (fails) throw std::domain_error("inner");
    return x * 2;
  });
  auto f = p.compile([&](np::array x, bool fails) {
    x *= 3;
    np::array y = x;
    try {
      y = inner(x, fails);
    } catch (const std::domain_error& e) {
      p.out << "caught " << e.what() << "\n";
      y = y - 1;
    }
    x += 0.25;
    return y + x;
  });
  for (bool fails : {false, true, true, false}) {
    auto x = ramp(3);
    p.show("y", f(x, fails));
    p.show("x", x);
  }
}

PROGRAM(arrays_of_an_abandoned_call_have_their_values) {
  std::vector<np::array> kept;
  auto f = p.compile([&](const np::array& x) {
    for (int i = 0; i < 4; ++i) {
      kept.push_back(x * i);
      if (i == 2) throw std::out_of_range("enough");
    }
  });
  p.catches("f", [&] { f(ramp(3)); });
  p.show("kept", kept);
}

PROGRAM(nested_try_blocks) {
  auto f = p.compile([&](np::array x) {
    try {
      x += 1;
      try {
        x += np::ones(5);
      } catch (const np::TypeError&) {
        p.out << "not this one\n";
      }
      x += 1000;
    } catch (const np::ValueError& e) {
      p.out << "outer " << e.op() << "\n";
      try {
        p.show("sum", np::sum(x, {.axis = 4}));
      } catch (const np::AxisError& axis) {
        p.out << "axis " << axis.what() << "\n";
      }
    }
    x *= 2;
  });
  auto x = ramp(3);
  f(x);
  p.show("x", x);
}

PROGRAM(exception_pointer_travels) {
  std::exception_ptr stored;
  auto f = p.compile([&](np::array x) {
    x += 1;
    try {
      x += np::ones(9);
    } catch (...) {
      stored = std::current_exception();
    }
    x += 1;
    return x;
  });
  p.show("x", f(ramp(2)));
  p.catches("stored", [&] { std::rethrow_exception(stored); });
}

PROGRAM(matrix_that_fails_in_a_checked_operation) {
  auto f = p.compile([&](np::array x, const np::array& rows) {
    x += 1;
    auto picked = np::take(x, rows);
    return picked * 2;
  });
  p.show("in", f(ramp(4), np::array{3, 0}));
  for (int index : {4, -4, -5}) {
    auto x = ramp(4);
    p.catches("f", [&] { p.show("y", f(x, np::array{1, index})); });
    p.show("x", x);
  }
}

PROGRAM(computed_index_out_of_bounds) {
  // The error is due at the latest where the call ends; arrays hold what eager code had stored.
  auto f = p.compile([&](np::array x, const np::array& rows) {
    x += 1;
    auto picked = np::take(x, rows * 2);
    return picked * 2;
  });
  p.show("in", f(ramp(5), np::array{2, 0}));
  auto x = ramp(5);
  p.catches("out", [&] { p.show("y", f(x, np::array{1, 3})); });
  p.show("x", x);
  p.show("in", f(ramp(5), np::array{1, 2}));
}

PROGRAM(bincount_and_friends_check_values) {
  auto f = p.compile([&](const np::array& x) {
    auto y = x - 1;
    p.catches("bincount", [&] { p.show("counts", np::bincount(y)); });
    p.catches("histogram", [&] { p.show("histogram", np::histogram(y, 3).counts); });
    return y;
  });
  p.show("good", f(np::array{1, 2, 2, 4}));
  p.show("bad", f(np::array{0, 2, 2}));
  p.show("empty", f(np::zeros(0, np::int64)));
}
