// posix_spawn with captured output.
#include <numjit/base/subprocess.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <numjit/base/error.h>
#include <numjit/base/file.h>

extern char** environ;

namespace numjit::detail {
namespace {

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (const std::string& text : texts) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

/// This process's environment with `more`, whose names come first in effect.
std::vector<std::string> environment_with(const std::vector<std::string>& more) {
  std::vector<std::string> all = more;
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view text = *entry;
    bool replaced = false;
    for (const std::string& one : more)
      replaced |= text.starts_with(std::string_view(one).substr(0, one.find('=') + 1));
    if (!replaced) all.emplace_back(text);
  }
  return all;
}

}  // namespace

std::optional<std::string> find_program(std::string_view name) {
  const char* path = std::getenv("PATH");
  std::string_view folders = path ? path : "/usr/bin:/bin";
  while (!folders.empty()) {
    const std::size_t colon = folders.find(':');
    const std::string_view folder = folders.substr(0, colon);
    folders = colon == std::string_view::npos ? std::string_view() : folders.substr(colon + 1);
    if (folder.empty() || folder[0] != '/') continue;  // never what lies in the current folder
    std::string program = fmt::format("{}/{}", folder, name);
    struct stat info;
    if (stat(program.c_str(), &info) == 0 && S_ISREG(info.st_mode) && access(program.c_str(), X_OK) == 0)
      return program;
  }
  return std::nullopt;
}

int run_program(const std::vector<std::string>& command, std::string* output,
                const std::vector<std::string>& environment) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw OSError("", fmt::format("no pipe for {}: {}", command[0], std::strerror(errno)));
  File reading(ends[0]), writing(ends[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, writing.fd, 2);
  posix_spawn_file_actions_adddup2(&actions, writing.fd, 1);
  const std::vector<std::string> variables = environment_with(environment);
  pid_t child = 0;
  const int failure = posix_spawn(&child, command[0].c_str(), &actions, nullptr, pointers(command).data(),
                                  pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0)
    throw OSError("", fmt::format("can't start {}: {}", command[0], std::strerror(failure)));
  writing.reset();
  const std::vector<char> bytes = read_to_end(reading.fd);
  output->append(bytes.begin(), bytes.end());
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace numjit::detail
