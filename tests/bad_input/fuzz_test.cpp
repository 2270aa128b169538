// Fuzzing of what comes from outside: .npy, .npz, text tables, bundles, graph files, packs, object code, einsum's subscripts,
// indices, formats. FUZZ_SECONDS sets the time of all targets together (20), FUZZ_SEED the seed (else a fixed one, or with
// FUZZ_SECONDS one from the clock).
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <tuple>

#include <unistd.h>

#include <bad_input/fuzzer.h>
#include <bad_input/inputs.h>
#include <numjit/base/error.h>
#include <numjit/base/hash.h>
#include <numjit/np.h>
#include <numjit/runtime/bundle/wasm_pack.h>
#include <numjit/runtime/kernels/list.h>
#include <numjit/runtime/kernels/loader.h>
#include <numjit/runtime/kernels/objects.h>
#include <numjit/runtime/kernels/plugin.h>
#include <numjit/trace/export/export.h>

namespace np = numjit;
using bad_input::Target;

namespace {

constexpr int targets = 11;

void run(const Target& target) {
  const std::uint64_t seed = bad_input::fuzz_seed();
  const bad_input::Outcome done = bad_input::fuzz(target, bad_input::fuzz_seconds() / targets, seed);
  std::cout << "fuzz " << target.name << ": seed " << seed << ", " << done.inputs << " inputs, " << done.accepted
            << " read, " << done.errors << " refused, at most " << done.largest / 1024 << " KiB held" << std::endl;
  if (!done.problem.empty()) {
    const auto file = std::filesystem::path(NUMJIT_TEST_BUILD_DIR) / "fuzz" / ("failing_" + target.name);
    std::ofstream(file, std::ios::binary) << done.input;
    FAIL() << done.problem << "\ninput, also in " << file << ":\n" << bad_input::shown(done.input);
  }
  EXPECT_GT(done.accepted, 0u);
  EXPECT_GT(done.inputs, done.accepted);  // some were refused
}

/// All elements are read, so that memory behind them would be noticed.
void touch(const np::array& a) {
  if (a.size() <= (1 << 16)) (void)np::tobytes(a);
}

// ---- files of arrays ----

TEST(BadInput, npy) {
  Target t{.name = "npy"};
  for (const np::dtype type : {np::bool_, np::int16, np::float16, np::complex64, np::float64})
    t.seeds.push_back(np::npy_bytes(np::ones({2, 3}, type)));
  t.seeds.push_back(np::npy_bytes(np::ones({3, 2, 4}).T()));
  t.seeds.push_back(np::npy_bytes(np::zeros({0, 5})));
  t.words = {"\x93NUMPY", "'descr'", "'fortran_order'", "'shape'", "True", "False", "(", ")", ",", "{", "}", ":", "'<f8'",
             "'>c16'", "'|b1'", "'O'", "[('a', '<i4')]", "(4611686018427387904,)", "(999999999999999999,)", "L"};
  t.read = [](const std::string& bytes) { touch(np::from_npy_bytes(bytes.data(), bytes.size(), "input")); };
  run(t);
}

TEST(BadInput, npz) {
  const bad_input::Scratch file(".npz");
  Target t{.name = "npz", .memory_factor = 1100};  // what deflate can hold, and some
  const np::named_arrays some{{"a", np::ones({3, 4})}, {"b", np::zeros(300)}, {"c", np::array(7)}};
  for (const bool compressed : {false, true}) {
    (compressed ? np::savez_compressed : np::savez)(file.path(), some);
    t.seeds.push_back(file.read());
  }
  t.words = {"PK\x03\x04", "PK\x01\x02", "PK\x05\x06", "PK\x06\x06", "PK\x06\x07", ".npy", "a.npy",
             std::string(8, '\xff'), std::string(4, '\0'), std::string("\x08\0", 2), std::string("\x01\0\x10\0", 4)};
  t.read = [&](const std::string& bytes) {
    file.write(bytes);
    const np::npz_file z(file.path());
    for (const std::string& name : z.files()) touch(z[name]);
  };
  run(t);
}

// ---- text ----

// The first byte chooses what is read and how.
void read_text(const std::string& text) {
  if (text.empty()) return;
  const auto how = static_cast<unsigned char>(text[0]);
  const std::string_view body = std::string_view(text).substr(1);
  const np::dtype type = static_cast<np::dtype_id>(how / 4 % np::dtype_count);
  const char* delimiters[] = {nullptr, ",", ", ", ""};
  const char* delimiter = delimiters[how / 64];
  switch (how % 4) {
    case 0: touch(np::loadtxt_string(body, {.dtype = type, .delimiter = delimiter})); break;
    case 1: touch(np::genfromtxt_string(body, {.dtype = type, .delimiter = delimiter, .skip_footer = 1})); break;
    case 2: touch(np::fromstring(body, type, -1, delimiter ? delimiter : " ")); break;
    default: touch(np::loadtxt_string(body, {.dtype = type, .comments = "%", .usecols = {-1, 0}, .unpack = true, .ndmin = 2}));
  }
}

TEST(BadInput, text) {
  Target t{.name = "text"};
  t.read = read_text;
  for (int how = 0; how < 256; how += 7)
    t.seeds.push_back(std::string(1, static_cast<char>(how)) + "1, 2.5, -3\n4, nan, 6e3 # c\n\n(1+2j), 1, 0\r\n");
  t.words = {"nan", "inf", "-inf", "1e400", "1e-400", "0x1p3", "(1+2j)", "j", "+", "-", "#", "%", "\r\n", "\n", "\r", ",",
             "1_000", "True", "nan(1)", std::string(1, '\0'), "\xff\xfe", "99999999999999999999"};
  run(t);
}

TEST(BadInput, format) {
  const np::array a = np::array{{1.5, -2.25}, {1e300, np::nan}};
  const np::array c = np::array{std::complex<double>(1, -2)};
  Target t{.name = "format", .seeds = {"%.18e", "%d", "%5.2f", "%+10.4g|", "%%%x", "a%ib"}};
  t.words = {"%",  "%%", "%n", "%s", "%c", "%p", "*", "l",         "ll", "h", "$",
             "1$", ".",  "#",  " ",  "+",  "-",  "0", "999999999", "e",  "d", "f"};
  t.read = [&](const std::string& fmt) {
    const std::string name = fmt.substr(0, fmt.find('\0'));
    (void)np::savetxt_string(a, {.fmt = name.c_str()});
    (void)np::savetxt_string(c, {.fmt = name.c_str()});
  };
  run(t);
}

// ---- what numjit serve and numjit pack read ----

const std::string some_graphs[] = {
    "schedule elementwise size class 0 inner strides 11* exact\noperands dF\nscalars l\n%0 = operand 0\n%1 = operand 1\n"
    "%2 = imag.f(%1)\n%3 = cast.d(%2)\n%4 = scalar 0\n%5 = cast.d(%4)\n%6 = multiply.dd->d(%0, %3)\n"
    "%7 = subtract.dd->d(%6, %5)\noutputs %7\n",
    "schedule rows size class 1 inner strides 1 exact\noperands B\nscalars \nreduced axes 1\n%0 = operand 0\n%1 = cast.L(%0)\n"
    "%2 = sum.B->L(%1) over axis 0\noutputs %2\n",
    "schedule product size class 4 inner strides 412 exact\noperands ff\nscalars \nreduced axes 2\n%0 = operand 0\n%1 = operand "
    "1\n"
    "%2 = subtract.ff->f(%0, %1)\n%3 = square.f->f(%2)\n%4 = sum.f->f(%3) over axis 0\n%5 = argmin.f->l(%4) over axis 1\n"
    "outputs %5\n"};

TEST(BadInput, graphs) {
  const std::string head(np::runtime::kernel_list_head);
  Target t{.name = "graphs", .memory_factor = 256};
  for (const std::string& graph : some_graphs) t.seeds.push_back(head + "\n" + graph);
  t.seeds.push_back(head + "\n" + some_graphs[0] + "\n" + some_graphs[1]);
  t.words = {"schedule ",
             " size class ",
             " inner strides ",
             " exact\n",
             " fast\n",
             " target cuda\n",
             "operands ",
             "scalars ",
             "reduced axes 2\n",
             "%0 = ",
             "operand 0\n",
             "scalar 0\n",
             "cast.",
             "imag.",
             "add.dd->d(",
             "sum.d->d(",
             "argmax.f->l(",
             " over axis 1\n",
             "%65535",
             "%65536",
             "outputs",
             "\n\n",
             "numjit graphs 1\n",
             "where.?dd->d(",
             "panel",
             "elementwise",
             "99999999999999999999"};
  t.read = [](const std::string& text) {
    for (const auto& request : np::runtime::read_kernel_list(text))
      if (np::runtime::request_from_text(request.content).spec != request.spec) throw std::logic_error("it is read in two ways");
  };
  run(t);
}

TEST(BadInput, pack) {
  const auto sealed = [](std::string bytes) {
    const std::size_t at = bytes.rfind("numjit.pack") + 11;
    if (at < 11 || at + 32 > bytes.size()) return bytes;
    bytes.replace(at, 32, std::string(32, '0'));
    return bytes.replace(at, 32, np::to_hex(np::hash_text(bytes)));
  };
  const std::string json =
      R"({"format":1,"abi":1,"bits":2,"target":"simd","compiler":"","graphs":["a"]})";  // section sizes of one byte
  const auto module = [](const std::string& name, const std::string& content) {
    return std::string("\0asm\1\0\0\0\1\4\1\x60\0\0\0", 15) + static_cast<char>(1 + name.size() + content.size()) +
           static_cast<char>(name.size()) + name + content;
  };
  Target t{.name = "pack"};
  t.seeds = {sealed(module("numjit.pack", std::string(32, '0') + json)),
             sealed(module("numjit.pack", std::string(32, '0') + "{}")), module("name", "x")};
  t.words = {"numjit.pack",
             std::string("\0asm\1\0\0\0", 8),
             std::string(1, '\0'),
             "\xff\xff\xff\xff\x0f",
             "\x80\x80",
             "\"graphs\":",
             "[[[[[[",
             "{}",
             "1e999"};
  t.read = [sealed](const std::string& bytes) {
    (void)np::runtime::read_pack(bytes.size() % 4 ? sealed(bytes) : bytes, "input");
  };
  run(t);
}

TEST(BadInput, objects) {
  Target t{.name = "objects"};
  // What kernels are linked with, and one of a sine.
  for (const char* name : {"numjit_kernel_rt.o", "numjit_kernel_device_rt.o", "numjit_kernel_math_rt.o"}) {
    std::ifstream file(np::runtime::library_folder() + "/" + name, std::ios::binary);
    std::vector<char> object{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (object.empty()) GTEST_SKIP() << name << " is not here: built without the code generator";
    const std::vector<char> packed = np::runtime::pack_kernel_objects(object);
    t.seeds.emplace_back(packed.begin(), packed.end());
  }
  for (const std::uint64_t word :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 12, ~std::uint64_t{0}, ~std::uint64_t{7}})
    t.words.emplace_back(reinterpret_cast<const char*>(&word), sizeof word);
  // Nothing of it is called.
  t.read = [](const std::string& bytes) { const np::runtime::LoadedObjects loaded(np::runtime::unpack_objects(bytes)); };
  run(t);
}

// ---- small languages ----

TEST(BadInput, einsum) {
  Target t{.name = "einsum"};
  t.seeds = {"ij,jk->ik", "ii", "ii->i", "ij->ji", "ij,ij->", "i,j->ij", "bij,bjk->bik", "ij,jk,kl", " i j -> j", "...i,...i",
             "...ij,jk->...ik", "a,b,c,d->abcd", ",->", "i,j->i,j"};
  t.words = {"...", ".", "->", ",", "i", "j", "k", "ii", "A", "z", " ", "-", ">", "1"};
  std::vector<np::array> arrays;
  for (const np::dims& shape : {np::dims{2, 2}, np::dims{2}, np::dims{}, np::dims{2, 2, 2}, np::dims{1, 2}, np::dims{0, 2}})
    arrays.push_back(np::ones(shape));
  t.memory_base = 4 << 20;
  t.read = [arrays](const std::string& text) {
    // As many operands as the text asks for; which ones, its bytes say.
    const std::size_t count = std::min<std::size_t>(
        5, 1 + static_cast<std::size_t>(std::ranges::count(std::string_view(text).substr(0, text.find("->")), ',')));
    std::size_t hash = std::hash<std::string>()(text);
    np::array_list operands;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < count; ++i, hash /= 8) {
      const std::size_t end = std::min(text.find_first_of(",>", begin), text.size());
      const auto letters =
          std::count_if(text.begin() + static_cast<std::ptrdiff_t>(begin), text.begin() + static_cast<std::ptrdiff_t>(end),
                        [](unsigned char ch) { return std::isalpha(ch) != 0; });
      begin = std::min(end + 1, text.size());
      const std::size_t fitting[] = {2, 1, 0, 3};
      operands.push_back(hash % 8 < 6 && letters < 4 ? arrays[fitting[letters]] : arrays[hash % arrays.size()]);
    }
    touch(np::einsum(text, operands));
  };
  run(t);
}

