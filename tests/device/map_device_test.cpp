// numjit map on devices: the bits of the CPU, what the report says of transfers, one device a rank, and what is
// refused.
#include <map>
#include <tuple>

#include <nlohmann/json.hpp>

#include <cli/map_command.h>
#include <device/opencl.h>

namespace np = numjit;
namespace fs = std::filesystem;
using namespace numjit::testing;
using ::testing::HasSubstr;

namespace {

class DevicesMap : public MapCommand {
 protected:
  void SetUp() override {
    MapCommand::SetUp();
    SKIP_WITHOUT_CODE_GENERATOR();
    if (const std::string why = missing_device(); !why.empty()) GTEST_SKIP() << why;
  }
  nlohmann::json report() const { return nlohmann::json::parse(text_of(in("report.json"))); }
  void export_rows(const std::string& name = "rows.npj", const std::vector<std::string>& targets = {}) const {
    np::array x = ramp(40).reshape(10, 4);
    np::mark_dynamic(x, 0);
    np::mark_dynamic(x, 1);
    np::export_function(
        [](const np::array& a) {
          return std::tuple(a - np::mean(a, {.axis = 1, .keepdims = true}), np::exp(np::max(a, {.axis = 1})));
        },
        {x}, in(name), {.targets = targets});
  }
};

}  // namespace

TEST_F(DevicesMap, the_bits_of_the_cpu) {
  export_rows();
  for (int i = 0; i < 7; ++i) save(name_of("in/f", i), noise(3000, i).reshape(100 + 100 * (i % 2 == 0 ? 2 : 0), -1));
  ASSERT_EQ(run({"rows.npj", "in/*.npy", "-o", "cpu"}).err, "");
  for (const char* jobs : {"1", "3"}) {
    const std::string where = std::string("there") + jobs;
    const Output output =
        run({"rows.npj", "in/*.npy", "-o", where, "--jobs", jobs, "--device", device_kind(), "--report", "report.json"});
    ASSERT_EQ(output.status, 0) << output.err;
    EXPECT_EQ(output.err, "");
    EXPECT_THAT(output.out, HasSubstr("\nto device "));
    for (const std::string& name : files_in("cpu")) {
      if (!name.ends_with(".npy")) continue;
      EXPECT_TRUE(same_bits(load("cpu/" + name), load(where + "/" + name))) << name;
    }
    EXPECT_EQ(report()["devices"], nlohmann::json::array({device_name()}));
    EXPECT_EQ(report()["host_work"], nlohmann::json::array());
    EXPECT_THAT(output.out, ::testing::Not(HasSubstr("on the host")));
    for (const char* stage : {"read", "to device", "compute", "from device", "write"})
      EXPECT_EQ(report()["stages"][stage]["count"], 7) << stage;
    EXPECT_EQ(report()["stages"]["to device"]["bytes"], 7 * 3000 * 8);
  }
  // What config.device says holds where nothing else is said.
  ASSERT_EQ(run({"rows.npj", "in/*.npy", "-o", "set", "--report", "report.json"}, {"NUMJIT_DEVICE=" + device_name()}).err, "");
  EXPECT_EQ(report()["devices"], nlohmann::json::array({device_name()}));
  ASSERT_EQ(run({"rows.npj", "in/*.npy", "-o", "host", "--device", "cpu", "--report", "report.json"},
                {"NUMJIT_DEVICE=" + device_name()})
                .err,
            "");
  EXPECT_EQ(report()["devices"], nlohmann::json::array({"cpu"}));
  EXPECT_EQ(report()["stages"].count("to device"), 0u);
}

TEST_F(DevicesMap, common_inputs_and_changed_arguments) {
  np::array x = ramp(5), w = ramp(5);
  np::mark_dynamic(x, 0);
  np::mark_dynamic(w, 0);
  auto step = [](np::array& a, const np::array& b) {
    a(np::slice(1, np::none)) += b(np::slice(1, np::none));
    return np::sum(a * b);
  };
  np::export_function(step, std::tuple(x, w), in("step.npj"), {.targets = {}});
  save_inputs(4);
  save("w.npy", noise(100, 50));
  ASSERT_EQ(run({"step.npj", "in/*.npy", "w.npy", "-o", "out", "--changed", "--device", device_kind()}).err, "");
  for (int i = 0; i < 4; ++i) {
    np::array a = noise(100, i);
    const np::array total = step(a, noise(100, 50));
    EXPECT_TRUE(same_bits(load(name_of("out/f", i)), total)) << i;
    EXPECT_TRUE(same_bits(load(name_of("out/f", i).replace(8, 4, "_arg0.npy")), a)) << i;
  }
}

