// Messages between ranks, and what the environment says of them.
#include <numjit/map/rank_wire.h>

#include <cerrno>

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <numjit/base/launcher.h>

namespace numjit::map {
namespace {

using json = nlohmann::json;

}  // namespace

Rank rank_from_environment() {
  const detail::launched_rank launched = detail::launched();
  if (launched.count < 2) return {};
  return {launched.number, launched.count, launched.local, launched.local_count, launched.run, ""};
}

std::string server_path(const std::string& folder, const Rank& rank) {
  return fmt::format("{}/.numjit_map{}.run{}", folder, rank.shard.empty() ? "" : "." + rank.shard, rank.run);
}

std::string line_of(const json& message) { return message.dump(-1, ' ', false, json::error_handler_t::replace) + "\n"; }

json task_json(const Task& task) { return {{"number", task.number}, {"inputs", task.inputs}, {"name", task.name}}; }

Task task_of(const json& j) {
  return {j.at("number").get<std::size_t>(), j.at("inputs").get<std::vector<std::string>>(), j.at("name").get<std::string>()};
}

json times_json(const ProcessTimes& times) {
  json stages = json::array(), events = json::array(), host_work = json::array();
  for (const StageTime& t : times.times) stages.push_back({t.busy_ns, t.cpu_ns, t.bytes, t.count});
  for (const TimelineEvent& e : times.events) events.push_back({e.begin_ns, e.end_ns, e.task, e.lane, static_cast<int>(e.stage)});
  for (const devices::HostNote& n : times.host_work) host_work.push_back({n.device, n.op, n.count, n.bytes});
  const StageThreads& threads = times.threads;
  return {{"rank", times.rank},
          {"device", times.device},
          {"threads", {threads.read, threads.compute, threads.write, threads.cores}},
          {"stages", std::move(stages)},
          {"events", std::move(events)},
          {"clock", clock_offset_ns()},
          {"cut", times.is_cut},
          {"peak", times.peak_bytes},
          {"host_work", std::move(host_work)}};
}

ProcessTimes times_of(const json& j) {
  ProcessTimes times;
  times.rank = j.at("rank");
  times.device = j.at("device");
  const json& threads = j.at("threads");
  times.threads = {threads.at(0), threads.at(1), threads.at(2), threads.at(3)};
  for (std::size_t i = 0; i < stage_count; ++i) {
    const json& t = j.at("stages").at(i);
    times.times[i] = {t.at(0), t.at(1), t.at(2), t.at(3)};
  }
  const std::int64_t later = j.at("clock").get<std::int64_t>() - clock_offset_ns();
  for (const json& e : j.at("events")) {
    const int stage = e.at(4);
    if (stage < 0 || stage >= stage_count) continue;
    times.events.push_back(
        {e.at(0).get<std::int64_t>() + later, e.at(1).get<std::int64_t>() + later, e.at(2), e.at(3), static_cast<Stage>(stage)});
  }
  times.is_cut = j.at("cut");
  times.peak_bytes = j.at("peak");
  for (const json& n : j.at("host_work")) times.host_work.push_back({n.at(0), n.at(1), n.at(2), n.at(3)});
  return times;
}

void set_up_connection(int fd) {
  const int on = 1, idle = 20, interval = 10, count = 4;
  const unsigned unanswered = 60'000;  // milliseconds
  setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof count);
  setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &unanswered, sizeof unanswered);
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

bool send_all(int fd, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t n = ::send(fd, text.data() + at, text.size() - at, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += static_cast<std::size_t>(n);
  }
  return true;
}

}  // namespace numjit::map