TEST(BadInput, indices) {
  Target t{.name = "indices", .words = {std::string("\0\x07", 2), "\x01\x01\x02\x03", "\x05", "\x04\x03"}};
  for (const char* seed : {"\x01\x03", "\x02\x01\x02\x03\x04", "\x03\x04\x05", "\x04\x01\x04\x02", "\x02\x05\x07\x01"})
    t.seeds.push_back(seed);
  t.read = bad_input::read_indices;
  run(t);
}

// ---- bundles ----

/// Bundles of small functions, made by this build.
std::vector<std::string> bundles() {
  const bad_input::Scratch file(".npj");
  std::vector<std::string> made;
  auto add = [&](auto f, auto arguments) {
    np::export_function(f, arguments, file.path(), {.targets = {}});
    made.push_back(file.read());
  };
  const np::array x = np::arange(12.0).reshape(3, 4), y = np::arange(4.0), any_rows = np::arange(12.0).reshape(3, 4);
  np::mark_dynamic(any_rows, 0);
  add([](const np::array& a, const np::array& b) { return np::sum(np::exp(a - b) * 0.5, {.axis = 1}); }, std::tuple(x, y));
  add([](const np::array& a) { return a(np::slice(1, np::none)).T() + np::arange(2.0) * np::full({2}, 3); }, std::tuple(x));
  add([](np::array a) {
    a(0) = 1;
    a += np::ones(a.shape());
    return np::concatenate({a, np::zeros({1, 4})});
  }, std::tuple(x));
  add([](const np::array& a) { return a / static_cast<double>(a.shape(0)) + np::cumsum(a, {.axis = 0}); }, std::tuple(any_rows));
  add([](const np::array& a) { return bool(np::sum(a) > 3.0) ? np::sort(a) : a(a > 1.0); }, std::tuple(y));
  return made;
}