TEST_F(DevicesMap, large_files_come_in_parts) {
  export_rows();
  const np::array large = noise(20000 * 30, 1).reshape(20000, 30);
  save("in/c.npy", large);
  ASSERT_EQ(run({"rows.npj", "in/*.npy", "-o", "cpu"}).err, "");
  for (const char* jobs : {"1", "2"}) {
    ASSERT_EQ(run({"rows.npj", "in/*.npy", "-o", "out", "--memory", "2MiB", "--jobs", jobs, "--device", device_kind(), "--report",
                   "report.json"}).err, "");
    EXPECT_GT(report()["stages"]["to device"]["count"], 4);
    EXPECT_GT(report()["stages"]["compute"]["bytes"], 2 * 20000 * 30 * 8);
    EXPECT_EQ(report()["host_work"], nlohmann::json::array());
    for (const char* name : {"/c_0.npy", "/c_1.npy"})
      EXPECT_TRUE(same_bits(load(std::string("cpu") + name), load(std::string("out") + name)));
  }
  // A device with less memory than the host decides, and says so where no part is small enough.
  ASSERT_EQ(run({"rows.npj", "in/*.npy", "-o", "out", "--device", device_kind(), "--report", "report.json"},
                {"NUMJIT_DEVICE_MEMORY_LIMIT=3MiB"}).err, "");
  EXPECT_EQ(report()["memory_bytes"], 3 << 20);
  EXPECT_GT(report()["stages"]["compute"]["count"], 2);
  const Output small =
      run({"rows.npj", "in/c.npy", "-o", "out", "--jobs", "1", "--device", device_kind()}, {"NUMJIT_DEVICE_MEMORY_LIMIT=200"});
  EXPECT_EQ(small.status, 1);
  EXPECT_THAT(small.err, ::testing::EndsWith(" of memory: got 200 bytes. Parts of 2 elements along axis 0 still need 992 bytes. "
                                             + device_name() + " has no more.\n"));
}

TEST_F(DevicesMap, bundles_bring_kernels_to_where_none_can_be_made) {
  export_rows();
  export_rows("own.npj", {device_kind()});
  for (int i = 0; i < 3; ++i) save(name_of("in/f", i), noise(600, i).reshape(20 + 10 * i, -1));
  ASSERT_EQ(run({"own.npj", "in/*.npy", "-o", "cpu", "--device", "cpu"}).err, "");
  // numjit without its code generator, and nothing in the cache.
  const fs::path built = fs::path(program()).parent_path().parent_path();
  for (const char* file : {"bin/numjit", "lib/libnumjit.so.0"}) {
    fs::create_directories(fs::path(in(std::string("alone/") + file)).parent_path());
    fs::copy_file(built / file, in(std::string("alone/") + file));
  }
  const auto run_alone = [&](const char* bundle) {
    const Output output = finish(start_program(
        {in("alone/bin/numjit"), "map", bundle, "in/*.npy", "-o", "out", "--device", device_kind(), "--report", "report.json"},
        {"NUMJIT_CACHE_DIR=" + in("alone/cache")}));
    EXPECT_EQ(output.status, 0) << output.err;
    for (const std::string& name : files_in("cpu")) {
      if (name.ends_with(".npy")) {
        EXPECT_TRUE(same_bits(load("cpu/" + name), load("out/" + name))) << name;
      }
    }
    return report()["host_work"];
  };
  EXPECT_EQ(run_alone("own.npj"), nlohmann::json::array());
  EXPECT_NE(run_alone("rows.npj"), nlohmann::json::array());
}

