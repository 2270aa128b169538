// Runs linkers on objects in a temporary folder.
#include <numjit/runtime/kernels/linker.h>

#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <numjit/base/config.h>
#include <numjit/base/error.h>
#include <numjit/base/fault.h>
#include <numjit/base/file.h>
#include <numjit/base/log.h>
#include <numjit/base/subprocess.h>
#include <numjit/runtime/kernels/library.h>
#include <numjit/runtime/kernels/objects.h>
#include <numjit/runtime/kernels/temporary_folder.h>

namespace numjit::runtime {
namespace {

using numjit::detail::File;

/// Runs a linker that writes `output`; its bytes.
std::vector<char> run_linker(const std::vector<std::string>& command, const std::string& output) {
  std::string errors;
  int status = 0;
  try {
    status = detail::run_program(command, &errors);
  } catch (const OSError& e) {
    throw CompileError("compile", e.what());
  }
  const File linked(open(output.c_str(), O_RDONLY | O_CLOEXEC));
  if (status > 0 || linked.fd < 0)
    throw CompileError("compile",
                       fmt::format("{} failed with status {}: {}", command.front(), status, errors.substr(0, errors.find('\n'))));
  return numjit::detail::read_to_end(linked.fd);
}

}  // namespace

std::optional<std::string> find_linker() {
  for (const char* name : {"ld", "ld.bfd", "ld.gold", "ld.lld"})
    if (std::optional<std::string> program = detail::find_program(name)) return program;
  return std::nullopt;
}

std::vector<char> link_kernel(std::span<const char> packed, const std::string& name) {
  const std::optional<std::string> linker = find_linker();
  if (!linker) throw NoLinker();
  const TemporaryFolder folder;
  const std::string output = folder.path + "/kernel.so";
  // Small and quick: no build id, no relro, no symbol table; -O0 skips the linker's string sorting.
  std::vector<std::string> command = {
      *linker,           "-shared",          "-O0",     "-s", "-Bsymbolic", "-z",  "norelro", "-z", "noexecstack",
      "--build-id=none", "--hash-style=gnu", "-soname", name, "-o",         output};
  for (const std::span<const char> object : unpack_objects(packed))
    command.push_back(folder.write(fmt::format("{}.o", command.size()), object));
  return run_linker(command, output);
}

std::vector<char> kernel_image(const std::vector<char>& object, const std::string& name, bool for_device) {
  if (detail::fault_injected(detail::fault_point::link)) throw CompileError("compile", "fault injected into link");
  std::vector<char> packed = pack_kernel_objects(object, for_device);
  const std::string reason = why_not_loadable(packed);
  if (reason.empty()) return packed;
  if (config().linker != linker_choice::system)
    detail::warn_once("linked kernels", reason + "; kernels are linked by the system's linker.");
  return link_kernel(packed, name);
}

std::optional<std::string> find_wasm_linker() {
  if (std::optional<std::string> program = detail::find_program("wasm-ld")) return program;
  for (int version = 22; version >= 14; --version)  // as Debian's packages lld-14 ... name theirs
    if (std::optional<std::string> program = detail::find_program(fmt::format("wasm-ld-{}", version))) return program;
  return std::nullopt;
}

std::vector<char> link_wasm(const std::vector<WasmObject>& objects) {
  const std::optional<std::string> linker = find_wasm_linker();
  if (!linker)
    throw CompileError("compile",
                       "no wasm-ld in PATH, which links kernels for WebAssembly: install it (apt-get install lld, "
                       "or Emscripten's SDK)");
  const TemporaryFolder folder;
  const std::string output = folder.path + "/pack.wasm";
  // As the lines of a file: there may be more objects than a command line takes.
  std::string arguments;
  for (const WasmObject& object : objects)
    arguments += fmt::format("--export={}\n{}\n", object.entry, folder.write(object.entry + ".o", object.code));
  const std::string listed = folder.write("arguments", arguments);
  // Code that is placed when it is loaded, beside the memory and the table of the main module, which it imports.
  return run_linker({*linker, "--experimental-pic", "-shared", "-Bsymbolic", "--no-entry", "--import-undefined",
                     "--no-export-dynamic", "--strip-all", "--no-check-features", "-o", output, "@" + listed},
                    output);
}

}  // namespace numjit::runtime