// Loads a bundle, describes it, and calls it with arguments of the layouts it asks for.
void use_bundle(const std::string& path) {
  const np::loaded_function f = np::load_function(path);
  (void)f.str();
  const auto entries = f.inputs();
  for (const auto& inputs : entries) {
    std::vector<np::array> arguments;
    for (const auto& in : inputs) {
      std::int64_t count = 1;
      for (std::int64_t n : in.shape) count = n < 0 || n > 10000 || count * n > 10000 ? 10001 : count * n;
      if (count > 10000) return;
      arguments.push_back(np::ones(in.shape, in.dtype));
    }
    for (int round = 0; round < 2; ++round)
      for (const np::array& result : f.run(arguments)) touch(result);
  }
}

TEST(BadInput, bundle) {
  const bad_input::Scratch file(".npj");
  Target t{.name = "bundle", .seeds = bundles(), .memory_factor = 2000, .memory_base = 8 << 20};
  t.words = bad_input::program_words();
  t.read = [&](const std::string& bytes) {
    file.write(bad_input::with_checksums(bytes));
    use_bundle(file.path());
  };
  np::config().memory_limit = 64 << 20;  // programs may ask for any array: within this limit they get it
  t.memory_base += 64 << 20;
  run(t);
  np::config().memory_limit = 0;
}

TEST(BadInput, program) {
  const bad_input::Scratch file(".npj");
  Target t{.name = "program", .memory_factor = 2000, .memory_base = 8 << 20};
  std::vector<std::string> whole = bundles();
  for (const std::string& b : whole) t.seeds.push_back(bad_input::section_of(b, "program"));
  t.words = bad_input::program_words();
  t.change = bad_input::changed_json;
  t.read = [&](const std::string& text) {
    file.write(bad_input::with_program(whole[0], text));
    use_bundle(file.path());
  };
  np::config().memory_limit = 64 << 20;
  t.memory_base += 64 << 20;
  run(t);
  np::config().memory_limit = 0;
}

}  // namespace
