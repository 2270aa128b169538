// Rank 0: a thread that answers the others, and takes back what the dead had.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <numjit/base/error.h>
#include <numjit/base/file.h>
#include <numjit/map/rank_wire.h>
#include <numjit/map/ranks.h>

namespace numjit::map {
namespace {

using json = nlohmann::json;

constexpr int deaths_allowed = 2;  // of ranks with one file in their hands
constexpr std::size_t longest_line = std::size_t{1} << 28;
constexpr auto late_ranks = std::chrono::seconds(10);  // are waited for when all is done

[[noreturn]] void fail(const char* what) {
  throw OSError("map", fmt::format("rank 0 can't {}: {}.", what, std::strerror(errno)));
}

std::string random_text() {
  unsigned char bytes[16];
  if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) fail("draw a secret");
  std::string text;
  for (unsigned char b : bytes) text += fmt::format("{:02x}", b);
  return text;
}

/// Nobody holds these locks for longer than a look takes. Where there are no locks, nobody removes anything.
void lock_waiting(int fd) {
  while (flock(fd, LOCK_EX) != 0 && errno == EINTR) {
  }
}

std::string host_name() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

/// IPv4 addresses that other machines may reach.
std::vector<std::string> addresses() {
  std::vector<std::string> list;
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return list;
  for (const ifaddrs* i = all; i; i = i->ifa_next) {
    if (!i->ifa_addr || i->ifa_addr->sa_family != AF_INET) continue;
    char text[INET_ADDRSTRLEN];
    const auto* address = reinterpret_cast<const sockaddr_in*>(i->ifa_addr);
    if (inet_ntop(AF_INET, &address->sin_addr, text, sizeof text) && std::string_view(text) != "127.0.0.1")
      list.emplace_back(text);
  }
  freeifaddrs(all);
  return list;
}

}  // namespace

