// What a thread's code runs under: the members of thread_context, by the scopes that set them, and what jobs take along.
#include <gtest/gtest.h>

#include <numjit/array/remote.h>
#include <numjit/base/job_context.h>
#include <numjit/base/location_scope.h>
#include <numjit/np.h>
#include <numjit/runtime/kernels/cache.h>

#include <string>
#include <thread>

namespace np = numjit;

namespace {

struct Eager final : np::interpreter {
  np::array apply(const np::op_call& call) override { return np::detail::eager_interpreter->apply(call); }
};

/// What the accessors say on the calling thread.
struct Seen {
  std::int64_t threads = np::config().threads;
  np::tracing::Stance stance = np::tracing::current_stance();
  std::uint8_t device = np::detail::own_context.scope_device;
  np::tracing::Reaction divide = np::tracing::float_errors_now().divide;
  np::interpreter* top = np::detail::top_interpreter();
  const std::string* owner = np::runtime::kernel_requests().owner;
  int line = np::detail::scoped_location({"own.cpp", "f", 1}).line;
  bool operator==(const Seen&) const = default;
};

/// All of it set, to what is found nowhere else.
struct EverythingSet {
  Eager eager;
  const std::string owner = "f";
  const np::location place{"user.cpp", "g", 7};
  np::config_scope config{{.threads = 3}};
  np::stance_scope stance{"run_only"};
  np::device device{"cpu"};
  np::errstate errors{{.divide = "raise"}};
  np::interpreter_scope top{&eager};
  np::runtime::kernel_request_scope requests{owner, true, false};
  np::location_scope location{place};
};

TEST(ThreadContext, ScopesSetItsMembersAndTakeThemBack) {
  const Seen before;
  {
    const EverythingSet set;
    const Seen now;
    EXPECT_EQ(now.threads, 3);
    EXPECT_EQ(now.stance, np::tracing::Stance::run_only);
    EXPECT_EQ(now.device, np::detail::cpu_scope);
    EXPECT_EQ(now.divide, np::tracing::Reaction::raise);
    EXPECT_EQ(now.top, &set.eager);
    EXPECT_EQ(now.owner, &set.owner);
    EXPECT_EQ(now.line, 7);
    const np::thread_context_scope none({});
    EXPECT_EQ(Seen().line, 1);
    EXPECT_EQ(Seen().top, nullptr);
    EXPECT_EQ(Seen().owner, nullptr);
  }
  EXPECT_EQ(Seen(), before);
}

TEST(ThreadContext, IsOfOneThread) {
  const Seen before;
  const EverythingSet set;
  std::thread([&] { EXPECT_EQ(Seen(), before); }).join();
}

TEST(ThreadContext, JobsTakeAlongWhatPointsIntoNoCall) {
  const Seen before;
  const np::job_context job = [] {
    const EverythingSet set;
    return np::job_context::here();
  }();  // its scopes are over
  std::thread([&] {
    {
      const np::job_context_scope scope(job);
      Seen expected = before;
      expected.threads = 3;
      expected.stance = np::tracing::Stance::run_only;
      expected.device = np::detail::cpu_scope;
      expected.divide = np::tracing::Reaction::raise;
      EXPECT_EQ(Seen(), expected);
      {
        const np::config_scope inner({.threads = 2});
        EXPECT_EQ(np::config().threads, 2);
      }
      EXPECT_EQ(Seen(), expected);
    }
    EXPECT_EQ(Seen(), before);
  }).join();
}

TEST(ThreadContext, AJobOnAThreadWithScopesOfItsOwn) {
  const np::job_context job = np::job_context::here();
  const EverythingSet set;
  const Seen own;
  {
    const np::job_context_scope scope(job);
    EXPECT_EQ(np::tracing::current_stance(), np::tracing::Stance::default_);
    EXPECT_EQ(np::detail::own_context.scope_device, 0);
    EXPECT_EQ(np::detail::top_interpreter(), nullptr);
  }
  EXPECT_EQ(Seen(), own);
}

}  // namespace
