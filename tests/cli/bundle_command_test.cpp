// numjit run and numjit explain, by what they print, write and return.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <tuple>

#include <gtest/gtest.h>
#include <unistd.h>

#include <numjit/array/same_bits.h>
#include <numjit/base/subprocess.h>
#include <numjit/np.h>
#include <support/code_generator.h>
#include <support/trace_values.h>

namespace np = numjit;
using numjit::testing::ramp;

namespace {

np::array scaled(np::array u, const np::array& v) {
  u(0) = 0.5;
  return np::sum(u * v);
}

class BundleCommand : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/numjit-run-XXXXXX";
    folder = mkdtemp(name);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  std::string in(const std::string& name) const { return folder + "/" + name; }

  struct Output {
    int status = -1;
    std::string text;
  };
  // Without a PATH: nothing else may be started.
  Output run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), NUMJIT_TEST_BUILD_DIR "/bin/numjit");
    Output output;
    output.status = numjit::detail::run_program(arguments, &output.text,
                                                {"PATH=", "NUMJIT_CACHE_DIR=" + in("cache"), "NUMJIT_LOGS="});
    return output;
  }
  void expect(const std::vector<std::string>& arguments, int status, const std::string& text) const {
    const Output output = run(arguments);
    EXPECT_EQ(output.status, status);
    EXPECT_EQ(output.text, text);
  }
  bool same(const std::string& file, const np::array& expected) const {
    const np::array got = np::load(in(file));
    return got.dtype() == expected.dtype() && got.shape() == expected.shape() &&
           !numjit::detail::first_difference(got.get(), expected.get());
  }

  std::string folder;
};

}  // namespace

TEST_F(BundleCommand, Run_reads_and_writes_npy_files) {
  SKIP_WITHOUT_CODE_GENERATOR();
  np::export_function(scaled, {ramp(4), ramp(4)}, in("scaled.npj"));
  const np::array u = np::cos(ramp(4)), v = np::sin(ramp(4));
  np::save(in("u.npy"), u);
  np::save(in("v.npy"), v);
  expect({"run", in("scaled.npj"), in("u.npy"), in("v.npy"), "-o", in("out.npy")}, 0,
         "numjit: the function changes its argument 0 (" + in("u.npy") + "): write it with --changed PATH\n");
  np::array changed = u.copy();
  const np::array expected = scaled(changed, v);
  EXPECT_TRUE(same("out.npy", expected));
  EXPECT_TRUE(same("u.npy", u)) << "inputs are not written";
  expect({"run", in("scaled.npj"), in("u.npy"), in("v.npy"), "-o", in("out.npy"), "--changed", in("u_{}.npy")}, 0, "");
  EXPECT_TRUE(same("u_0.npy", changed));
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    EXPECT_EQ(entry.path().filename().string().find(".tmp."), std::string::npos) << "temporary files are renamed";
}

TEST_F(BundleCommand, Several_results) {
  auto f = [](const np::array& x) { return std::tuple(x + 1.0, np::sum(x), x > 1.0); };
  np::export_function(f, std::tuple(ramp(3)), in("f.npj"), {.targets = {}});
  np::save(in("x.npy"), ramp(3));
  expect({"run", in("f.npj"), in("x.npy"), "-o", in("out_{}.npy")}, 0, "");
  EXPECT_TRUE(same("out_0.npy", ramp(3) + 1.0));
  EXPECT_TRUE(same("out_1.npy", np::sum(ramp(3))));
  EXPECT_TRUE(same("out_2.npy", ramp(3) > 1.0));
  expect({"run", in("f.npj"), in("x.npy"), "-o", in("a.npy"), "-o", in("b.npy"), "-o", in("c.npy")}, 0, "");
  EXPECT_TRUE(same("c.npy", ramp(3) > 1.0));
  expect({"run", in("f.npj"), in("x.npy"), "-o", in("a.npy"), "-o", in("b.npy")}, 2,
         "numjit: [run] number of outputs: got 2 -o, expected 3, or one with {} in its name.\n");
  expect({"run", in("f.npj"), in("x.npy")}, 0,
         "result 0: float64 (3,)\n[1. 2. 3.]\nresult 1: float64 ()\n3.0\nresult 2: bool (3,)\n[False False  True]\n");
}

