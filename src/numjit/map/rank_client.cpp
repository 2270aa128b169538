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
#include <numjit/map/rank_wire.h>
#include <numjit/map/ranks.h>

namespace numjit::map {
namespace {

using json = nlohmann::json;
using std::chrono::milliseconds;

using std::chrono::seconds;

constexpr seconds find_shared{120};    // shared folders may show a new file late
constexpr seconds find_local{30};      // all ranks on one machine: the file is the first thing that rank 0 makes
constexpr seconds find_refused{10};    // a file left by another run is soon replaced
constexpr int connect_timeout = 3000;  // milliseconds

constexpr int refused = -2;

/// A connection, or refused, or -1.
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
    return failure == ECONNREFUSED ? refused : -1;
  }
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
  set_up_connection(fd);
  return fd;
}

/// The same for the place that rank 0 named. Refused if nobody listens there: rank 0 has ended.
int connect_by(const json& about) {
  char own[256] = "";
  gethostname(own, sizeof own - 1);
  std::vector<std::string> hosts = about.value("addresses", std::vector<std::string>());
  if (about.value("host", "") == own) hosts.insert(hosts.begin(), "127.0.0.1");
  std::size_t refusals = 0;
  for (const std::string& host : hosts) {
    const int fd = connect_to(host, about.value("port", 0));
    if (fd >= 0) return fd;
    refusals += fd == refused;
  }
  return !hosts.empty() && refusals == hosts.size() ? refused : -1;
}

}  // namespace

RankClient::RankClient(const Rank& rank, const std::string& folder, Stop& stop, Counts& counts)
    : rank_(rank), stop_(stop), counts_(counts) {
  using clock = std::chrono::steady_clock;
  const std::string path = server_path(folder, rank);
  const seconds patience = rank.local_count == rank.count ? find_local : find_shared;
  const auto until = clock::now() + patience;
  auto answered = clock::now();  // or nothing was there that could have
  auto complain = [&](const std::string& what) {
    throw OSError("map", fmt::format("rank {} does not find rank 0: {}", rank.number, what));
  };
  while (!stop.asked()) {
    std::string text;
    const bool there = detail::read_file(path, text) == 0;
    const json about = there ? json::parse(text, nullptr, false) : json();
    const int fd = about.is_object() ? connect_by(about) : -1;
    if (fd >= 0) {
      fd_ = fd;
      if (send_all(fd_, line_of({{"secret", about.value("secret", "")}, {"rank", rank.number}}))) return;
      lost();
      return;
    }
    if (fd != refused) answered = clock::now();
    if (clock::now() - answered > find_refused) complain("it has ended. Run again with --resume.");
    if (clock::now() > until)
      complain(fmt::format("{} within {} s. All ranks need the same output folder, and a network between them.",
                           there ? "no connection" : "no file " + path, patience.count()));
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

TaskOffer RankClient::next() {
  const TaskOffer over{std::nullopt, true};
  std::lock_guard lock(mutex_);
  if (stop_.asked() || !send(line_of({{"ask", true}}))) return over;
  const std::optional<std::string> line = receive();
  const json answer = line ? json::parse(*line, nullptr, false) : json();
  if (!answer.is_object() || answer.contains("over")) return over;
  if (!answer.contains("task")) return {};
  ++counts_.total;
  return {task_of(answer["task"])};
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

}  // namespace numjit::map
