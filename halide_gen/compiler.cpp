// The Halide code generator: chooses the template, compiles to an object in memory, registers itself.
#include <compiler.h>

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include <expr_value.h>
#include <fast_math.h>
#include <gpu_exact.h>
#include <gpu_steps.h>
#include <gpu_tiles.h>
#include <half_value.h>
#include <lower.h>
#include <numjit/base/error.h>
#include <numjit/runtime/kernels/abi.h>

namespace numjit::halide_gen {
namespace {

static_assert(sizeof(runtime::kernel_dim) == sizeof(halide_dimension_t));
static_assert(offsetof(runtime::kernel_dim, min) == offsetof(halide_dimension_t, min));
static_assert(offsetof(runtime::kernel_dim, extent) == offsetof(halide_dimension_t, extent));
static_assert(offsetof(runtime::kernel_dim, stride) == offsetof(halide_dimension_t, stride));
static_assert(sizeof(runtime::kernel_buffer) == sizeof(halide_buffer_t));
static_assert(offsetof(runtime::kernel_buffer, host) == offsetof(halide_buffer_t, host));
static_assert(offsetof(runtime::kernel_buffer, flags) == offsetof(halide_buffer_t, flags));
static_assert(offsetof(runtime::kernel_buffer, type_code) == offsetof(halide_buffer_t, type));
static_assert(offsetof(runtime::kernel_buffer, dimensions) == offsetof(halide_buffer_t, dimensions));
static_assert(offsetof(runtime::kernel_buffer, dim) == offsetof(halide_buffer_t, dim));

/// Halide's library ends the process if its own exceptions have to cross it, but lets ours through.
class Reporter final : public Halide::CompileTimeErrorReporter {
 public:
  void warning(const char*) override {}
  [[noreturn]] void error(const char* text) override {
    throw CompileError("compile", fmt::format("Halide: {}", text));
  }
};

void install_reporter() {
  static Reporter* reporter = [] {
    auto* r = new Reporter;  // lives as long as Halide may report: for ever
    Halide::set_custom_compile_time_error_reporter(r);
    return r;
  }();
  (void)reporter;
}

/// "host", an x86-64 level or a Halide target string.
Halide::Target parse_target(const std::string& text) {
  if (text == "host") return Halide::get_host_target();
  if (text == "x86-64-v2") return Halide::Target("x86-64-linux-sse41");
  if (text == "x86-64-v3") return Halide::Target("x86-64-linux-sse41-avx-avx2-f16c-fma");
  if (text == "x86-64-v4")
    return Halide::Target("x86-64-linux-sse41-avx-avx2-f16c-fma-avx512-avx512_skylake");
  return Halide::Target(text);
}

/// StrictFloat also where float_mode is fast: fast_math.cpp says why.
Halide::Target kernel_target(const std::string& text) {
  Halide::Target target = parse_target(text);
  target.set_feature(Halide::Target::NoRuntime);
  target.set_feature(Halide::Target::NoAsserts);
  target.set_feature(Halide::Target::NoBoundsQuery);
  target.set_feature(Halide::Target::StrictFloat);
  return target;
}

KernelPipeline build(const graph::KernelSpec& spec, const runtime::KernelVariant& variant,
                     const Halide::Target& target) {
  using builder = KernelPipeline (*)(const graph::KernelSpec&, const runtime::KernelVariant&,
                                     const Halide::Target&);
  static const std::map<std::string_view, builder> builders = {
      {"elementwise", build_elementwise},
      {"gpu_bins", build_gpu_bins},
      {"gpu_elementwise", build_gpu_elementwise},
      {"gpu_join", build_gpu_join},
      {"gpu_merge", build_gpu_merge},
      {"gpu_numbers", build_gpu_numbers},
      {"gpu_panel", build_gpu_panel},
      {"gpu_philox", build_gpu_philox},
      {"gpu_pick", build_gpu_pick},
      {"gpu_places", build_gpu_places},
      {"gpu_put", build_gpu_put},
      {"gpu_rows", build_gpu_rows},
      {"gpu_scan", build_gpu_scan},
      {"gpu_search", build_gpu_search},
      {"gpu_short_rows", build_gpu_short_rows},
      {"gpu_stencil", build_gpu_stencil},
      {"gpu_take", build_gpu_take},
      {"rows", build_rows},
      {"panel", build_panel},
      {"product", build_product},
  };
  auto it = builders.find(variant.schedule);
  if (it == builders.end())
    throw CompileError("compile", fmt::format("no schedule template of this name: got {}", variant.schedule));
  return it->second(spec, variant, target);
}

/// A file in memory that Halide can open by name.
class MemoryFile {
 public:
  MemoryFile() : fd_(memfd_create("numjit_kernel", MFD_CLOEXEC)) {
    if (fd_ < 0) throw CompileError("compile", "no memory file for the object code");
  }
  ~MemoryFile() { close(fd_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const { return fmt::format("/proc/self/fd/{}", fd_); }
  std::vector<char> contents() const {
    std::vector<char> bytes(static_cast<std::size_t>(lseek(fd_, 0, SEEK_END)));
    std::size_t done = 0;
    while (done < bytes.size()) {
      ssize_t n = pread(fd_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
      if (n <= 0) throw CompileError("compile", "the object code could not be read back");
      done += static_cast<std::size_t>(n);
    }
    return bytes;
  }

 private:
  int fd_;
};

}  // namespace

std::string HalideCompiler::identity() const {
  return fmt::format("halide-{}.{}.{}", HALIDE_VERSION_MAJOR, HALIDE_VERSION_MINOR, HALIDE_VERSION_PATCH);
}

namespace {

Halide::Module make_module(const graph::KernelSpec& spec, const runtime::KernelVariant& variant,
                           const std::string& name, const std::string& target_text) {
  install_reporter();
  Halide::Target target = kernel_target(target_text);
  // Linked here, on the machine it runs on, with what it may call; other targets have all code in the kernel.
  const FarCalls scope(target.arch == Halide::Target::X86 && !target.has_gpu_feature());
  KernelPipeline kernel = build(spec, variant, target);
  add_rare_pass(kernel.pipeline);
  add_half_pass(kernel.pipeline, target);
  if (variant.fast_math) add_fast_math_pass(kernel.pipeline, target);
  return kernel.pipeline.compile_to_module(kernel.arguments, name, target,
                                           Halide::LinkageType::ExternalPlusArgv);
}

/// Prints the loops of a statement and what is computed in them, without the arithmetic.
class LoopNest final : public Halide::Internal::IRVisitor {
 public:
  std::string text;

 protected:
  using Halide::Internal::IRVisitor::visit;

  void visit(const Halide::Internal::ProducerConsumer* op) override {
    if (!op->is_producer) return op->body.accept(this);
    line("produce " + plain(op->name));
    inside(op->body);
  }
  void visit(const Halide::Internal::For* op) override {
    line("for " + plain(op->name.substr(op->name.rfind('.') + 1)));  // "nj_out.s0.nj_x.nj_x"
    inside(op->body);
  }
  void visit(const Halide::Internal::Allocate* op) override {
    if (op->memory_type == Halide::MemoryType::Register)
      line(fmt::format("{} in registers", plain(op->name)));
    IRVisitor::visit(op);
  }
  void visit(const Halide::Internal::Store* op) override {
    const int lanes = op->value.type().lanes();
    line(lanes == 1 ? fmt::format("{}[] = ...", plain(op->name))
                    : fmt::format("{}[{} lanes] = ...", plain(op->name), lanes));
  }

 private:
  // Without what makes the name the only one in the process: "nj_out$2" is nj_out.
  static std::string plain(const std::string& name) { return name.substr(0, name.find('$')); }
  void line(const std::string& what) {
    std::string next = std::string(static_cast<std::size_t>(depth_), ' ') + what + "\n";
    if (next == last_) return;  // the parts of a tuple
    text += next;
    last_ = std::move(next);
  }
  void inside(const Halide::Internal::Stmt& body) {
    depth_ += 2;
    body.accept(this);
    depth_ -= 2;
  }

  int depth_ = 0;
  std::string last_;
};

std::string text_of(const MemoryFile& file) {
  const std::vector<char> bytes = file.contents();
  return std::string(bytes.begin(), bytes.end());
}

}  // namespace

std::vector<char> HalideCompiler::compile(const graph::KernelSpec& spec,
                                          const runtime::KernelVariant& variant,
                                          const std::string& name, const std::string& target_text) {
  const Halide::Module module = make_module(spec, variant, name, target_text);
  MemoryFile file;
  module.compile({{Halide::OutputFileType::object, file.path()}});
  std::vector<char> object = file.contents();
  if (module.target().has_feature(Halide::Target::OpenCL)) forbid_contraction(object);
  return object;
}

runtime::KernelListing HalideCompiler::list(const graph::KernelSpec& spec,
                                            const runtime::KernelVariant& variant,
                                            const std::string& name, const std::string& target_text) {
  const Halide::Module module = make_module(spec, variant, name, target_text);
  MemoryFile statement, assembly;
  module.compile({{Halide::OutputFileType::stmt, statement.path()},
                  {Halide::OutputFileType::assembly, assembly.path()}});
  LoopNest loops;
  module.get_conceptual_stmt().accept(&loops);
  return {std::move(loops.text), text_of(statement), text_of(assembly)};
}

namespace {
/// Loading the plug-in makes its compiler known.
[[maybe_unused]] const bool registered = [] {
  runtime::register_kernel_compiler(new HalideCompiler);
  return true;
}();
}  // namespace

}  // namespace numjit::halide_gen
