// The bar and the lines.
#include <numjit/map/progress.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <numjit/map/timeline.h>

namespace numjit::map {
namespace {

std::string time_text(double seconds) {
  const auto s = static_cast<std::int64_t>(seconds + 0.5);
  return s < 3600 ? fmt::format("{}:{:02}", s / 60, s % 60) : fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

int terminal_width() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

void put(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace

Progress::Progress(const Counts& counts, bool on) : counts_(counts), began_(now_ns()) {
  if (!on) return;
  terminal_ = isatty(STDERR_FILENO);
  thread_ = std::thread([this] { run(); });
}

Progress::~Progress() {
  if (!thread_.joinable()) return;
  {
    std::lock_guard lock(mutex_);
    over_ = true;
    end_.notify_all();
  }
  thread_.join();
  if (terminal_)
    draw_bar(true);
  else
    print_line();
}

void Progress::run() {
  using std::chrono::milliseconds;
  std::int64_t tenth = 0, told = began_;
  std::unique_lock lock(mutex_);
  while (!end_.wait_for(lock, milliseconds(terminal_ ? 100 : 500), [&] { return over_; })) {
    if (terminal_) {
      draw_bar(false);
      continue;
    }
    // In a log: a line for each tenth of the files, and each minute.
    const std::int64_t total = counts_.total, now = total ? 10 * counts_.ended() / total : 0;
    if (now <= tenth && now_ns() - told < 60'000'000'000) continue;
    tenth = now;
    told = now_ns();
    print_line();
  }
}

void Progress::draw_bar(bool last) const {
  const std::int64_t total = counts_.total, ended = counts_.ended();
  const double seconds = static_cast<double>(now_ns() - began_) * 1e-9;
  const std::int64_t worked = ended - counts_.skipped;
  const double rate = static_cast<double>(worked) / std::max(seconds, 1e-3);
  std::string right = fmt::format(" {}/{} {:.0f}/s", ended, total, rate);
  if (!last && worked > 0) right += " " + time_text(static_cast<double>(total - ended) / rate) + " left";
  if (last) right += " in " + time_text(seconds);
  if (counts_.failed > 0) right += fmt::format(", {} failed", counts_.failed.load());
  const int room = std::clamp(terminal_width() - 3 - static_cast<int>(right.size()), 5, 40);
  const int full = total ? static_cast<int>(room * ended / total) : room;
  put(fmt::format("\r[{}{}]{}\033[K{}", std::string(static_cast<std::size_t>(full), '#'),
                  std::string(static_cast<std::size_t>(room - full), '.'), right, last ? "\n" : ""));
}

void Progress::print_line() const {
  const std::int64_t total = counts_.total, ended = counts_.ended();
  const double seconds = static_cast<double>(now_ns() - began_) * 1e-9;
  put(fmt::format("numjit map: {} of {} files ({}%) in {:.1f} s, {} failed\n", ended, total, total ? 100 * ended / total : 100,
                  seconds, counts_.failed.load()));
}

}  // namespace numjit::map
