// The other ranks: asking rank 0, and telling it how tasks ended.
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <numjit/base/error.h>
#include <numjit/base/file.h>
#include <numjit/cli/map/rank_wire.h>
#include <numjit/cli/map/ranks.h>

namespace numjit::cli {
namespace {

using json = nlohmann::json;
using std::chrono::milliseconds;

constexpr int find_seconds = 120;    // shared folders may show a new file late
constexpr int connect_timeout = 3000;  // milliseconds

/// A connection, or -1.
int connect_to(const std::string& host, int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  if (inet_pton(AF_INET, host.c_str(), &address.sin_addr) != 1) return -1;
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  int failure = connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 ? 0 : errno;
  if (failure == EINPROGRESS) {
    pollfd waiting{fd, POLLOUT, 0};
    socklen_t size = sizeof failure;
    if (poll(&waiting, 1, connect_timeout) != 1 || getsockopt(fd, SOL_SOCKET, SO_ERROR, &failure, &size) != 0)
      failure = ETIMEDOUT;
  }
  if (failure != 0) {
    close(fd);
    return -1;
  }
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  return fd;
}

int connect_by(const json& about) {
  char own[256] = "";
  gethostname(own, sizeof own - 1);
  std::vector<std::string> hosts = about.value("addresses", std::vector<std::string>());
  if (about.value("host", "") == own) hosts.insert(hosts.begin(), "127.0.0.1");
  for (const std::string& host : hosts)
    if (const int fd = connect_to(host, about.value("port", 0)); fd >= 0) return fd;
  return -1;
}

}  // namespace

RankClient::RankClient(const Rank& rank, const std::string& folder, Stop& stop, Counts& counts)
    : rank_(rank), stop_(stop), counts_(counts) {
  const std::string path = server_path(folder, rank);
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(find_seconds);
  while (fd_ < 0 && !stop.asked()) {
    std::string text;
    const bool there = detail::read_file(path, text) == 0;
    const json about = there ? json::parse(text, nullptr, false) : json();
    if (about.is_object()) {
      fd_ = connect_by(about);
      if (fd_ >= 0 && send_all(fd_, line_of({{"secret", about.value("secret", "")}, {"rank", rank.number}}))) return;
    }
    if (std::chrono::steady_clock::now() > until)
      throw OSError("map", fmt::format("rank {} does not find rank 0: {} within {} s. All ranks need the same output "
                                       "folder, and a network between them.",
                                       rank.number, there ? "no connection" : "no file " + path, find_seconds));
    std::this_thread::sleep_for(milliseconds(20));
  }
}

RankClient::~RankClient() {
  if (fd_ >= 0) close(fd_);
}

void RankClient::lost() { stop_.by_error("rank 0 is gone. Run again with --resume."); }

bool RankClient::send(const std::string& line) {
  if (fd_ >= 0 && send_all(fd_, line)) return true;
  lost();
  return false;
}

std::optional<std::string> RankClient::receive() {
  for (;;) {
    if (const std::size_t end = text_.find('\n'); end != std::string::npos) {
      std::string line = text_.substr(0, end);
      text_.erase(0, end + 1);
      return line;
    }
    char part[4096];
    const ssize_t n = recv(fd_, part, sizeof part, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      lost();
      return std::nullopt;
    }
    text_.append(part, static_cast<std::size_t>(n));
  }
}

std::optional<Task> RankClient::next() {
  while (!stop_.asked()) {
    {
      std::lock_guard lock(mutex_);
      if (!send(line_of({{"ask", true}}))) return std::nullopt;
      const std::optional<std::string> line = receive();
      const json answer = line ? json::parse(*line, nullptr, false) : json();
      if (!answer.is_object() || answer.contains("over")) return std::nullopt;
      if (answer.contains("task")) {
        ++counts_.total;
        return task_of(answer["task"]);
      }
    }
    std::this_thread::sleep_for(milliseconds(50));
  }
  return std::nullopt;
}

void RankClient::ended(const Task& task, const std::string& error) {
  ++(error.empty() ? counts_.done : counts_.failed);
  std::lock_guard lock(mutex_);
  send(line_of({{"ended", task.number}, {"error", error}}));
}

void RankClient::finish(const ProcessTimes& times) {
  std::lock_guard lock(mutex_);
  if (fd_ >= 0) send_all(fd_, line_of({{"times", times_json(times)}}));
}

}  // namespace numjit::cli