RankDoor::RankDoor(const Rank& rank, const std::string& folder) : path_(server_path(folder, rank)), secret_(random_text()) {
  listening_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  socklen_t size = sizeof address;
  if (listening_ < 0 || bind(listening_, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(listening_, 1024) != 0 ||
      getsockname(listening_, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    fail("listen");
  const json about{{"host", host_name()},
                   {"port", static_cast<int>(ntohs(address.sin_port))},
                   {"addresses", addresses()},
                   {"secret", secret_}};
  put_sign_up(line_of(about));
}

/// Locked before it has its name: what is not locked is left of a run that was killed, and others remove it, also in
/// the moment before this one has its lock. Then it is made again.
void RankDoor::put_sign_up(const std::string& text) {
  const std::string beside = path_ + ".new";
  // One of the same name that a killed run left, which somebody may be about to remove.
  const detail::File left(open(path_.c_str(), O_RDWR | O_CLOEXEC));
  if (left.fd >= 0) lock_waiting(left.fd);
  struct stat info {};
  do {
    if (sign_ >= 0) close(sign_);
    unlink(beside.c_str());
    sign_ = open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (sign_ < 0) throw OSError("map", detail::system_error_text(errno, path_));
    lock_waiting(sign_);
  } while (fstat(sign_, &info) == 0 && info.st_nlink == 0);
  if (!detail::write_whole(sign_, text) || rename(beside.c_str(), path_.c_str()) != 0)
    throw OSError("map", detail::system_error_text(errno, path_));
}

RankDoor::~RankDoor() {
  take_sign_down();
  for (int fd : {listening_, sign_})
    if (fd >= 0) close(fd);
}

void RankDoor::take_sign_down() { unlink(path_.c_str()); }

RankServer::RankServer(TaskSource& list, const Rank& rank, RankDoor& door, const Stop& stop)
    : list_(list), rank_(rank), door_(door), stop_(stop) {
  if (pipe2(wake_, O_CLOEXEC | O_NONBLOCK) != 0) fail("make a pipe");
  thread_ = std::thread([this] { serve(); });
}

RankServer::~RankServer() {
  if (thread_.joinable()) finish();
  for (int fd : wake_)
    if (fd >= 0) close(fd);
}

bool RankServer::handed_out() const {
  return std::any_of(clients_.begin(), clients_.end(), [](const auto& c) { return !c->tasks.empty(); });
}

/// With the lock held. Neither a task nor over: those handed out may come back.
TaskOffer RankServer::offer() {
  TaskOffer o;
  if (stop_.asked()) {
    o.over = true;
  } else if (!again_.empty()) {
    o.task = std::move(again_.front());
    again_.pop_front();
  } else {
    if (!list_empty_) o.task = list_.next().task;
    list_empty_ = list_empty_ || !o.task;
    o.over = list_empty_ && !handed_out();
  }
  return o;
}

TaskOffer RankServer::next() {
  std::lock_guard lock(mutex_);
  return offer();
}

void RankServer::ended(const Task& task, const std::string& error) { list_.ended(task, error); }

std::vector<ProcessTimes> RankServer::finish() {
  {
    std::lock_guard lock(mutex_);
    finishing_ = true;
  }
  [[maybe_unused]] const ssize_t woken = write(wake_[1], "x", 1);
  if (thread_.joinable()) thread_.join();
  door_.take_sign_down();
  return std::move(told_);
}

void RankServer::serve() {
  const auto never = std::chrono::steady_clock::time_point::max();
  auto until = never;
  for (;;) {
    std::vector<pollfd> waiting{{door_.listening(), POLLIN, 0}, {wake_[0], POLLIN, 0}};
    {
      std::lock_guard lock(mutex_);
      for (const auto& client : clients_) waiting.push_back({client->fd, POLLIN, 0});
      if (finishing_ && until == never) until = std::chrono::steady_clock::now() + late_ranks;
      // Over when all have come and gone; those who have not come may have died before.
      const bool all_seen = static_cast<int>(seen_.size()) + 1 >= rank_.count;
      if (finishing_ && clients_.empty() && (all_seen || stop_.asked() || std::chrono::steady_clock::now() > until)) return;
    }
    poll(waiting.data(), waiting.size(), 100);
    char drained[16];
    while (read(wake_[0], drained, sizeof drained) > 0) {
    }
    std::lock_guard lock(mutex_);
    for (std::size_t i = waiting.size() - 1; i >= 2; --i) {
      if (waiting[i].revents == 0) continue;
      if (receive(*clients_[i - 2])) continue;
      leave(*clients_[i - 2]);
      clients_.erase(clients_.begin() + static_cast<std::ptrdiff_t>(i - 2));
    }
    if (waiting[0].revents != 0) accept_client();
  }
}

void RankServer::accept_client() {
  const int fd = accept4(door_.listening(), nullptr, nullptr, SOCK_CLOEXEC);
  if (fd < 0) return;
  set_up_connection(fd);
  clients_.push_back(std::make_unique<Client>());
  clients_.back()->fd = fd;
}

/// What a client sent. False if it left.
bool RankServer::receive(Client& client) {
  char part[1 << 16];
  const ssize_t n = recv(client.fd, part, sizeof part, 0);
  if (n < 0 && errno == EINTR) return true;
  if (n <= 0) return false;
  client.text.append(part, static_cast<std::size_t>(n));
  for (std::size_t end; (end = client.text.find('\n')) != std::string::npos;) {
    const std::string line = client.text.substr(0, end);
    client.text.erase(0, end + 1);
    if (!handle(client, line)) return false;
  }
  return client.text.size() < longest_line;
}

bool RankServer::handle(Client& client, const std::string& line) {
  const json message = json::parse(line, nullptr, false);
  if (!message.is_object()) return false;
  try {
    if (client.rank < 0) {
      if (message.at("secret") != door_.secret()) return false;
      client.rank = message.at("rank");
      seen_.insert(client.rank);
      return true;
    }
    if (message.contains("ask")) {
      TaskOffer o = offer();
      if (o.over) return send_all(client.fd, line_of({{"over", true}}));
      if (!o.task) return send_all(client.fd, line_of({{"wait", true}}));
      const bool sent = send_all(client.fd, line_of({{"task", task_json(*o.task)}}));
      client.tasks.emplace(o.task->number, std::move(*o.task));
      return sent;
    }
    if (message.contains("ended")) {
      const auto found = client.tasks.find(message.at("ended").get<std::size_t>());
      if (found == client.tasks.end()) return false;
      list_.ended(found->second, message.at("error"));
      client.tasks.erase(found);
      return true;
    }
    told_.push_back(times_of(message.at("times")));
    return true;
  } catch (const json::exception&) {
    return false;  // none of ours
  }
}

void RankServer::leave(Client& client) {
  close(client.fd);
  for (auto& [number, task] : client.tasks) {
    if (stop_.asked()) break;
    if (++deaths_[number] > deaths_allowed)
      list_.ended(task, fmt::format("[map] {} ranks died while they had it.", deaths_[number]));
    else
      again_.push_back(task);
  }
  if (!client.tasks.empty())
    std::fprintf(stderr, "numjit: rank %d is gone: files that it had are done again (%zu)\n", client.rank, client.tasks.size());
}

}  // namespace numjit::map