TEST_F(DevicesMap, what_the_host_does_is_told) {
  np::array x = np::arange(6);
  np::mark_dynamic(x, 0);
  const auto edges_and_product = [](const np::array& a) {
    const np::array row = (a % 8).astype(np::float16).reshape({1, -1});
    return np::histogram_bin_edges(a, {.bins = 4}) + np::sum(np::matmul(row, row.T()));
  };
  np::export_function(edges_and_product, {x}, in("common.npj"), {.targets = {}});
  for (int i = 0; i < 3; ++i) save(name_of("in/f", i), np::arange(100 + i));
  const std::vector<std::string> call{"common.npj", "in/*.npy",    "-o",       "out",
                                      "--device",   device_kind(), "--report", "report.json"};
  const Output output = run(call);
  ASSERT_EQ(output.status, 0) << output.err;
  // 101 elements on average, twice, and their product; two ends and five edges.
  EXPECT_THAT(output.out, HasSubstr("\non the host: matmul, histogram_edges (1.35 KiB moved)\n"));
  nlohmann::json expected;
  for (const auto& [op, bytes] : {std::pair{"matmul", 101 * 4 + 2}, {"histogram_edges", 7 * 8}})
    expected.push_back({{"device", device_name()}, {"op", op}, {"count", 3}, {"bytes", 3 * bytes}});
  EXPECT_EQ(report()["host_work"], expected);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(same_bits(load(name_of("out/f", i)), edges_and_product(np::arange(100 + i))));
  if (!has_mpirun()) return;
  // Of all ranks together.
  const Output ranks = finish(start_ranks(2, call));
  ASSERT_EQ(ranks.status, 0) << ranks.err;
  EXPECT_EQ(report()["host_work"], expected);
}

TEST_F(DevicesMap, a_source) {
  std::ofstream(in("norms.cpp"))
      << "#include <numjit/map.h>\nnamespace np = numjit;\n"
         "np::array norms(const np::array& x) { return np::sqrt(np::sum(x * x, {.axis = 1})) + np::arange(10.0); }\n"
         "NUMJIT_MAP(norms)\n";
  for (int i = 0; i < 2; ++i) save(name_of("in/f", i), noise(200, i).reshape(10, 20));
  ASSERT_EQ(run({"norms.cpp", "in/*.npy", "-o", "cpu"}).err, "");
  ASSERT_EQ(run({"norms.cpp", "in/*.npy", "-o", "out", "--device", device_kind()}).err, "");
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(same_bits(load(name_of("cpu/f", i)), load(name_of("out/f", i))));
}

TEST_F(DevicesMap, ranks_take_devices_in_turn) {
  if (!has_mpirun()) GTEST_SKIP() << "mpirun is not installed";
  if (device_kind() != "opencl") GTEST_SKIP() << "the processor is made several devices";
  export_next();
  save_inputs(40, 1000);
  // pocl makes as many devices of the processor as it is told to.
  const pid_t child =
      start_ranks(3, {"next.npj", "in/*.npy", "-o", "out", "--jobs", "1", "--device", "opencl", "--report", "report.json"},
                  {"POCL_DEVICES=pthread pthread"});
  const Output output = finish(child);
  EXPECT_EQ(output.status, 0) << output.err;
  expect_outputs("out", 40, 1000);
  EXPECT_EQ(report()["devices"], (nlohmann::json{"opencl:0", "opencl:1", "opencl:0"}));
}

TEST_F(DevicesMap, ranks_are_killed_at_random_moments) {
  if (!has_mpirun()) GTEST_SKIP() << "mpirun is not installed";
  kill_ranks_at_random(kills(1), {"--device", device_kind()});
}

TEST_F(MapCommand, devices_that_are_not_there) {
  export_next();
  save_inputs(1);
  auto refused = [&](const std::string& device, const std::string& line) {
    const Output output =
        run({"next.npj", "in/*.npy", "-o", "out", "--device", device}, {"NUMJIT_CUDA_DRIVER=libcuda_absent.so"});
    EXPECT_EQ(output.status, 2);
    EXPECT_EQ(output.err, "numjit: [map] --device: " + line + "\n");
    EXPECT_FALSE(fs::exists(in("out")));
  };
  refused("tpu", "got 'tpu', expected 'cpu', 'cuda', 'opencl', or one of these with a number, as 'cuda:0'.");
  for (const char* name : {"cuda", "cuda:1"})
    refused(name, "'" + std::string(name) +
                      "' can't be used: there is no CUDA driver (libcuda_absent.so can't be opened). Expected "
                      "'cpu' or a device of this machine: np::list_devices() has them.");
}