TEST_F(BundleCommand, What_is_wrong_is_said_exactly) {
  auto f = [](const np::array& x) { return x + 1.0; };
  np::export_function(f, {ramp(3)}, in("f.npj"), {.targets = {}});
  np::save(in("x.npy"), ramp(3));
  np::save(in("long.npy"), ramp(4));
  np::save(in("narrow.npy"), ramp(3).astype(np::float32));
  const std::string load = "numjit: [load_function] ";
  expect({"run", in("none.npj"), in("x.npy")}, 2, load + in("none.npj") + ": No such file or directory\n");
  expect({"run", in("x.npy"), in("x.npy")}, 2, load + in("x.npy") + ": not a numjit bundle\n");
  std::filesystem::copy(in("f.npj"), in("short.npj"));
  const auto size = std::filesystem::file_size(in("f.npj"));
  std::filesystem::resize_file(in("short.npj"), size - 1);
  expect({"run", in("short.npj"), in("x.npy")}, 2,
         load + in("short.npj") + ": cut short: got " + std::to_string(size - 1) + " bytes, expected " +
             std::to_string(size) + "\n");
  std::filesystem::copy(in("f.npj"), in("new.npj"));
  {
    std::fstream file(in("new.npj"), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(8);
    file.put(9);
  }
  expect({"run", in("new.npj"), in("x.npy")}, 2,
         load + in("new.npj") + ": written by a newer numjit: format 9, this one reads up to 1. Update numjit.\n");
  expect({"run", in("f.npj")}, 2, "numjit: [run] number of inputs: got 0, expected 1.\n");
  expect({"run", in("f.npj"), in("x.npy"), in("x.npy")}, 2, "numjit: [run] number of inputs: got 2, expected 1.\n");
  const std::string hint = ". Export it with such an example, or mark the axes that change with np::mark_dynamic.\n";
  expect({"run", in("f.npj"), in("long.npy")}, 1,
         "numjit: [f] no exported example fits: argument 0 has shape (4,), expected (3,)" + hint);
  expect({"run", in("f.npj"), in("narrow.npy")}, 1,
         "numjit: [f] no exported example fits: argument 0 has dtype float32, expected float64" + hint);
  EXPECT_EQ(run({"run"}).status, 2);
  EXPECT_EQ(run({"run", "--help"}).status, 0);
  const Output missing = run({"run", in("f.npj"), in("x.npy"), "-o", in("none/out.npy")});
  EXPECT_EQ(missing.status, 2);
  EXPECT_EQ(missing.text, "numjit: [run] " + in("none/out.npy") + ": No such file or directory\n");
}

TEST_F(BundleCommand, Explain_shows_graphs_and_reads) {
  auto f = [](const np::array& x) { return np::sum(x) > 1.0 ? x * 2.0 : x; };
  np::array x = ramp(3);
  np::mark_dynamic(x, 0);
  np::export_function(f, {x}, in("f.npj"), {.targets = {}});
  const Output output = run({"explain", in("f.npj")});
  EXPECT_EQ(output.status, 0);
  const std::string line = std::to_string(__LINE__ - 6);
  EXPECT_EQ(output.text,
            "f: 1 kind of arguments\n"
            "arguments (float64[any])\n"
            "step 0: graph of argument 0, then step 1\n"
            "  %0 = input : float64[?]\n"
            "  %1 = sum(%0) : float64[]  -> output\n"
            "  %2 = greater(%1, $0:float64) : bool[]  -> output\n"
            "step 1: bool() of value 1 at " __FILE__ ":" + line + "\n"
            "  true -> step 2\n"
            "step 2: graph of argument 0, then step 3\n"
            "  %0 = input : float64[?]\n"
            "  %1 = multiply(%0, $0:float64) : float64[?]  -> output\n"
            "step 3: results value 2\n");
}
