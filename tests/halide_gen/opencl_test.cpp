// The op matrix and reductions through OpenCL: kernels of the GPU schedules, run by an OpenCL that computes on the CPU (pocl) or
// by a GPU, give the bits of the eager engine. BITS_EVERY=1 takes all of them.
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

#include <gtest/gtest.h>

#include <HalideBuffer.h>
#include <compiler.h>
#include <lower_ops.h>
#include <numjit/ops/bind.h>
#include <numjit/ops/param_layout.h>
#include <numjit/runtime/kernels/abi.h>
#include <support/element_bits.h>
#include <support/special_values.h>
#include "gpu_pieces.h"

namespace {

namespace np = numjit;
using np::graph::KernelNode;
using np::graph::KernelNodeKind;
using np::graph::KernelSpec;

const char* const target_text = "host-opencl-cl_doubles";

/// Is there an OpenCL platform with a device?
bool has_opencl() {
  void* library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return false;
  using get_platforms = int (*)(unsigned, void**, unsigned*);
  const auto platforms = reinterpret_cast<get_platforms>(dlsym(library, "clGetPlatformIDs"));
  unsigned count = 0;
  return platforms && platforms(0, nullptr, &count) == 0 && count > 0;
}

/// A folder of this process that goes away with it.
class Folder {
 public:
  Folder() : path(std::filesystem::temp_directory_path() / ("numjit_opencl_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  const std::filesystem::path path;
};

/// Halide's OpenCL runtime, opened once; kernels find its functions by name.
void open_runtime(const Folder& folder) {
  const std::string object = folder.path / "runtime.o", library = folder.path / "runtime.so";
  Halide::compile_standalone_runtime(object, Halide::Target(target_text));
  ASSERT_EQ(std::system(("cc -shared -o " + library + " " + object + " -ldl -lpthread").c_str()), 0);
  void* runtime = dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL);
  ASSERT_NE(runtime, nullptr) << dlerror();
  using set_options = void (*)(const char*);
  const auto set = reinterpret_cast<set_options>(dlsym(runtime, "halide_opencl_set_build_options"));
  ASSERT_NE(set, nullptr);
  set("-cl-fp32-correctly-rounded-divide-sqrt");
}

/// Made by the first test that needs it, for the whole process.
const Folder& prepared_folder() {
  static const Folder folder;
  static const bool open = [] {
    setenv("POCL_CACHE_DIR", folder.path.c_str(), 1);
    open_runtime(folder);
    return true;
  }();
  (void)open;
  return folder;
}

using Entry = int (*)(void**);

Entry compile(const Folder& folder, const KernelSpec& spec, const std::string& name,
              const std::string& schedule = "gpu_elementwise") {
  np::runtime::KernelVariant variant{schedule, {}, 0, false};
  if (spec.reduction_levels > 0) variant.size_class = np::runtime::size_class_whole;
  variant.inner_stride.assign(spec.operand_types.size() + spec.outputs.size(), 1);
  const std::vector<char> object = np::halide_gen::HalideCompiler().compile(spec, variant, name, target_text);
  EXPECT_EQ(std::string_view(object.data(), object.size()).find("FP_CONTRACT ON"), std::string_view::npos);
  const std::string path = folder.path / (name + ".o"), library = folder.path / (name + ".so");
  std::ofstream(path, std::ios::binary).write(object.data(), static_cast<std::streamsize>(object.size()));
  if (std::system(("cc -shared -o " + library + " " + path).c_str()) != 0) return nullptr;
  void* opened = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!opened) std::cerr << dlerror() << "\n";
  return opened ? reinterpret_cast<Entry>(dlsym(opened, (name + "_argv").c_str())) : nullptr;
}

Halide::Runtime::Buffer<> buffer_of(const np::array& a) {
  const Halide::Type type = np::halide_gen::storage_type(a.dtype().id());
  Halide::Runtime::Buffer<> buffer(type, static_cast<char*>(nullptr), static_cast<int>(a.shape(1)), static_cast<int>(a.shape(0)));
  buffer.allocate();
  return buffer;
}

using Piece = np::testing::GpuPiece;

void check(const Folder& folder, const Piece& piece) {
  const np::op_info& row = np::info(piece.op);
  KernelSpec spec;
  std::vector<np::array> inputs, expected;
  for (std::size_t l = piece.first; l < piece.end; ++l) {
    std::vector<np::operand> operands;
    KernelNode op{KernelNodeKind::op, piece.op, static_cast<std::uint8_t>(l), row.loops[l].out, 0, {}};
    const std::size_t at = inputs.size();
    for (int k = 0; k < row.arity; ++k) {
      const np::dtype_id type = row.loops[l].in[k];
      spec.nodes.push_back({KernelNodeKind::operand, {}, 0, type, static_cast<std::uint16_t>(spec.operand_types.size()), {}});
      op.in[k] = static_cast<std::uint16_t>(spec.nodes.size() - 1);
      spec.operand_types.push_back(type);
      inputs.push_back(np::testing::fitting(piece.op, type, k, np::testing::operand_values(type, k)));
    }
    for (std::size_t k = at; k < inputs.size(); ++k) operands.push_back(inputs[k]);
    spec.outputs.push_back(static_cast<std::uint16_t>(spec.nodes.size()));
    spec.nodes.push_back(op);
    expected.push_back(np::bind({piece.op, operands, nullptr, nullptr, nullptr, np::location::here()}));
    ASSERT_EQ(expected.back().dtype().id(), row.loops[l].out);
  }
  const std::string name = "nj_" + std::string(row.name) + "_" + std::to_string(piece.first);
  const Entry entry = compile(folder, spec, name);
  ASSERT_NE(entry, nullptr) << name;
  std::vector<Halide::Runtime::Buffer<>> in, out;
  std::vector<void*> argv;
  for (const np::array& a : inputs) {
    in.push_back(buffer_of(a));
    std::memcpy(in.back().data(), a.raw_data(), static_cast<std::size_t>(a.nbytes()));
    in.back().set_host_dirty();
  }
  for (const np::array& a : expected) out.push_back(buffer_of(a));
  for (auto& b : in) argv.push_back(b.raw_buffer());
  for (auto& b : out) argv.push_back(b.raw_buffer());
  ASSERT_EQ(entry(argv.data()), 0) << name;
  for (std::size_t r = 0; r < out.size(); ++r) {
    out[r].copy_to_host();
    const np::array want = expected[r].copy();
    const auto item = want.dtype().itemsize();
    const char *a = static_cast<const char*>(want.raw_data()), *b = static_cast<const char*>(out[r].data());
    for (std::int64_t i = 0; i < want.size(); ++i) {
      const std::size_t at = static_cast<std::size_t>(i) * item;
      if (np::testing::same_element_bits(want.dtype().id(), a + at, b + at)) continue;
      np::array got = want.copy();
      std::memcpy(got.raw_data(), b, static_cast<std::size_t>(got.nbytes()));
      std::string text;
      for (int k = 0; k < row.arity; ++k)
        text += " " + inputs[r * static_cast<std::size_t>(row.arity) + static_cast<std::size_t>(k)].ravel()(i).str();
      ADD_FAILURE() << row.name << " on " << inputs[r * static_cast<std::size_t>(row.arity)].dtype().name() << ":" << text
                    << " gives " << got.ravel()(i).str() << ", eagerly " << want.ravel()(i).str();
      break;
    }
  }
}

/// One reduction of a (rows, n) array along its rows, n at most one chunk.
np::array reduce_rows(Entry entry, const np::array& a, np::dtype type) {
  const auto n = static_cast<int>(a.shape(1)), rows = static_cast<int>(a.shape(0));
  Halide::Runtime::Buffer<> in(np::halide_gen::storage_type(a.dtype().id()), n, rows, 1);
  Halide::Runtime::Buffer<> out(np::halide_gen::storage_type(type.id()), rows, 1);
  std::memcpy(in.data(), a.raw_data(), static_cast<std::size_t>(a.nbytes()));
  in.set_host_dirty();
  std::int32_t m = n;
  void* argv[] = {in.raw_buffer(), &m, out.raw_buffer()};
  EXPECT_EQ(entry(argv), 0);
  out.copy_to_host();
  np::array result = np::zeros({rows}, {.dtype = type});
  std::memcpy(result.raw_data(), out.data(), static_cast<std::size_t>(result.nbytes()));
  return result;
}

void expect_same(const np::array& want, const np::array& got, const std::string& what) {
  ASSERT_EQ(want.dtype(), got.dtype()) << what;
  const np::array w = want.copy();
  for (std::int64_t i = 0; i < w.size(); ++i) {
    const std::size_t at = static_cast<std::size_t>(i) * w.dtype().itemsize();
    ASSERT_TRUE(np::testing::same_element_bits(w.dtype().id(), static_cast<const char*>(w.raw_data()) + at,
                                               static_cast<const char*>(got.raw_data()) + at))
        << what << ", row " << i << ": " << got(i).str() << ", eagerly " << w(i).str();
  }
}

/// A reduction on one of its loops, over rows of several lengths; sums also over chunks, then over their results.
void check_reduction(const Folder& folder, np::op_id op, int loop) {
  const np::op_info& row = np::info(op);
  const np::op_loop types = row.loops[static_cast<std::size_t>(loop)];
  const bool cast =
      row.kind == np::op_kind::reduction && types.in[0] != types.out && op != np::op_id::any && op != np::op_id::all;
  const KernelSpec spec = np::testing::spec_of(np::testing::GpuReduction{op, loop});
  const std::string what = std::string(row.name) + " " + std::string(np::dtype(types.in[0]).name());
  const Entry entry = compile(folder, spec, "nj_" + std::string(row.name) + std::to_string(loop), "gpu_rows");
  ASSERT_NE(entry, nullptr) << what;
  auto eager = [&](const np::array& a) {
    np::layout::reduction r;
    r.axes = np::dims{1};
    const np::op_params params =
        row.kind == np::op_kind::reduction ? np::layout::reduction_params(r) : np::layout::arg_params(1, false);
    return np::bind({op, {a}, &params, nullptr, nullptr, np::location::here()});
  };
  const np::array values = np::testing::operand_values(types.in[0], 0).ravel();
  for (const std::int64_t n : {1, 5, 31, 32, 33, 100, 1023, 1024}) {
    const std::int64_t rows = std::min<std::int64_t>(values.size() / n, 300);
    const np::array a = np::array(values(np::slice(0, rows * n))).copy().reshape(rows, n);
    expect_same(eager(a), reduce_rows(entry, a, np::dtype(types.out)), what + " of " + std::to_string(n));
  }
  if (cast || row.kind != np::op_kind::reduction || types.in[0] != types.out) return;
  const np::array chunks = np::array(values(np::slice(1000, 1000 + 9 * 1024))).copy();
  const np::array partial = reduce_rows(entry, chunks.reshape(9, 1024), np::dtype(types.out));
  expect_same(eager(chunks.reshape(1, -1)), reduce_rows(entry, partial.reshape(1, 9), np::dtype(types.out)), what + " of chunks");
}

TEST(OpenCL, RowReductionsHaveTheEagerBits) {
  if (!has_opencl()) GTEST_SKIP() << "no OpenCL platform here: not compared (apt-get install pocl-opencl-icd ocl-icd-libopencl1)";
  const Folder& folder = prepared_folder();
  const char* every_text = std::getenv("BITS_EVERY");
  const int every = every_text ? std::max(1, std::atoi(every_text)) : 17;
  int number = 0, done = 0;
  for (int i = 0; i < np::op_count; ++i) {
    const auto op = static_cast<np::op_id>(i);
    const np::op_info& row = np::info(op);
    if (row.kind != np::op_kind::reduction && row.kind != np::op_kind::argreduction) continue;
    for (int l = 0; l < static_cast<int>(row.loops.size()); ++l) {
      const np::dtype type(row.loops[static_cast<std::size_t>(l)].in[0]);
      if (type.kind() == 'c' || type == np::float16 || !np::halide_gen::find_apply(op, l)) continue;
      if (number++ % every != 0) continue;
      check_reduction(folder, op, l);
      ++done;
    }
  }
  std::cout << "OpenCL: " << done << " of " << number << " reductions" << std::endl;
}

TEST(OpenCL, OpMatrixHasTheEagerBits) {
  if (!has_opencl()) GTEST_SKIP() << "no OpenCL platform here: not compared (apt-get install pocl-opencl-icd ocl-icd-libopencl1)";
  const Folder& folder = prepared_folder();
  const char* every_text = std::getenv("BITS_EVERY");
  const std::size_t every = every_text ? static_cast<std::size_t>(std::max(1, std::atoi(every_text))) : 12;
  const std::vector<Piece> list = np::testing::gpu_pieces();
  std::size_t done = 0;
  for (std::size_t i = 0; i < list.size(); i += every, ++done) check(folder, list[i]);
  std::cout << "OpenCL: " << done << " of " << list.size() << " kernels" << std::endl;
}

// Divisors that are the same everywhere have inverses, also on a GPU.
TEST(OpenCL, QuotientsByOneNumber) {
  if (!has_opencl()) GTEST_SKIP() << "no OpenCL platform here";
  const Folder& folder = prepared_folder();
  const np::array numbers = np::reshape(np::arange(65536), {256, 256});
  for (np::dtype type : {np::uint16, np::int16, np::uint8, np::int8}) {
    const np::array in = numbers.astype(type);
    KernelNode divide{KernelNodeKind::op, np::op_id::floor_divide, 0, type.id(), 0, {0, 1}};
    const auto loops = np::info(divide.op).loops;
    while (loops[divide.loop].in[0] != type.id()) ++divide.loop;
    KernelSpec spec{{type.id()}, {type.id()}, {{KernelNodeKind::operand, {}, 0, type.id(), 0, {}},
                    {KernelNodeKind::scalar, {}, 0, type.id(), 0, {}}, divide}, {2}};
    const Entry entry = compile(folder, spec, "nj_quotients_" + std::string(1, type.character()));
    ASSERT_NE(entry, nullptr);
    for (std::int64_t d : {0, 1, 2, 3, 7, 100, 127, 128, 255, 1000, 32767, 32768, 65535}) {
      const np::array divisor = np::array(d).astype(type);
      Halide::Runtime::Buffer<> from = buffer_of(in), to = buffer_of(in);
      std::memcpy(from.data(), in.raw_data(), static_cast<std::size_t>(in.nbytes()));
      from.set_host_dirty();
      void* argv[] = {from.raw_buffer(), const_cast<void*>(static_cast<const void*>(divisor.raw_data())), to.raw_buffer()};
      ASSERT_EQ(entry(argv), 0);
      to.copy_to_host();
      const np::array want = np::floor_divide(in, divisor);
      EXPECT_EQ(std::memcmp(want.raw_data(), to.data(), static_cast<std::size_t>(want.nbytes())), 0)
          << type.name() << " by " << divisor.str();
    }
  }
}

TEST(OpenCL, WithoutThePragmaOfContraction) {
  KernelSpec spec;
  spec.operand_types = {np::dtype_id::float64};
  spec.nodes = {{KernelNodeKind::operand, {}, 0, np::dtype_id::float64, 0, {}},
                {KernelNodeKind::op, np::op_id::negative, 0, np::dtype_id::float64, 0, {0}}};
  for (std::size_t l = 0; l < np::info(np::op_id::negative).loops.size(); ++l)
    if (np::info(np::op_id::negative).loops[l].in[0] == np::dtype_id::float64) spec.nodes[1].loop = static_cast<std::uint8_t>(l);
  spec.outputs = {1};
  const auto object =
      np::halide_gen::HalideCompiler().compile(spec, {"gpu_elementwise", {1, 1}, 0, false}, "nj_gpu", target_text);
  const std::string_view text(object.data(), object.size());
  EXPECT_NE(text.find("#pragma STDC FP_CONTRACT OFF"), text.npos);
  EXPECT_EQ(text.find("FP_CONTRACT ON"), text.npos);
}

}  // namespace
