// Mutations, the memory count, and the search for a smaller failing input.
#include <bad_input/fuzzer.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>
#include <set>

#include <fcntl.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <numjit/base/buffer_pool.h>
#include <numjit/base/error.h>

namespace {

std::atomic<std::int64_t> held{0}, most_held{0};

void* counted(void* p) {
  if (!p) return p;
  const std::int64_t now = held += static_cast<std::int64_t>(malloc_usable_size(p));
  if (now > most_held) most_held = now;
  return p;
}

void* allocate(std::size_t n) {
  if (void* p = counted(std::malloc(n ? n : 1))) return p;
  throw std::bad_alloc();
}

void give_back(void* p) {
  if (p) held -= static_cast<std::int64_t>(malloc_usable_size(p));
  std::free(p);
}

}  // namespace

// The library's calls come here too.
void* operator new(std::size_t n) { return allocate(n); }
void* operator new[](std::size_t n) { return allocate(n); }
void* operator new(std::size_t n, const std::nothrow_t&) noexcept { return counted(std::malloc(n ? n : 1)); }
void* operator new[](std::size_t n, const std::nothrow_t&) noexcept { return counted(std::malloc(n ? n : 1)); }
void operator delete(void* p) noexcept { give_back(p); }
void operator delete[](void* p) noexcept { give_back(p); }
void operator delete(void* p, std::size_t) noexcept { give_back(p); }
void operator delete[](void* p, std::size_t) noexcept { give_back(p); }

namespace bad_input {

namespace {

namespace detail = numjit::detail;

/// A file that holds the input being read: it outlives a crash.
class Witness {
 public:
  explicit Witness(const std::string& name) {
    const auto folder = std::filesystem::path(NUMJIT_TEST_BUILD_DIR) / "fuzz";
    std::filesystem::create_directories(folder);
    path_ = folder / ("last_" + name);
    const int file = open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0644);
    if (file < 0 || ftruncate(file, size) != 0) return;
    void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (memory != MAP_FAILED) bytes_ = static_cast<char*>(memory);
  }
  Witness(const Witness&) = delete;
  ~Witness() {
    if (!bytes_) return;
    munmap(bytes_, size);
    std::filesystem::remove(path_);
  }
  void note(const std::string& input) {
    if (!bytes_) return;
    const std::uint64_t n = std::min<std::uint64_t>(input.size(), size - sizeof n);
    std::memcpy(bytes_, &n, sizeof n);
    std::memcpy(bytes_ + sizeof n, input.data(), n);
  }

 private:
  static constexpr std::size_t size = 1 << 20;
  std::filesystem::path path_;
  char* bytes_ = nullptr;
};

std::size_t below(Random& random, std::size_t n) { return n ? static_cast<std::size_t>(random() % n) : 0; }

const char* const numbers[] = {"0", "-1", "1", "17", "255", "65536", "2147483647", "4294967296", "99999999999",
                               "4611686018427387904", "9223372036854775807", "-9223372036854775808",
                               "9223372036854775808", "18446744073709551615", "340282366920938463463374607431768211456",
                               "1e999", "-0", "1.5"};

// Another number in place of one in the text.
void replace_number(std::string& s, Random& random) {
  std::size_t at = s.find_first_of("0123456789", below(random, s.size()));
  if (at == s.npos) return;
  std::size_t end = at;
  while (end < s.size() && s[end] >= '0' && s[end] <= '9') ++end;
  s.replace(at, end - at, numbers[below(random, std::size(numbers))]);
}

// One of the numbers that programs get wrong, in 1 to 8 bytes.
void replace_binary(std::string& s, Random& random) {
  constexpr std::uint64_t special[] = {0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000,
                                       0xffffffff, std::uint64_t{1} << 62, ~std::uint64_t{0} >> 1, ~std::uint64_t{0}};
  const std::size_t width = std::size_t{1} << below(random, 4);
  if (s.size() < width) return;
  const std::uint64_t value = special[below(random, std::size(special))];
  std::memcpy(s.data() + below(random, s.size() - width + 1), &value, width);
}

void mutate_once(std::string& s, const std::vector<std::string>& pool, const Target& target, Random& random) {
  const std::size_t at = below(random, s.size() + 1), length = 1 + below(random, below(random, 4) ? 8 : s.size() + 1);
  switch (random() % 10) {
    case 0:
      if (at < s.size()) s[at] = static_cast<char>(s[at] ^ (1 << below(random, 8)));
      break;
    case 1:
      if (at < s.size()) s[at] = static_cast<char>(random());
      break;
    case 2: s.erase(at, length); break;
    case 3: s.insert(at, s.substr(below(random, s.size() + 1), length)); break;
    case 4: replace_binary(s, random); break;
    case 5: replace_number(s, random); break;
    case 6:
    case 7:
      if (!target.words.empty()) {
        const std::string& word = target.words[below(random, target.words.size())];
        s.replace(at, random() % 2 ? std::min(word.size(), s.size() - at) : 0, word);
      }
      break;
    case 8: {
      const std::string& other = pool[below(random, pool.size())];
      s = s.substr(0, at) + other.substr(std::min(other.size(), below(random, other.size() + 1)));
      break;
    }
    default: {  // nesting
      const std::string piece = s.substr(at, std::min<std::size_t>(length, 4));
      std::string many;
      for (std::size_t i = 0, n = std::size_t{1} << below(random, 12); i < n; ++i) many += piece;
      s.insert(at, many);
    }
  }
  if (s.size() > (1 << 18)) s.resize(1 << 18);
}

// Drops pieces while the input still fails.
std::string smaller(const Target& target, std::string input) {
  for (std::size_t piece = input.size() / 2; piece > 0; piece /= 2)
    for (std::size_t at = 0; at + piece <= input.size();) {
      std::string shorter = input;
      shorter.erase(at, piece);
      if (problem_of(target, shorter).empty()) {
        at += piece;
      } else {
        input = shorter;
      }
    }
  return input;
}

}  // namespace

