// Colour quantisation of a photograph: k-means over its pixels, written as one would in NumPy, run
// eagerly and compiled, and timed. Writes the picture in k colours and a picture of the palette.
//
//   photo_kmeans [picture.png|.jpg|.npy] [--k 16] [--iterations 25] [-o out.png]
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>

#include <numjit/image.h>
#include <numjit/np.h>

namespace np = numjit;
namespace fs = std::filesystem;

namespace {

// Squared distance of every pixel to every centre: (n, 3), (k, 3) -> (n, k). The differences, of
// shape (n, k, 3), are never stored when this is compiled.
np::array distances(const np::array& pixels, const np::array& centres) {
  auto diff = pixels(np::_, np::newaxis) - centres(np::newaxis);
  return np::sum(diff * diff, {.axis = -1});
}

// Index of the nearest centre of every pixel: (n,).
np::array assign(const np::array& pixels, const np::array& centres) {
  return np::argmin(distances(pixels, centres), {.axis = 1});
}

// Mean colour of the pixels of each centre; a centre without pixels stays where it is. `planes`
// holds the same colours as `pixels`, one plane a channel: (3, n).
np::array update(const np::array& planes, const np::array& labels, const np::array& centres) {
  auto member = labels == np::arange(centres.shape(0))(np::_, np::newaxis);  // (k, n), never stored
  auto sums = np::sum(np::where(member, planes(np::_, np::newaxis), 0), {.axis = -1});  // (3, k)
  auto count = np::sum(member, {.axis = 1})(np::_, np::newaxis);                        // (k, 1)
  return np::where(count > 0, sums.T() / np::maximum(count, 1).astype(np::float32), centres);
}

// One iteration of k-means.
np::array step(const np::array& pixels, const np::array& planes, const np::array& centres) {
  return update(planes, assign(pixels, centres), centres);
}

// Mean squared distance of the pixels to their centres: what k-means makes small.
np::array error_of(const np::array& pixels, const np::array& centres) {
  return np::mean(np::min(distances(pixels, centres), {.axis = 1}));
}

// Brightness of colours, as the eye weighs red, green and blue.
np::array brightness(const np::array& colours) {
  return np::matmul(colours, np::array({0.299, 0.587, 0.114}).astype(np::float32));
}

// A start that needs no dice: k pixels at even steps from the darkest to the brightest.
np::array first_centres(const np::array& pixels, std::int64_t k) {
  auto order = np::argsort(brightness(pixels));
  auto ranks = (2 * np::arange(k) + 1) * pixels.shape(0) / (2 * k);
  return pixels(np::array(order(ranks.astype(np::int64))));
}

// uint8 colours of float ones.
np::array to_bytes(const np::array& colours) {
  return np::clip(np::rint(colours), 0, 255).astype(np::uint8);
}

// k squares of 64 pixels, darkest first.
np::array palette_picture(const np::array& centres) {
  np::array sorted = centres(np::argsort(brightness(centres)));
  auto row = to_bytes(sorted).reshape(1, centres.shape(0), 3);
  return np::repeat(np::repeat(row, 64, 0), 64, 1);
}

np::array read_picture(const std::string& path) {
  auto picture = fs::path(path).extension() == ".npy" ? np::load(path) : np::imread(path);
  if (picture.ndim() != 3 || picture.shape(2) != 3)
    throw np::ValueError("photo_kmeans", "the picture has the wrong shape: got " +
                                             picture.shape().str() +
                                             ", expected (height, width, 3).");
  return picture;
}

// The picture that ships with numjit, from the source folder or relative to this program in build/.
std::string shipped_picture() {
  const fs::path name = "docs/examples/data/astronaut.jpg";
  for (fs::path folder = fs::canonical("/proc/self/exe").parent_path(); folder.has_relative_path();
       folder = folder.parent_path())
    if (fs::exists(folder / name)) return fs::relative(folder / name).string();
  return name.string();
}

double milliseconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// One line that is overwritten on a terminal; elsewhere a line now and then.
void progress(const char* what, int done, int all) {
  if (isatty(STDERR_FILENO))
    std::fprintf(stderr, "\r%s %d of %d ", what, done, all);
  else if (done == all || done % 10 == 0)
    std::fprintf(stderr, "%s %d of %d\n", what, done, all);
  if (done == all && isatty(STDERR_FILENO)) std::fputc('\n', stderr);
}

struct options {
  std::string picture, output;
  std::int64_t k = 16;
  int iterations = 25;
};

struct timing {
  double eager = 0, first = 0, ready = 0, steady = 0;  // milliseconds
  int eager_iterations = 0;                            // 0: did not fit into memory
  bool same_bits = true;
};

// Iterates eagerly for some iterations, then compiled from the start for all of them. Returns the
// centres.
np::array fit(const np::array& pixels, const np::array& planes, const np::array& start,
              const options& o, timing& t) {
  auto eager_centres = start;
  std::vector<double> times;
  try {
    double total = 0;
    for (int i = 0; i < o.iterations && (i < 3 || total < 2000); ++i) {
      times.push_back(milliseconds([&] { eager_centres = step(pixels, planes, eager_centres); }));
      total += times.back();
      progress("eager: iteration", i + 1, o.iterations);
    }
    t.eager_iterations = static_cast<int>(times.size());
    t.eager = median(times);
    if (t.eager_iterations < o.iterations) std::fputs("\n", stderr);
  } catch (const np::MemoryError& e) {
    std::fprintf(stderr, "eager: %s\n", e.what());
  }

  auto fast = np::compile(step, {.name = "step"});
  auto centres = start;
  times.clear();
  for (int i = 0; i < o.iterations; ++i) {
    const double time = milliseconds([&] { centres = fast(pixels, planes, centres); });
    if (i == 0) {
      t.first = time;
      t.ready = time + milliseconds([] { np::wait_for_compiles(); });
    } else {
      times.push_back(time);
    }
    if (i + 1 == t.eager_iterations) t.same_bits = np::array_equal(centres, eager_centres);
    progress("compiled: iteration", i + 1, o.iterations);
  }
  t.steady = times.empty() ? t.first : median(times);
  return centres;
}

void print_report(const timing& t, const np::explain_report& report) {
  int kernels = 0;
  double busy = 0, share = 0;
  for (const auto& kernel : report.kernels) {
    kernels += !kernel.name.empty();
    if (kernel.name.empty() || kernel.ns <= 0) continue;
    busy += static_cast<double>(kernel.ns);
    share += kernel.bandwidth_share * static_cast<double>(kernel.ns);
  }
  const int threads = np::config().threads;
  std::printf("\none iteration of k-means\n");
  if (t.eager_iterations > 0)
    std::printf("  eager, op by op as NumPy      %10.2f ms\n", t.eager);
  else
    std::printf("  eager, op by op as NumPy      does not fit into memory\n");
  std::printf("  compiled, first call          %10.2f ms\n", t.first);
  std::printf("  compiled, kernels ready after %10.2f ms\n", t.ready);
  std::printf("  compiled, steady state        %10.2f ms\n", t.steady);
  if (t.eager_iterations > 0)
    std::printf("  speed-up                      %10.1f x, %s\n", t.eager / t.steady,
                t.same_bits ? "every bit the same" : "RESULTS DIFFER");
  std::printf("  threads                       %10d\n",
              threads ? threads : static_cast<int>(std::thread::hardware_concurrency()));
  std::printf("  kernels                       %10d\n", kernels);
  std::printf("  share of memory bandwidth     %10.0f %%\n\n", busy > 0 ? 100 * share / busy : 0.0);
  std::cout << report;
}

int run(const options& o) {
  auto picture = read_picture(o.picture);
  const auto height = picture.shape(0), width = picture.shape(1);
  auto pixels = picture.astype(np::float32).reshape(height * width, 3);
  std::printf("%s: %lld x %lld pixels to %lld colours, %d iterations\n", o.picture.c_str(),
              static_cast<long long>(width), static_cast<long long>(height),
              static_cast<long long>(o.k), o.iterations);
  std::fflush(stdout);

  auto planes = np::ascontiguousarray(pixels.T());
  auto start = first_centres(pixels, o.k);
  timing t;
  auto centres = fit(pixels, planes, start, o, t);

  auto compiled_error = np::compile(error_of);
  std::printf("mean squared distance to the palette: %.2f at the start, %.2f at the end\n",
              compiled_error(pixels, start).item<double>(),
              compiled_error(pixels, centres).item<double>());

  auto labels = np::compile(assign)(pixels, centres);
  np::array quantised = to_bytes(centres)(labels);
  fs::path palette = o.output;
  palette.replace_filename(palette.stem().string() + "_palette.png");
  np::imsave(o.output, quantised.reshape(height, width, 3));
  np::imsave(palette.string(), palette_picture(centres));
  std::printf("wrote %s and %s\n", o.output.c_str(), palette.c_str());

  print_report(t, np::explain(np::compile(step, {.name = "step"}))(pixels, planes, centres));
  return t.same_bits ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  options o;
  CLI::App app{
      "Reduces a photograph to k colours by k-means, eagerly and compiled, and compares the "
      "times."};
  app.add_option("picture", o.picture,
                 "a .png, .jpg or .npy (height, width, 3) file; default: the one shipped");
  app.add_option("--k", o.k, "number of colours")->capture_default_str()->check(CLI::Range(1, 256));
  app.add_option("--iterations", o.iterations, "iterations of k-means")
      ->capture_default_str()
      ->check(CLI::Range(1, 100000));
  app.add_option("-o,--output", o.output,
                 "the picture to write; default: NAME_K_colours.png in build/, or here");
  CLI11_PARSE(app, argc, argv);
  try {
    if (o.picture.empty()) o.picture = shipped_picture();
    if (o.output.empty()) {
      const std::string name =
          fs::path(o.picture).stem().string() + "_" + std::to_string(o.k) + "_colours.png";
      o.output = fs::is_directory("build") ? "build/" + name : name;
    }
    return run(o);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "photo_kmeans: %s\n", e.what());
    return 1;
  }
}
