// Finding, opening and identifying the code generator.
#include <numjit/runtime/kernels/plugin.h>

#include <climits>
#include <cstdlib>
#include <map>
#include <mutex>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <numjit/base/cpu.h>
#include <numjit/base/error.h>
#include <numjit/base/hash.h>
#include <numjit/runtime/kernels/compile_queue.h>
#include <numjit/runtime/kernels/compiler.h>

namespace numjit::runtime {
namespace {

struct State {
  std::mutex mutex;  // never held while the plug-in is opened: it registers itself meanwhile
  std::mutex open_mutex;
  KernelCompiler* compiler = nullptr;
  bool tried = false;
  std::string error, remedy;
  std::string halide_folder;
  std::map<std::string, std::string> file_hashes;
};

State& state() {
  static auto& instance = *new State;
  return instance;
}

// The smallest kernel there is: a copy.
void compile_something(KernelCompiler& compiler) {
  graph::KernelSpec copy;
  copy.operand_types = {dtype_id::float64};
  copy.nodes = {{graph::KernelNodeKind::operand, {}, 0, dtype_id::float64, 0, {}}};
  copy.outputs = {0};
  try {
    compiler.compile(copy, {"elementwise", {1, 1}, 0, false}, "nj_first", numjit::detail::kernel_target());
  } catch (const error&) {
    // Real kernels will say what is wrong.
  }
}

std::string folder_of_this_code() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void*>(&folder_of_this_code), &info) || !info.dli_fname) return ".";
  // Made absolute now: the program may change its folder later.
  char absolute[PATH_MAX];
  std::string path = realpath(info.dli_fname, absolute) ? absolute : info.dli_fname;
  std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

/// Hash of a file's bytes, kept per path; "" if it can't be read.
std::string file_hash(const std::string& path) {
  std::lock_guard lock(state().mutex);
  auto known = state().file_hashes.find(path);
  if (known != state().file_hashes.end()) return known->second;
  std::string hash;
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat info;
  if (fd >= 0 && fstat(fd, &info) == 0 && info.st_size > 0) {
    auto size = static_cast<std::size_t>(info.st_size);
    void* bytes = mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
    if (bytes != MAP_FAILED) {
      hash = to_hex(hash_bytes(bytes, size));
      munmap(bytes, size);
    }
  }
  if (fd >= 0) close(fd);
  return state().file_hashes[path] = hash;
}

/// Opens the plug-in; where it does not find Halide's library by itself, with the one from the folder that was named.
std::string open_plugin(const std::string& path) {
  if (dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return "";
  const char* reason = dlerror();
  std::string error = reason ? reason : "dlopen failed", folder;
  {
    std::lock_guard lock(state().mutex);
    folder = state().halide_folder;
  }
  if (folder.empty() || !dlopen((folder + "/libHalide.so").c_str(), RTLD_NOW | RTLD_LOCAL)) return error;
  if (dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return "";
  reason = dlerror();
  return reason ? reason : error;
}

std::string remedy_for(const std::string& error) {
  if (error.ends_with(" does not exist"))
    return "This numjit was built without Halide: build it with -DNUMJIT_HALIDE=ON, where pip has installed halide.";
  if (error.find("libHalide") != std::string::npos)
    return "Put libHalide.so of Halide 21 into " + library_folder() +
           " (pip install halide brings it in halide/lib64), or name its folder in LD_LIBRARY_PATH.";
  return "Install what it asks for, or build numjit on this machine.";
}

KernelCompiler* registered_compiler() {
  std::lock_guard lock(state().mutex);
  return state().compiler;
}

}  // namespace

void register_kernel_compiler(KernelCompiler* compiler) {
  std::lock_guard lock(state().mutex);
  state().compiler = compiler;
}

void forbid_compiler(const std::string& reason) {
  std::lock_guard lock(state().mutex);
  state().compiler = nullptr;
  state().tried = true;
  state().error = reason;
  state().remedy = "";
}

void set_halide_folder(const std::string& folder) {
  std::lock_guard lock(state().mutex);
  state().halide_folder = folder;
}

const std::string& library_folder() {
  static const auto& folder = *new std::string(folder_of_this_code());
  return folder;
}

std::string plugin_path() { return library_folder() + "/numjit_halide.so"; }

std::string plugin_error() {
  std::lock_guard lock(state().mutex);
  return state().error;
}

std::string plugin_remedy() {
  std::lock_guard lock(state().mutex);
  return state().remedy;
}

KernelCompiler* kernel_compiler() {
  if (KernelCompiler* compiler = registered_compiler()) return compiler;
  std::lock_guard opening(state().open_mutex);
  if (KernelCompiler* compiler = registered_compiler()) return compiler;
  if (state().tried) return nullptr;
  state().tried = true;
  std::string path = plugin_path(), error;
  if (access(path.c_str(), R_OK) != 0) {
    error = path + " does not exist";
  } else {
    error = open_plugin(path);
  }
  if (error.empty() && !registered_compiler()) error = path + " registers no compiler";
  if (error.empty()) {
    // A first compile makes the code generator's static objects. The handler is registered after
    // them, so that at exit it waits for running compiles before any of them is torn down.
    compile_something(*registered_compiler());
    CompileQueue::instance().stop_at_exit();
  }
  std::string remedy = error.empty() ? "" : remedy_for(error);
  std::lock_guard lock(state().mutex);
  state().error = std::move(error);
  state().remedy = std::move(remedy);
  return state().compiler;
}

std::string compiler_identity() {
  if (KernelCompiler* compiler = registered_compiler()) {
    // The file that holds the compiler's code. For the plug-in this is what is found without
    // opening it.
    Dl_info info;
    void* table = *reinterpret_cast<void**>(compiler);
    std::string file = dladdr(table, &info) && info.dli_fname ? info.dli_fname : "";
    std::string hash = file_hash(file);
    if (file.ends_with("/numjit_halide.so")) return "numjit_halide " + hash;
    return compiler->identity() + " " + hash;
  }
  std::string hash = file_hash(plugin_path());
  return hash.empty() ? "" : "numjit_halide " + hash;
}

}  // namespace numjit::runtime
