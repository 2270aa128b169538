// Graph files: what is written is read back as the same kernel, whatever the graph; what is no graph is refused.
#include <random>
#include <set>

#include <kernels/kernel_fixture.h>
#include <numjit/base/error.h>
#include <numjit/np.h>
#include <numjit/runtime/bundle/wasm_pack.h>
#include <numjit/runtime/kernels/key.h>
#include <numjit/runtime/kernels/list.h>
#include <numjit/runtime/kernels/plugin.h>
#include <support/random_program.h>

namespace np = numjit;

namespace numjit::testing {
namespace {

using runtime::kernel_list_head;
using runtime::KernelRequest;

const std::string chain =
    "schedule elementwise size class 0 inner strides 111 exact\n"
    "operands dd\n"
    "scalars d\n"
    "%0 = operand 0\n"
    "%1 = operand 1\n"
    "%2 = scalar 0\n"
    "%3 = multiply.dd->d(%0, %1)\n"
    "%4 = add.dd->d(%3, %2)\n"
    "outputs %4\n";

std::string list_of(const std::string& graph) { return std::string(kernel_list_head) + "\n" + graph; }

/// `text` with `from` replaced by `to`, which it must contain.
std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

std::string refusal(const std::string& text) {
  try {
    runtime::read_kernel_list(text);
  } catch (const ValueError& e) {
    return e.what();
  }
  return "accepted";
}

void expect_same(const KernelRequest& asked) {
  const KernelRequest read = runtime::request_from_text(asked.content);
  EXPECT_EQ(read.spec, asked.spec) << asked.content;
  EXPECT_EQ(read.variant.schedule, asked.variant.schedule);
  EXPECT_EQ(read.variant.inner_stride, asked.variant.inner_stride);
  EXPECT_EQ(read.variant.size_class, asked.variant.size_class);
  EXPECT_EQ(read.variant.fast_math, asked.variant.fast_math);
}

TEST(GraphFile, EveryRow) {
  int rows = 0;
  for (int i = 0; i < op_count; ++i) {
    const op_info& row = info(static_cast<op_id>(i));
    if (row.kind != op_kind::ufunc && row.kind != op_kind::reduction && row.kind != op_kind::argreduction) continue;
    for (const op_loop& loop : row.loops) {
      SpecBuilder b;
      int in[3] = {-1, -1, -1};
      for (int k = 0; k < row.arity; ++k) in[k] = b.operand(loop.in[k]);
      const bool reduces = row.kind != op_kind::ufunc;
      const int result =
          reduces ? b.reduce(std::string(row.name).c_str(), in[0]) : b.op(std::string(row.name).c_str(), in[0], in[1], in[2]);
      KernelRequest request{"",
                            b.outputs({result}),
                            {reduces ? "rows" : "elementwise",
                             std::vector<std::uint8_t>(static_cast<std::size_t>(row.arity) + (reduces ? 0 : 1), 1), 0, false}};
      request.content = runtime::kernel_content(request.spec, request.variant);
      expect_same(request);
      ++rows;
    }
  }
  EXPECT_GT(rows, 500);
}

TEST(GraphFile, WhatProgramsAskFor) {
  const runtime::kernel_notes_scope notes;
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    const fuzz::Program program = fuzz::make_program(seed, fuzz::Purpose::bits);
    const auto f = np::compile([&program](std::vector<np::array> arguments) {
      std::string error;
      return fuzz::run(program, std::move(arguments), error);
    });
    for (int round = 0; round < 3; ++round) f(fuzz::make_arguments(program, round));
  }
  np::wait_for_compiles();
  ASSERT_GT(notes.requests().size(), 100u);
  std::string file(kernel_list_head);
  for (const KernelRequest& request : notes.requests()) {
    expect_same(request);
    file += "\n" + request.content;
  }
  EXPECT_EQ(runtime::read_kernel_list(file + "\n" + notes.requests().front().content).size(), notes.requests().size());
}

TEST(GraphFile, WhatIsNoFile) {
  EXPECT_EQ(refusal(""), "[graphs] no graph file: it does not begin with 'numjit graphs'");
  EXPECT_EQ(refusal("\x89PNG"), "[graphs] no graph file: it does not begin with 'numjit graphs'");
  EXPECT_EQ(refusal("numjit graphs 2\n"), "[graphs] the graph file has format 2, this numjit reads 1. Record it anew.");
  EXPECT_EQ(refusal("numjit graphs 1x\n"), "[graphs] no graph file: its first line is damaged");
  EXPECT_EQ(refusal("numjit graphs 1\nx"), "[graphs] graph 1: no empty line before it");
  EXPECT_EQ(refusal(std::string(kernel_list_head)), "accepted");
  EXPECT_EQ(refusal(list_of(chain)), "accepted");
  EXPECT_EQ(refusal(list_of(chain) + "\n" + chain.substr(0, chain.find("%1"))),
            "[graphs] graph 2: a graph is cut short: it has no line of outputs");
  EXPECT_EQ(refusal(list_of(std::string(runtime::longest_graph + 1, 'x'))),
            "[graphs] graph 1: a graph has 65537 bytes, expected at most 65536");
}

TEST(GraphFile, WhatIsNoGraph) {
  const auto expect = [](const std::string& from, const std::string& to, const std::string& text) {
    EXPECT_EQ(refusal(list_of(with(chain, from, to))), "[graphs] graph 1: " + text);
  };
  expect("schedule elementwise", "schedule gpu_elementwise", "its schedule is none of elementwise, rows, panel, product");
  expect("schedule elementwise", "schedule rows", "its schedule rows has 1 reduced axes, its graph 0");
  expect("size class 0", "size class 4", "its schedule elementwise has no size class 4");
  expect("size class 0", "size class 44", "its size class is no digit");
  expect("strides 111", "strides 11", "it has 2 inner strides for 2 operands and 1 outputs");
  expect("strides 111", "strides 113", "its schedule elementwise has no stride class 3");
  expect("strides 111", "strides 115", "its schedule elementwise has no stride class 5");
  expect("strides 111", "strides 1/1", "its inner strides are no digits");
  expect("exact\n", "exact target host-cuda\n", "it is a graph for a device: packs are for the processor");
  expect("exact\n", "quick\n", "a graph is not in the form that numjit writes");
  expect("operands dd", "operands dx", "unknown type character in 'operands dx'");
  expect("operands dd", "operand dd", "a line is no part of a graph: 'operand dd'");
  expect("operands dd", "operands d", "node %1: operand 1 of 1");
  expect("scalar 0", "scalar 1", "node %2: scalar 1 of 1");
  expect("multiply.dd->d", "multiply.dx->d", "multiply has no loop 'dx->d'");
  expect("multiply.dd->d", "multiplied.dd->d", "unknown operation 'multiplied'");
  expect("multiply.dd->d", "multiply.ff->f", "node %3: multiply.ff->f of a float64");
  expect("multiply.dd->d(%0, %1)", "multiply.dd->d(%0)", "multiply: got 1 inputs, expected 2");
  expect("multiply.dd->d(%0, %1)", "multiply.dd->d(%0, %1, %2, %2)",
         "a line is no part of a graph: '%3 = multiply.dd->d(%0, %1, %2, %2)'");
  expect("multiply.dd->d(%0, %1)", "multiply.dd->d(%0, %3)", "node %3 reads one that does not stand before it");
  expect("multiply.dd->d(%0, %1)", "sum.d->d(%0)", "sum is no operation of a kernel at node %3");
  expect("multiply.dd->d(%0, %1)", "sum.d->d(%0) over axis 0", "node %3: reduced axis 0 of 0");
  expect("%4 = ", "%5 = ", "a line is no part of a graph: '%5 = add.dd->d(%3, %2)'");
  expect("%4 = add", "%4 = matmul", "matmul has no loop 'dd->d'");
  expect("outputs %4", "outputs %5", "output %5 of 5 nodes");
  expect("outputs %4\n", "outputs\n", "a graph has no outputs");
  expect("outputs %4\n", "outputs %4", "a graph is not in the form that numjit writes");
  expect("%0, %1", "%00, %1", "a graph is not in the form that numjit writes");
  expect("scalars d\n", "scalars d\nreduced axes 1\n", "reduced axes: got 1, expected 0, as the nodes reduce");
  expect("scalars d\n", "scalars d\nreduced axes 3\n", "a line is no part of a graph: 'reduced axes 3'");
  expect("scalars d", "scalars \x1b[2J" + std::string(80, 'd'),
         "unknown type character in 'scalars ?[2J" + std::string(48, 'd') + "...'");
}

TEST(GraphFile, TooManyNodes) {
  std::string graph = "schedule elementwise size class 0 inner strides 11 exact\noperands d\nscalars \n%0 = operand 0\n";
  for (int i = 1; i < 600; ++i) graph += "%" + std::to_string(i) + " = negative.d->d(%" + std::to_string(i - 1) + ")\n";
  EXPECT_EQ(refusal(list_of(graph + "outputs %599\n")), "[graphs] graph 1: a graph has more than 512 nodes");
}

/// What strangers may send is compiled, or refused by an error, however odd: texts of programs with parts exchanged.
TEST(GraphFile, WhatIsAcceptedIsCompiledOrRefused) {
  std::vector<std::string> texts = {chain};
  SpecBuilder b;
  const int x = b.operand(dtype_id::float32), k = b.operand(dtype_id::float32);
  const int d = b.op("subtract", x, k);
  texts.push_back(runtime::kernel_content(b.outputs({b.reduce("argmin", b.reduce("sum", b.op("square", d), 0), 1)}),
                                          {"product", {4, 0, 1}, 4}));
  for (const char* schedule : {"rows", "panel"}) {
    SpecBuilder r;
    const int u = r.operand(dtype_id::float64), v = r.operand(dtype_id::int16);
    const int sum = r.reduce("sum", r.op("multiply", u, r.cast(dtype_id::float64, v)));
    texts.push_back(runtime::kernel_content(r.outputs({sum, r.reduce("max", v)}), {schedule, {1, 2}, 1}));
  }
  std::vector<std::string> lines;
  for (const std::string& text : texts)
    for (std::size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1)
      lines.push_back(text.substr(at, end + 1 - at));
  std::mt19937_64 random(7);
  const auto pick = [&](std::size_t count) { return static_cast<std::size_t>(random() % count); };
  int compiled = 0, refused = 0, tried = 0;
  std::set<std::string> known;
  while (known.size() < 60 && ++tried < 200000) {
    std::string text = texts[pick(texts.size())];
    for (std::size_t change = pick(4) + 1; change > 0; --change) {
      const std::size_t digit = text.find_first_of("0123456789", pick(text.size()));
      if (pick(3) == 0 && digit != std::string::npos) text[digit] = static_cast<char>('0' + pick(6));
      const std::size_t begin = text.rfind('\n', pick(text.size()));
      if (pick(3) == 0 && begin != std::string::npos && begin + 1 < text.size()) {
        const std::size_t end = text.find('\n', begin + 1);
        text.replace(begin + 1, end - begin, lines[pick(lines.size())]);
      }
    }
    try {
      const KernelRequest request = runtime::request_from_text(text);
      if (!known.insert(text).second) continue;
      const auto object =
          runtime::kernel_compiler()->compile(request.spec, request.variant, "nj_test", runtime::wasm_target("simd"));
      EXPECT_TRUE(std::string_view(object.data(), object.size()).starts_with(std::string_view("\0asm", 4)));
      ++compiled;
    } catch (const CompileError&) {
      ++refused;
    } catch (const ValueError&) {
    }
  }
  EXPECT_GE(compiled, 20) << refused << " refused of " << known.size();
}

}  // namespace
}  // namespace numjit::testing