std::size_t peak_of(const std::function<void()>& f) {
  detail::reset_memory_peak();
  const std::int64_t pool_before = detail::memory_usage().in_use, before = held;
  most_held = before;
  f();
  const std::int64_t pool = detail::memory_usage().peak - pool_before, heap = most_held - before;
  return static_cast<std::size_t>(std::max<std::int64_t>(pool, 0) + std::max<std::int64_t>(heap, 0));
}

namespace {

/// `answer`: the error's text without digits and quotations, empty if there was none.
std::string read_one(const Target& target, const std::string& input, std::string& answer, std::size_t& peak) {
  answer.clear();
  std::string problem;
  alarm(60);  // what hangs dies, and the input stays in the witness' file
  const auto start = std::chrono::steady_clock::now();
  peak = peak_of([&] {
    try {
      target.read(input);
    } catch (const numjit::error& e) {
      bool quoted = false;
      for (char c : std::string_view(e.what()).substr(0, 200)) {
        quoted ^= c == '\'';
        if (!quoted && std::isalpha(static_cast<unsigned char>(c))) answer += c;
      }
    } catch (const std::exception& e) {
      problem = std::string("an exception that is none of numjit's: ") + e.what();
    }
  });
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  alarm(0);
  if (problem.empty() && peak > target.memory_factor * input.size() + target.memory_base)
    problem = std::to_string(peak) + " bytes held for an input of " + std::to_string(input.size());
  if (problem.empty() && took.count() > 10)
    problem = "it took " + std::to_string(took.count()) + " s";
  return problem;
}

}  // namespace

std::string problem_of(const Target& target, const std::string& input) {
  std::string answer;
  std::size_t peak = 0;
  return read_one(target, input, answer, peak);
}

Outcome fuzz(const Target& target, double seconds, std::uint64_t seed) {
  std::vector<std::string> pool = target.seeds;
  for (std::string& file : corpus(target.name)) pool.push_back(std::move(file));
  const std::size_t given = pool.size();
  std::size_t largest_seed = 64;
  for (const std::string& seed_text : pool) largest_seed = std::max(largest_seed, seed_text.size());
  std::set<std::string> answers;
  Outcome done;
  Witness witness(target.name);
  Random random(seed);
  const auto start = std::chrono::steady_clock::now();
  auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  for (std::size_t i = 0; i < given || elapsed() < seconds; ++i) {
    // Half of the time one of those given.
    std::string input = i < given ? pool[i] : pool[below(random, random() % 2 ? given : pool.size())];
    if (i >= given)
      for (std::size_t k = 1 + below(random, 4); k > 0; --k) {
        if (target.change && random() % 4) input = target.change(input, random);
        else mutate_once(input, pool, target, random);
      }
    witness.note(input);
    std::string answer;
    std::size_t peak = 0;
    done.problem = read_one(target, input, answer, peak);
    ++done.inputs;
    ++(answer.empty() ? done.accepted : done.errors);
    done.largest = std::max(done.largest, peak);
    if (!done.problem.empty()) {
      done.input = smaller(target, input);
      done.problem = problem_of(target, done.input);
      break;
    }
    // What is refused for a new reason, or still read after a change, is the way to deeper changes.
    const bool kept = answer.empty() ? random() % 64 == 0 && input.size() < largest_seed * 3 / 2 : answers.insert(answer).second;
    if (i >= given && kept && pool.size() < 4096) pool.push_back(std::move(input));
  }
  return done;
}

std::vector<std::string> corpus(const std::string& name) {
  std::vector<std::filesystem::path> paths;
  const auto folder = std::filesystem::path(NUMJIT_TEST_SOURCE_DIR) / "tests/fuzz/corpus" / name;
  if (std::filesystem::exists(folder))
    for (const auto& entry : std::filesystem::directory_iterator(folder)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> files;
  for (const auto& path : paths) {
    std::ifstream in(path, std::ios::binary);
    files.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return files;
}

double fuzz_seconds() {
  const char* text = std::getenv("FUZZ_SECONDS");
  return text ? std::atof(text) : 20;
}

std::uint64_t fuzz_seed() {
  const char* text = std::getenv("FUZZ_SEED");
  if (text) return std::strtoull(text, nullptr, 10);
  // A short run is one of many that must only fail for what has changed; long ones look for what nobody has seen.
  if (!std::getenv("FUZZ_SECONDS")) return 20261122;
  return static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
}

}  // namespace bad_input
