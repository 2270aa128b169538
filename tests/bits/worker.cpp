// Runs cases by every engine, with every number of threads, in every layout; writes a digest of each case, and
// each difference between two ways of this process with the element, its inputs and both values.
//
//   test_bits worker --suite NAME [--engines eager,compiled,unfused] [--threads 1,2,7]
//                    [--layouts c,f,strided,negative] [--seed S] [--programs N] [--part K/N] [--every E]
//                    [--case TEXT] [--dump FOLDER]
//
// Output: "= case<TAB>digest", "! case<TAB>way<TAB>what differs", at last "# counts". What differs between
// processors is found by comparing the digests of two processes; --dump then saves one case's arrays (.npy).
#include "worker.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

#include <numjit/base/fusion.h>
#include <numjit/base/hash.h>
#include <numjit/base/thread_pool.h>
#include <support/element_bits.h>
#include <support/memory_layouts.h>
#include <support/random_program.h>

#include "case.h"

namespace bits {
namespace {

using np::testing::MemoryLayout;

struct Settings {
  std::map<std::string, std::string> texts = {
      {"suite", ""}, {"engines", "eager,compiled,unfused"}, {"threads", "1,2,7"},
      {"layouts", "c,f,strided,negative"}, {"seed", "1"}, {"programs", "2000"}, {"part", "0/1"},
      {"every", "1"}, {"case", ""}, {"dump", ""}};

  std::vector<std::string> list(const std::string& name) const {
    std::vector<std::string> parts;
    std::istringstream in(texts.at(name));
    for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
    return parts;
  }
  std::int64_t number(const std::string& name) const { return std::atoll(texts.at(name).c_str()); }
};

bool has_nan(np::dtype_id type) { return np::dtype(type).kind() == 'f' || np::dtype(type).kind() == 'c'; }

/// The elements in C order with one NaN for all.
std::string canonical_bytes(const np::array& a) {
  const np::array plain = a.copy();
  std::string bytes(static_cast<const char*>(plain.raw_data()), static_cast<std::size_t>(plain.nbytes()));
  const std::size_t item = a.dtype().itemsize();
  const bool is_complex = a.dtype().kind() == 'c';
  const std::size_t part = is_complex ? item / 2 : item;
  const np::dtype_id real = part == 2 ? np::dtype_id::float16 : part == 4 ? np::dtype_id::float32 : np::dtype_id::float64;
  if (!has_nan(a.dtype().id())) return bytes;
  // A NaN has the bits of any NaN; zeros have not.
  const std::string nan(part, '\xff');
  for (std::size_t i = 0; i < bytes.size(); i += part)
    if (np::testing::same_element_bits(real, &bytes[i], nan.data())) std::memcpy(&bytes[i], nan.data(), part);
  return bytes;
}

std::string digest(const Outcome& out) {
  std::string text = out.error;
  for (const np::array& a : out.values)
    text += std::string(a.dtype().name()) + a.shape().str() + np::to_hex(np::hash_text(canonical_bytes(a)));
  return np::to_hex(np::hash_text(text));
}

std::string value_text(const np::array& a, std::int64_t i) {
  const np::array plain = a.copy();
  const auto* p = static_cast<const unsigned char*>(plain.raw_data()) + static_cast<std::size_t>(i) * a.dtype().itemsize();
  std::ostringstream out;
  out << plain.reshape(-1)(i).str() << " (";
  for (std::size_t k = a.dtype().itemsize(); k-- > 0;) {
    const char* digits = "0123456789abcdef";
    out << digits[p[k] >> 4] << digits[p[k] & 15];
  }
  out << ")";
  return out.str();
}

/// The first element that differs, with what stands at the same place of the arguments.
std::string explain(const Case& c, const Outcome& expected, const Outcome& got) {
  if (expected.error != got.error) return "error '" + got.error + "', expected '" + expected.error + "'";
  if (expected.values.size() != got.values.size()) return "number of results";
  for (std::size_t k = 0; k < expected.values.size(); ++k) {
    const np::array &a = expected.values[k], &b = got.values[k];
    const std::string label = k < c.labels.size() ? c.labels[k] : "result " + std::to_string(k);
    if (a.dtype() != b.dtype() || a.shape() != b.shape())
      return label + ": " + std::string(b.dtype().name()) + b.shape().str() + ", expected " +
             std::string(a.dtype().name()) + a.shape().str();
    const std::string x = canonical_bytes(a), y = canonical_bytes(b);
    if (x == y) continue;
    const std::size_t item = a.dtype().itemsize();
    std::size_t i = 0;
    while (x.compare(i * item, item, y, i * item, item) == 0) ++i;
    const auto place = static_cast<std::int64_t>(i);
    std::string text = label + " " + std::string(a.dtype().name()) + a.shape().str() + " element " +
                       std::to_string(place) + ": " + value_text(b, place) + ", expected " + value_text(a, place);
    for (const np::array& in : c.arguments)
      if (in.shape() == a.shape()) text += "; " + std::string(in.dtype().name()) + " " + value_text(in, place);
    return text + (c.text.empty() ? "" : "\n" + c.text);
  }
  return "";
}

/// Workers that sleep are not woken for little work: here they are to take part.
void wake_workers() {
  np::detail::parallel_ranges(64, 1, 1e6, [](std::int64_t, std::int64_t) {});
}

Outcome call(const std::function<std::vector<np::array>(std::vector<np::array>, std::string&)>& f,
             const std::vector<np::array>& arguments) {
  Outcome out;
  try {
    out.values = f(arguments, out.error);
  } catch (const np::error& e) {
    // Programs say in their own words that there is no memory for a value (random_program.cpp).
    out.error = e.code() == "MemoryError" ? fuzz::too_large : e.code() + ": " + e.what();
    out.late = true;
    return out;
  }
  out.values.insert(out.values.end(), arguments.begin(), arguments.end());  // stored into?
  return out;
}

class Worker {
 public:
  explicit Worker(const Settings& settings)
      : settings_(settings), engines_(settings.list("engines")), threads_(settings.list("threads")),
        layouts_(settings.list("layouts")) {}

