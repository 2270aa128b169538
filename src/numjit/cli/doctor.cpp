// numjit doctor: each thing that fast calls need, whether it is there, and the remedy if not.
#include <gnu/libc-version.h>

#include <chrono>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <numjit/array/remote.h>
#include <numjit/base/buffer_pool.h>
#include <numjit/base/config.h>
#include <numjit/base/cpu.h>
#include <numjit/base/error.h>
#include <numjit/base/thread_pool.h>
#include <numjit/cli/commands.h>
#include <numjit/device/device.h>
#include <numjit/eager/blas_core.h>
#include <numjit/runtime/kernels/cache.h>
#include <numjit/runtime/kernels/disk_cache.h>
#include <numjit/runtime/kernels/linker.h>
#include <numjit/runtime/kernels/plugin.h>

namespace numjit::cli {
namespace {

bool all_well = true;

void fine(const std::string& what, const std::string& text) {
  fmt::print("ok    {:<12} {}\n", what, text);
}

void wrong(const std::string& what, const std::string& text, const std::string& remedy) {
  all_well = false;
  fmt::print("wrong {:<12} {}\n      {:<12} {}\n", what, text, "", remedy);
}

/// Nothing that anybody has to have.
void absent(const std::string& what, const std::string& text) {
  fmt::print("none  {:<12} {}\n", what, text);
}

std::string bytes(std::int64_t n) { return detail::format_bytes(static_cast<std::uint64_t>(n)); }

/// "Debian GNU/Linux 12 (bookworm), Linux 6.1.0 x86_64, glibc 2.36".
std::string system_text() {
  std::string name = "unknown system", line;
  const std::string_view key = "PRETTY_NAME=";
  for (std::ifstream file("/etc/os-release"); std::getline(file, line);)
    if (line.starts_with(key)) name = line.substr(key.size());
  std::erase(name, '"');
  utsname kernel{};
  uname(&kernel);
  return fmt::format("{}, {} {} {}, glibc {}", name, kernel.sysname, kernel.release, kernel.machine, gnu_get_libc_version());
}

/// "32.0 KiB, 1.00 MiB, 32.0 MiB": the caches of a core, from the smallest to the one it shares.
std::string caches_text() {
  std::string text;
  for (const int level : {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE})
    if (const long size = sysconf(level); size > 0) text += (text.empty() ? "" : ", ") + bytes(size);
  return text.empty() ? "the system does not tell" : text;
}

/// The smallest kernel there is, x + y, through code generator, linker and loader.
void try_kernel() {
  config_scope scope({.compile = compile_mode::sync, .suppress_errors = false, .cache_dir = "off"});
  graph::KernelSpec spec;
  spec.operand_types = {dtype_id::float64, dtype_id::float64};
  int loop = -1;
  for (const op_loop& candidate : info(op_id::add).loops) {
    ++loop;
    if (candidate.out == dtype_id::float64) break;
  }
  using kind = graph::KernelNodeKind;
  spec.nodes = {
      {kind::operand, op_id::add, 0, dtype_id::float64, 0},
      {kind::operand, op_id::add, 0, dtype_id::float64, 1},
      {kind::op, op_id::add, static_cast<std::uint8_t>(loop), dtype_id::float64, 0, {0, 1, 0}}};
  spec.outputs = {2};
  auto start = std::chrono::steady_clock::now();
  try {
    auto kernel = runtime::get_kernel(spec, {"elementwise", {1, 1, 1}});
    std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    fine("kernel",
         fmt::format("x + y compiled in {:.0f} ms (the first one opens the code generator)",
                     took.count()));
  } catch (const error& e) {
    wrong("kernel", e.what(), "Compiled functions run their ops one by one until this works.");
  }
}

void check_cache() {
  std::string folder = runtime::cache_folder();
  if (folder.empty()) return fine("cache", "off: every process compiles its kernels anew");
  try {
    std::int64_t size = 0, count = 0, damaged = 0;
    for (const runtime::CacheFile& file : runtime::list_cache(folder)) {
      size += file.bytes;
      ++count;
      damaged += !file.problem.empty();
    }
    std::string text = fmt::format("{}: {} entries, {}", folder, count, bytes(size));
    struct stat there;
    if (damaged)
      wrong("cache", fmt::format("{}, {} damaged", text, damaged),
            "numjit cache clear removes them.");
    else if (stat(folder.c_str(), &there) == 0 && access(folder.c_str(), W_OK) != 0)
      wrong("cache", folder + " is not writable", "Set NUMJIT_CACHE_DIR to a folder of your own.");
    else
      fine("cache", text);
  } catch (const OSError& e) {
    wrong("cache", e.what(), "Set NUMJIT_CACHE_DIR to a folder that only you can write.");
  }
}

/// The devices of each driver by the names that np::device takes.
void check_devices() {
  for (const devices::Driver& driver : devices::drivers()) {
    std::string why;
    const int count = driver.count(why);
    if (count == 0) absent(driver.kind, why);
    for (int i = 0; i < count; ++i) {
      const std::string name = fmt::format("{}:{}", driver.kind, i);
      try {
        const devices::DeviceInfo& about = devices::device(devices::open(name)).info();
        fine(name, fmt::format("{}, {}, {}{}", about.model, about.driver, bytes(static_cast<std::int64_t>(about.memory)),
                               about.exact_float32 ? "" : "; quotients and roots of float32 are not correctly rounded"));
      } catch (const error& e) {
        wrong(name, e.what(), "Mend its driver, or use another device.");
      }
    }
  }
  const std::string& device = config().device;
  if (device == "cpu") return;
  try {
    fine("device", fmt::format("config.device is '{}', which is {}", device, detail::device_name(detail::device_index(device))));
  } catch (const error& e) {
    wrong("device", e.what(), "Set NUMJIT_DEVICE to a device of this machine, or not at all.");
  }
}

}  // namespace

int doctor() {
  config();
  fine("numjit", NUMJIT_VERSION);
  fine("system", system_text());
  fine("processor", fmt::format("x86-64-v{} ({})", detail::cpu_level(), detail::cpu_features()));
  if (detail::cpu_level() < 2)
    wrong("processor", "too old: x86-64-v2 is the least", "Use a machine made since 2010.");
  fine("BLAS", eager::blas_text());
  fine("caches", caches_text());
  fine("threads", std::to_string(detail::thread_count()));
  fine("memory", fmt::format("{}, config.memory_limit {}", bytes(detail::physical_memory()),
                             config().memory_limit == 0 ? "off" : bytes(config().memory_limit)));
  if (auto linker = runtime::find_linker())
    fine("linker", *linker);
  else
    absent("linker", "none of ld, ld.bfd, ld.gold, ld.lld in PATH: needed where memory can't be made executable");
  if (auto linker = runtime::find_wasm_linker())
    fine("wasm-ld", *linker);
  else
    absent("wasm-ld", "not in PATH: `numjit pack` and `numjit serve` need it (Debian: apt install lld)");
  if (runtime::KernelCompiler* compiler = runtime::kernel_compiler())
    fine("compiler", fmt::format("{} from {}", compiler->identity(), runtime::plugin_path()));
  else
    wrong("compiler", runtime::plugin_error(), runtime::plugin_remedy());
  check_cache();
  check_devices();
  if (runtime::kernel_compiler()) try_kernel();
  return all_well ? 0 : 1;
}

}  // namespace numjit::cli
