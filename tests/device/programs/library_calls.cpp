// A product of matrices, a Fourier transform and an inverse on cuda:0; says what came out and what the host did.
#include <iostream>

#include <numjit/np.h>
#include <numjit/np_fft.h>
#include <numjit/np_linalg.h>

namespace np = numjit;

int main() {
  np::config().compile = np::compile_mode::sync;
  const np::array x = np::reshape(np::arange(6.0), {2, 3}).to("cuda"), y = np::reshape(np::arange(6.0), {3, 2}).to("cuda");
  auto product = np::compile([](const np::array& a, const np::array& b) { return np::matmul(a, b); });
  auto transform = np::compile([](const np::array& a) { return np::fft::rfft(a); });
  auto inverse = np::compile([](const np::array& a) { return np::linalg::inv(a); });
  const np::array square = (np::eye(2) * 4.0).to("cuda");
  for (int i = 0; i < 2; ++i) {
    const np::array p = product(x, y), t = transform(x), q = inverse(square);
    std::cout << p.device() << " " << p.str() << "\n"
              << t.device() << " " << t.shape().str() << "\n"
              << q.device() << " " << q.str() << "\n";
  }
  for (const np::host_work& w : np::device_host_work()) std::cout << w.device << " " << w.op << " " << w.count << "\n";
}
