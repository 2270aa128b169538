// No kernel calls libm: what the code generator makes of every row of floats, for three instruction
// sets, is looked through for undefined symbols that libm exports. Eager loops:
// tests/math/no_libm_test.py.
#include <cstdio>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <compiler.h>
#include <kernels/kernel_fixture.h>

namespace numjit::testing {
namespace {

using halide_gen::HalideCompiler;

bool in_libm(const std::string& name) {
  static void* const library = dlopen("libm.so.6", RTLD_NOW);
  void* const found = library ? dlsym(library, name.c_str()) : nullptr;
  Dl_info info{};
  return found && dladdr(found, &info) &&
         std::string(info.dli_fname).find("libm") != std::string::npos;
}

/// Undefined symbols of an object; "?" if there is no nm to ask.
std::set<std::string> imports(const std::vector<char>& object) {
  const std::string file = ::testing::TempDir() + "no_libm_" + std::to_string(getpid()) + ".o";
  std::ofstream(file, std::ios::binary)
      .write(object.data(), static_cast<std::streamsize>(object.size()));
  std::set<std::string> names;
  std::string text;
  if (FILE* pipe = popen(("nm -u -P " + file + " 2>&1 || echo '?'").c_str(), "r")) {
    char part[4096];
    while (std::size_t n = fread(part, 1, sizeof part, pipe)) text.append(part, n);
    pclose(pipe);
  }
  std::remove(file.c_str());
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) names.insert(line.substr(0, line.find(' ')));
  return names;
}

std::set<std::string> libm_imports(const std::vector<char>& object) {
  std::set<std::string> found;
  for (const std::string& name : imports(object))
    if (in_libm(name) || name.starts_with("_ZGV")) found.insert(name);
  return found;
}

bool has_nm() { return std::system("nm --version > /dev/null 2>&1") == 0; }

/// The loop of floats of `type` alone, if the row has one.
bool has_loop(const op_info& row, dtype_id type) {
  for (const op_loop& loop : row.loops) {
    bool all = true;
    for (int i = 0; i < row.arity; ++i) all &= loop.in[i] == type;
    if (all) return true;
  }
  return false;
}

TEST(NoLibm, KernelsOfEveryRow) {
  if (!has_nm()) GTEST_SKIP() << "no nm here";
  int kernels = 0;
  for (int i = 0; i < op_count; ++i) {
    const op_info& row = info(static_cast<op_id>(i));
    if (row.kind != op_kind::ufunc) continue;
    for (dtype_id type : {dtype_id::float32, dtype_id::float64}) {
      if (!has_loop(row, type)) continue;
      SpecBuilder b;
      int in[3];
      for (int k = 0; k < row.arity; ++k) in[k] = b.operand(type);
      const int result = b.op(std::string(row.name).c_str(), in[0], row.arity > 1 ? in[1] : -1,
                              row.arity > 2 ? in[2] : -1);
      const auto spec = b.outputs({result});
      for (const char* target : {"x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
        const std::vector<std::uint8_t> strides(spec.operand_types.size() + 1, 1);
        const auto object = HalideCompiler().compile(spec, {"elementwise", strides, 0, false},
                                                     "nj_test", target);
        EXPECT_EQ(libm_imports(object), std::set<std::string>{}) << row.name << " for " << target;
        ++kernels;
      }
    }
  }
  EXPECT_GT(kernels, 200);
}

/// The checker sees calls in an object that has some.
TEST(NoLibm, ACallIsFound) {
  if (!has_nm() || std::system("c++ --version > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "no nm or compiler here";
  const std::string base = ::testing::TempDir() + "no_libm_calls_" + std::to_string(getpid());
  std::ofstream(base + ".cpp")
      << "#include <cmath>\n#include <cstdlib>\ndouble f(double a, float b) {\n"
         "  return std::exp(a) + std::fmod(b, 3.0f) + std::rand();\n}\n";
  ASSERT_EQ(std::system(("c++ -O1 -c " + base + ".cpp -o " + base + ".o").c_str()), 0);
  std::ifstream file(base + ".o", std::ios::binary);
  const std::vector<char> object{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(libm_imports(object), (std::set<std::string>{"exp", "fmodf"}));
  EXPECT_TRUE(imports(object).contains("rand"));
  std::remove((base + ".cpp").c_str());
  std::remove((base + ".o").c_str());
}

}  // namespace
}  // namespace numjit::testing
