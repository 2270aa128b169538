// numjit repro: runs a recorded fault again, and makes it smaller.
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <numjit/base/config.h>
#include <numjit/base/error.h>
#include <numjit/cli/commands.h>
#include <numjit/runtime/kernels/plugin.h>
#include <numjit/runtime/repro/minify.h>
#include <numjit/runtime/repro/repro.h>

namespace numjit::cli {
namespace {

using runtime::Repro;
using runtime::ReproOutcome;

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw OSError("repro", path + " can't be read.");
  return text.str();
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw OSError("repro", path + " can't be written.");
}

[[noreturn]] void run_in_child(const Repro& repro, const std::string& layer, int pipe) {
  ReproOutcome outcome;
  try {
    outcome = run_repro(repro, layer);
  } catch (const std::exception& e) {
    outcome = {ReproOutcome::unusable, e.what()};
  }
  const std::string said = std::string(1, static_cast<char>('0' + outcome.kind)) + outcome.text;
  const auto written = write(pipe, said.data(), said.size());
  _exit(written == static_cast<ssize_t>(said.size()) ? 0 : 1);
}

/// What the child writes until it ends; false if `milliseconds` pass first.
bool read_until(int fd, int milliseconds, std::string* text) {
  char part[4096];
  for (;;) {
    pollfd wanted{fd, POLLIN, 0};
    const int ready = poll(&wanted, 1, milliseconds);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    const ssize_t n = read(fd, part, sizeof part);
    if (n <= 0) return true;
    text->append(part, static_cast<std::size_t>(n));
  }
}

/// In a process of its own, as it may crash or never end.
ReproOutcome run_apart(const Repro& repro, const std::string& layer) {
  int ends[2];
  if (pipe(ends) != 0) throw OSError("repro", "no pipe to a child process.");
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) throw OSError("repro", "no child process can be started.");
  if (child == 0) {
    close(ends[0]);
    run_in_child(repro, layer, ends[1]);
  }
  close(ends[1]);
  std::string said;
  const bool in_time = read_until(ends[0], static_cast<int>(2 * repro.timeout_ms + 30000), &said);
  close(ends[0]);
  if (!in_time) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!in_time) return {ReproOutcome::timeout, "it does not end"};
  if (WIFSIGNALED(status))
    return {ReproOutcome::crash, fmt::format("it ends by signal {}", WTERMSIG(status))};
  if (said.empty()) return {ReproOutcome::crash, "it ends without a word"};
  return {static_cast<ReproOutcome::Kind>(said[0] - '0'), said.substr(1)};
}

std::string outcome_text(const ReproOutcome& outcome) {
  switch (outcome.kind) {
    case ReproOutcome::clean: return "right";
    case ReproOutcome::wrong_value: return outcome.text + " is wrong";
    default: return outcome.text;
  }
}

bool is_fault(const ReproOutcome& outcome) {
  return outcome.kind != ReproOutcome::clean && outcome.kind != ReproOutcome::unusable;
}

/// `from` without ".npj", with `to` at its end.
std::string sibling(const std::string& from, const std::string& to) {
  const bool ends = from.size() > 4 && from.ends_with(".npj");
  return (ends ? from.substr(0, from.size() - 4) : from) + to;
}

int minify_to(const Repro& repro, const std::string& layer, const ReproOutcome& fault, const std::string& output) {
  int tried = 0;
  const Repro smaller = runtime::minify(repro, [&](const Repro& candidate) {
    ++tried;
    return same_fault(fault, run_apart(candidate, layer));
  });
  write_file(output, repro_to_json(smaller));
  write_file(sibling(output, ".cpp"), repro_program(smaller));
  fmt::print("minified from {} to {} ops in {} runs: {}\n{}", repro.op_count(), smaller.op_count(), tried, output,
             graph::to_text(smaller.graph));
  return 1;
}

}  // namespace

int repro(const std::string& path, const std::string& layer, bool minifies, const std::string& output) {
  const Repro repro = runtime::repro_from_json(read_file(path));
  const std::string blamed = layer.empty() ? repro.layer : layer;
  if (blamed != "eager" && blamed != "graph" && blamed != "halide")
    throw ValueError("repro", fmt::format("--layer: got '{}', expected eager, graph or halide.", blamed));
  config().threads = 1;  // what runs here starts no thread, so that children can be forked
  fmt::print("{} ops of {}\nnoted: {}\n", repro.op_count(), repro.function, repro.fault);
  if (!repro.injected.empty()) fmt::print("with NUMJIT_FAULT={}\n", repro.injected);
  runtime::kernel_compiler();  // opened once, for all children
  ReproOutcome outcome;
  for (const char* step : {"eager", "graph", "halide"}) {
    outcome = run_apart(repro, step);
    fmt::print("{:<7} {}\n", step, outcome_text(outcome));
    if (outcome.kind == ReproOutcome::unusable)
      throw ValueError("repro", "the program itself fails: " + outcome.text);
    if (blamed == step) break;
  }
  if (!is_fault(outcome)) {
    fmt::print("the fault does not show\n");
    return 0;
  }
  if (!minifies) return 1;
  return minify_to(repro, blamed, outcome, output.empty() ? sibling(path, "-min.npj") : output);
}

}  // namespace numjit::cli
