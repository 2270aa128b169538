// numjit report: runs a program that leaves pages of what its compiled functions did.
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <numjit/base/debug_folder.h>
#include <numjit/base/error.h>
#include <numjit/cli/commands.h>

namespace numjit::cli {

void report(const std::string& folder, std::vector<std::string> command) {
  if (command.empty()) throw ValueError("report", "no program to run: expected a program and its arguments.");
  const std::string whole = std::filesystem::absolute(folder).string();
  if (!detail::make_folders(whole)) throw OSError("report", "the folder can't be made: '" + whole + "'.");
  setenv("NUMJIT_REPORT", whole.c_str(), 1);
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  throw OSError("report", "the program can't be run: '" + command[0] + "': " + std::strerror(errno) + ".");
}

}  // namespace numjit::cli