  void run(const Case& c) {
    ++cases_;
    const auto body = [&c](std::vector<np::array> in, std::string& error) {
      Outcome out = c.run(std::move(in));
      error = out.error;
      return out.values;
    };
    bool is_first = true;
    Outcome first;
    for (const std::string& engine : engines_) {
      std::function<std::vector<np::array>(std::vector<np::array>, std::string&)> f = body;
      if (engine != "eager") f = np::compile(body);
      np::detail::fusion = engine != "unfused";
      for (const std::string& threads : threads_) {
        const np::config_scope scope({.threads = std::atoi(threads.c_str())});
        for (const MemoryLayout layout : np::testing::memory_layouts) {
          if (std::find(layouts_.begin(), layouts_.end(), np::testing::layout_name(layout)) == layouts_.end()) continue;
          std::vector<np::array> arguments;
          for (const np::array& a : c.arguments) arguments.push_back(np::testing::laid_out(a, layout));
          if (threads != "1") wake_workers();
          const Outcome out = call(f, arguments);
          ++runs_;
          if (is_first) {
            first = out;
            is_first = false;
            first_digest_ = digest(out);
            check_reference(c, out);
            dump(out, arguments);
            errors_ += !out.error.empty();
          } else if (out.late ? first.error.find(out.error) == std::string::npos : digest(out) != first_digest_) {
            std::cout << "! " << c.name << "\t" << engine << ", " << threads << " threads, layout "
                      << np::testing::layout_name(layout) << "\t" << escaped(explain(c, first, out)) << "\n";
          }
        }
      }
      np::detail::fusion = true;
    }
    std::cout << "= " << c.name << "\t" << first_digest_ << std::endl;
  }

  void summary() const {
    const auto counters = np::counters();
    std::cout << "# cases " << cases_ << " errors " << errors_ << " runs " << runs_ << " kernels " << counters.kernels_compiled
              << " loaded " << counters.kernels_loaded << " single " << counters.eager_ops << std::endl;
  }

 private:
  void check_reference(const Case& c, const Outcome& out) {
    if (!c.reference) return;
    Outcome expected = c.reference();
    expected.values.insert(expected.values.end(), c.arguments.begin(), c.arguments.end());
    if (digest(expected) == first_digest_) return;
    std::cout << "! " << c.name << "\t" << engines_[0] << " against the definition\t" << escaped(explain(c, expected, out))
              << "\n";
  }

  void dump(const Outcome& out, const std::vector<np::array>& arguments) const {
    const std::string& folder = settings_.texts.at("dump");
    if (folder.empty()) return;
    std::filesystem::create_directories(folder);
    for (std::size_t k = 0; k < out.values.size(); ++k) np::save(folder + "/out" + std::to_string(k) + ".npy", out.values[k]);
    for (std::size_t k = 0; k < arguments.size(); ++k) np::save(folder + "/in" + std::to_string(k) + ".npy", arguments[k]);
  }

  static std::string escaped(const std::string& text) {
    std::string line;
    for (char ch : text) line += ch == '\n' ? std::string("\\n") : ch == '\t' ? " " : std::string(1, ch);
    return line;
  }

  const Settings& settings_;
  std::vector<std::string> engines_, threads_, layouts_;
  std::string first_digest_;
  std::int64_t cases_ = 0, errors_ = 0, runs_ = 0;
};

}  // namespace

int run_worker(int argc, char** argv) {
  Settings settings;
  for (int i = 0; i + 1 < argc; i += 2) {
    const auto it = settings.texts.find(argv[i] + 2);
    if (std::strncmp(argv[i], "--", 2) != 0 || it == settings.texts.end()) {
      std::cerr << "test_bits worker: unknown option " << argv[i] << "\n";
      return 2;
    }
    it->second = argv[i + 1];
  }
  const std::string& name = settings.texts["suite"];
  Suite suite;
  if (name == "matrix") suite = matrix_suite();
  else if (name == "reductions") suite = reduction_suite();
  else if (name == "programs")
    suite = program_suite(static_cast<std::uint64_t>(settings.number("seed")), settings.number("programs"));
  else {
    std::cerr << "test_bits worker: --suite: got '" << name << "', expected matrix, reductions or programs\n";
    return 2;
  }
  np::config().compile = np::compile_mode::sync;
  np::config().suppress_errors = false;
  np::config().recompile_limit = 1000;
  const std::string& part = settings.texts["part"];
  const std::int64_t parts = std::atoll(part.substr(part.find('/') + 1).c_str());
  const std::int64_t every = settings.number("every"), wanted = std::atoll(part.c_str());
  Worker worker(settings);
  for (std::int64_t i = 0; i < suite.count; i += every) {
    if (i / every % parts != wanted) continue;
    const Case c = suite.make(i);
    if (settings.texts["case"].empty() || settings.texts["case"] == c.name) worker.run(c);
  }
  worker.summary();
  return 0;
}

}  // namespace bits
