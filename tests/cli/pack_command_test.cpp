// numjit pack: graphs recorded by NUMJIT_RECORD become packs; what is no graph file and no pack is refused.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <numjit/base/error.h>
#include <numjit/base/hash.h>
#include <numjit/base/subprocess.h>
#include <numjit/np.h>
#include <numjit/runtime/bundle/wasm_pack.h>
#include <numjit/runtime/kernels/disk_cache.h>
#include <numjit/runtime/kernels/linker.h>
#include <numjit/runtime/kernels/list.h>
#include <support/code_generator.h>
#include <support/trace_values.h>

namespace np = numjit;
using numjit::testing::ramp;
using testing::HasSubstr;
using testing::MatchesRegex;

#define SKIP_WITHOUT_WASM_LINKER()                  \
  SKIP_WITHOUT_CODE_GENERATOR();                    \
  if (!numjit::runtime::find_wasm_linker()) GTEST_SKIP() << "no wasm-ld here"

namespace {

const std::string chain =
    "schedule elementwise size class 0 inner strides 111 exact\n"
    "operands dd\n"
    "scalars \n"
    "%0 = operand 0\n"
    "%1 = operand 1\n"
    "%2 = multiply.dd->d(%0, %1)\n"
    "%3 = add.dd->d(%2, %1)\n"
    "outputs %3\n";
const std::string head(numjit::runtime::kernel_list_head);

class PackCommand : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/numjit-pack-XXXXXX";
    folder = mkdtemp(name);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  std::string in(const std::string& name) const { return folder + "/" + name; }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(in(name), std::ios::binary) << text;
    return in(name);
  }
  std::string read(const std::string& name) const {
    std::ifstream file(in(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  struct Output {
    int status = -1;
    std::string text;
  };
  Output run(std::vector<std::string> arguments, std::vector<std::string> environment = {}) const {
    arguments.insert(arguments.begin(), NUMJIT_TEST_BUILD_DIR "/bin/numjit");
    environment.push_back("NUMJIT_CACHE_DIR=" + in("cache"));
    environment.push_back("NUMJIT_LOGS=");
    Output output;
    output.status = numjit::detail::run_program(arguments, &output.text, environment);
    return output;
  }
  void expect(const std::vector<std::string>& arguments, int status, const std::string& text) const {
    const Output output = run(arguments);
    EXPECT_EQ(output.status, status);
    EXPECT_EQ(output.text, text);
  }

  std::string folder;
};

/// The pack with another description, under the checksum it should have.
std::string described(const std::string& pack, const std::string& from, const std::string& to) {
  const std::size_t at = pack.rfind("numjit.pack") + 11;
  std::string json = pack.substr(at + 32);
  json.replace(json.find(from), from.size(), to);
  EXPECT_EQ(from.size(), to.size()) << "the section's length stays";
  std::string whole = pack.substr(0, at) + std::string(32, '0') + json;
  return whole.replace(at, 32, numjit::to_hex(numjit::hash_text(whole)));
}

}  // namespace

TEST_F(PackCommand, RecordedGraphsBecomeAPack) {
  SKIP_WITHOUT_WASM_LINKER();
  auto f = [](const np::array& x) { return np::sum(x * 2.0 + 1.0); };
  np::export_function(f, {ramp(40)}, in("f.npj"), {.targets = {}});
  np::save(in("x.npy"), ramp(40));
  for (int i = 0; i < 2; ++i)  // what is there already is added to
    ASSERT_EQ(run({"run", in("f.npj"), in("x.npy")}, {"NUMJIT_RECORD=" + in("graphs.txt"), "NUMJIT_COMPILE=sync"}).status, 0);
  const std::string graphs = read("graphs.txt");
  // What a page asks for where it does the same: tests/wasm/packs_test.mjs compares with this file, too.
  std::ifstream page(NUMJIT_TEST_SOURCE_DIR "/tests/wasm/sum_graph.txt");
  const std::string once(std::istreambuf_iterator<char>(page), {});
  EXPECT_EQ(graphs, once + once.substr(head.size()));
  ASSERT_EQ(numjit::runtime::read_kernel_list(graphs).size(), 1u) << graphs;

  const Output built = run({"pack", "build", in("graphs.txt"), "-o", in("f.wasm")});
  EXPECT_EQ(built.status, 0);
  EXPECT_THAT(built.text, MatchesRegex(".*/f\\.wasm: 1 kernels for simd, [0-9.]+ KiB\n"));
  const Output listed = run({"pack", "list", in("f.wasm")});
  EXPECT_EQ(listed.status, 0);
  EXPECT_THAT(listed.text, MatchesRegex("target simd, bits version [0-9]+, made by halide-[0-9.]+\n"
                                        "nj_[0-9a-f]+ rows: multiply add sum\n"));
  EXPECT_EQ(run({"pack", "build", in("f.wasm"), in("graphs.txt"), "-o", in("again.wasm")}).status, 0);
  EXPECT_EQ(read("again.wasm"), read("f.wasm")) << "a pack is as good as the graphs in it, and has the same bytes";
  EXPECT_EQ(run({"pack", "build", in("f.wasm"), "-o", in("scalar.wasm"), "--target", "scalar"}).status, 0);
  EXPECT_THAT(run({"pack", "list", in("scalar.wasm")}).text, HasSubstr("target scalar"));
}

TEST_F(PackCommand, RecordingDoesNotStopAProgram) {
  auto f = [](const np::array& x) { return x + 1.0; };
  np::export_function(f, {ramp(3)}, in("f.npj"), {.targets = {}});
  np::save(in("x.npy"), ramp(3));
  const Output output = run({"run", in("f.npj"), in("x.npy")}, {"NUMJIT_RECORD=" + in("none/graphs.txt"), "NUMJIT_COMPILE=sync"});
  EXPECT_EQ(output.status, 0);
  EXPECT_THAT(output.text,
              HasSubstr("numjit: NUMJIT_RECORD: [Errno 2] No such file or directory: '" + in("none/graphs.txt") + "'\n"));
  EXPECT_THAT(output.text, HasSubstr("[1. 2. 3.]"));
}

TEST_F(PackCommand, WhatIsWrongWithGraphsIsSaidExactly) {
  expect({"pack", "build", in("none.txt"), "-o", in("p.wasm")}, 2,
         "numjit: [pack] [Errno 2] No such file or directory: '" + in("none.txt") + "'\n");
  const auto refused = [&](const std::string& text, const std::string& what) {
    expect({"pack", "build", write("g.txt", text), "-o", in("p.wasm")}, 2, "numjit: [pack] " + in("g.txt") + ": " + what + "\n");
  };
  refused("", "no graph file: it does not begin with 'numjit graphs'");
  refused("numjit graphs 9\n", "the graph file has format 9, this numjit reads 1. Record it anew.");
  refused(head + "\n" + chain + "\n" + chain.substr(0, chain.find("%1")),
          "graph 2: a graph is cut short: it has no line of outputs");
  EXPECT_FALSE(std::filesystem::exists(in("p.wasm")));
}

TEST_F(PackCommand, WhatIsWrongOtherwise) {
  SKIP_WITHOUT_WASM_LINKER();
  write("g.txt", head + "\n" + chain);
  expect({"pack", "build", in("g.txt"), "-o", in("p.wasm"), "--target", "arm"}, 2,
         "numjit: [pack] target: got 'arm', expected simd or scalar.\n");
  expect({"pack", "build", in("g.txt"), "-o", in("none/p.wasm")}, 2,
         "numjit: [pack] [Errno 2] No such file or directory: '" + in("none/p.wasm") + "'\n");
  expect({"pack", "build", write("empty.txt", head), "-o", in("p.wasm")}, 2, "numjit: [pack] there are no graphs to pack.\n");
  const Output none = run({"pack", "build", in("g.txt"), "-o", in("p.wasm")}, {"PATH=/nowhere"});
  EXPECT_EQ(none.status, 2);
  EXPECT_EQ(none.text,
            "numjit: [compile] no wasm-ld in PATH, which links kernels for WebAssembly: install it (apt-get install lld, or "
            "Emscripten's SDK)\n");
}

TEST_F(PackCommand, WhatIsNoPackIsRefused) {
  SKIP_WITHOUT_WASM_LINKER();
  ASSERT_EQ(run({"pack", "build", write("g.txt", head + "\n" + chain), "-o", in("p.wasm")}).status, 0);
  const std::string pack = read("p.wasm");
  const auto refused = [&](const std::string& bytes, const std::string& what) {
    expect({"pack", "list", write("bad.wasm", bytes)}, 2, "numjit: [pack] " + in("bad.wasm") + ": " + what + "\n");
  };
  refused("", "not a pack: it is no module of WebAssembly");
  refused("GIF89a", "not a pack: it is no module of WebAssembly");
  refused(std::string("\0asm\1\0\0\0", 8), "not a pack, or cut short: its last section is not numjit.pack");
  refused(pack.substr(0, pack.size() - 1),
          "cut short: got " + std::to_string(pack.size() - 1) + " bytes, expected at least " + std::to_string(pack.size()));
  refused(std::string("\0asm\1\0\0\0\0\x80", 10), "cut short: got 10 bytes, expected more");
  std::string damaged = pack;
  damaged[pack.size() - 10] ^= 1;
  refused(damaged, "damaged: its checksum differs");
  refused(described(pack, "\"format\":1", "\"format\":2"), "made by another numjit: format 2, this one reads 1. Build it anew.");
  refused(described(pack, "{\"format\"", "[\"format\""), "damaged: its description can't be read");
  refused(described(pack, "\"graphs\"", "\"graphz\""), "damaged: its description can't be read");
  refused(described(pack, "multiply.dd->d", "multiply.ff->f"), "node %2: multiply.ff->f of a float64");
}
