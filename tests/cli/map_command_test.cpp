// numjit map, by what it prints, writes and returns.
#include <map>
#include <tuple>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <pty.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cli/map_command.h>

namespace np = numjit;
namespace fs = std::filesystem;
using namespace numjit::testing;
using ::testing::HasSubstr;

TEST_F(MapCommand, all_files_of_a_pattern) {
  export_next();
  save_inputs(12);
  for (const char* jobs : {"1", "2", "5"}) {
    const std::string where = std::string("out") + jobs;
    const Output output = run({"next.npj", "in/*.npy", "-o", where, "--jobs", jobs});
    EXPECT_EQ(output.status, 0) << output.err;
    EXPECT_EQ(output.err, "");
    EXPECT_THAT(output.out, StartsWith("12 files in "));
    EXPECT_THAT(output.out, HasSubstr(" s: 12 done, 0 finished before, 0 failed\nread  "));
    expect_outputs(where, 12);
  }
  // A folder stands for all arrays in it, and the shell may have found the files.
  EXPECT_EQ(run({"next.npj", "in", "-o", "deep/er"}).status, 0);
  expect_outputs("deep/er", 12);
  EXPECT_EQ(run({"next.npj", "in/f003.npy", "in/f00[24].npy", "in/f003.npy", "-o", "some"}).status, 0);
  EXPECT_EQ(files_in("some"), (std::set<std::string>{".numjit_map.jsonl", "f002.npy", "f003.npy", "f004.npy"}));
}

TEST_F(MapCommand, what_keeps_it_from_beginning) {
  export_next();
  save_inputs(2);
  save("other.npy", ramp(3));
  std::ofstream(in("in/notes.txt")) << "text";
  expect_refused({"next.npj", "none/*.npy", "-o", "out"},
                 "no file matches: got 'none/*.npy', expected at least one .npy or .npz file. Put patterns into quotes, as in "
                 "'in/*.npy'.");
  expect_refused({"next.npj", "in/*", "-o", "out"},
                 "what an input may be: got 'in/notes.txt', expected .npy and .npz files. Give a pattern such as 'in/*.npy'.");
  expect_refused({"next.exe", "in/*.npy", "-o", "out"},
                 "what is mapped: got 'next.exe', expected a bundle (.npj) or a C++ source (.cpp, .cc, .cxx).");
  expect_refused({"next.npj", "in/*.npy", "-o", "other.npy"},
                 "the output folder can't be made: 'other.npy': Not a directory.");
  expect_refused({"next.npj", "in/*.npy", "-o", "other.npy/out"},
                 "the output folder can't be made: 'other.npy/out': Not a directory.");
  expect_refused({"next.npj", "in/*.npy", "-o", "in"},
                 "an output would replace its input: got 'in/f000.npy' for both. Choose another folder with -o.");
  fs::create_directory(in("more"));
  fs::copy(in("in/f001.npy"), in("more/f001.npy"));
  expect_refused(
      {"next.npj", "in/*.npy", "more/*.npy", "-o", "out"},
      "two inputs have one output: got 'in/f001.npy' and 'more/f001.npy', both for 'out/f001.npy'. Rename one of them, "
      "or map them into different folders.");
  expect_refused({"next.npj", "in/*.npy", "-o", "out", "--memory", "lots"},
                 "--memory: got 'lots', expected a number of bytes such as 1073741824, 512MiB or 2GiB.");
  for (const char* shard : {"0/3", "4/3", "1", "1/x", "a/2"})
    expect_refused({"next.npj", "in/*.npy", "-o", "out", "--shard", shard},
                   std::string("--shard: got '") + shard + "', expected i/n with i from 1 to n, such as 2/8.");
  expect_refused({"next.npj", "in/*.npy", "-o", "out", "--report", "nowhere/r.json"},
                 "[Errno 2] No such file or directory: 'nowhere/r.json'");
  expect_refused({"next.npj", "in/*.npy", "-o", "out", "--report", "in"}, "[Errno 21] Is a directory: 'in'");
  EXPECT_EQ(run({"none.npj", "in/*.npy", "-o", "out"}).err, "numjit: [load_function] none.npj: No such file or directory\n");
  EXPECT_EQ(run({"next.npj", "in/*.npy"}).status, 2);
  EXPECT_EQ(run({"next.npj", "in/*.npy", "-o", "out", "--jobs", "0"}).status, 2);
  EXPECT_FALSE(fs::exists(in("out")));
  EXPECT_EQ(run({"--help"}).status, 0);
}

TEST_F(MapCommand, a_folder_in_use_or_without_rights) {
  export_next();
  save_inputs(2);
  EXPECT_EQ(run({"next.npj", "in/*.npy", "-o", "out"}).status, 0);
  const int journal = open(in("out/.numjit_map.jsonl").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(flock(journal, LOCK_EX | LOCK_NB), 0);
  expect_refused({"next.npj", "in/*.npy", "-o", "out"},
                 "another numjit map writes into 'out' now: got its journal out/.numjit_map.jsonl locked. Wait for it, or split "
                 "the work with --shard.");
  EXPECT_EQ(run({"next.npj", "in/*.npy", "-o", "out", "--shard", "1/1"}).status, 2);
  EXPECT_EQ(run({"next.npj", "in/*.npy", "-o", "out", "--shard", "1/2"}).status, 0) << "a shard has a journal of its own";
  close(journal);
  if (geteuid() == 0) return;  // root may do anything
  fs::create_directory(in("shut"));
  chmod(in("shut").c_str(), 0500);
  expect_refused({"next.npj", "in/*.npy", "-o", "shut"}, "the output folder can't be written: 'shut': Permission denied.");
}

TEST_F(MapCommand, broken_inputs_are_reported_and_the_rest_goes_on) {
  export_next();
  save_inputs(5);
  std::ofstream(in("in/a_text.npy")) << "no array";
  std::ofstream(in("in/b_empty.npy")) << "";
  save("in/c_short.npy", ramp(50));
  fs::resize_file(in("in/c_short.npy"), 300);
  save("in/d_narrow.npy", ramp(9).astype(np::float32));
  save("in/e_flat.npy", ramp(9).reshape(3, 3));
  fs::create_symlink("nowhere", in("in/g_gone.npy"));
  ASSERT_EQ(mkfifo(in("in/h_pipe.npy").c_str(), 0600), 0);  // nobody writes to it
  for (const char* jobs : {"1", "2"}) {
    const std::string where = std::string("out") + jobs;
    const Output output = run({"next.npj", "in/*.npy", "-o", where, "--jobs", jobs, "--report", "report.json"});
    EXPECT_EQ(output.status, 1);
    EXPECT_THAT(output.out, HasSubstr("12 files in "));
    EXPECT_THAT(output.out, HasSubstr("5 done, 0 finished before, 7 failed"));
    const auto report = nlohmann::json::parse(text_of(in("report.json")));
    std::map<std::string, std::string> errors;
    for (const auto& failure : report["failures"]) errors[failure["inputs"][0]] = failure["error"];
    const std::string fits = "[next] no exported example fits: argument 0 has ",
                      hint = " Export it with such an example, or mark the axes that change with np::mark_dynamic.";
    EXPECT_EQ(errors,
              (std::map<std::string, std::string>{
                  {"in/a_text.npy",
                   "[load] the magic string is not correct: got a file that does not begin with "
                   "\\x93NUMPY, expected a .npy file: in/a_text.npy"},
                  {"in/b_empty.npy", "[load] No data left in file: in/b_empty.npy"},
                  {"in/c_short.npy", "[load] the file is truncated: got 172 bytes of data, expected 400 in in/c_short.npy."},
                  {"in/d_narrow.npy", fits + "dtype float32, expected float64." + hint},
                  {"in/e_flat.npy", fits + "shape (3, 3), expected (any,)." + hint},
                  {"in/g_gone.npy", "[load] [Errno 2] No such file or directory: 'in/g_gone.npy'"},
                  {"in/h_pipe.npy", "[load] no file on a disk: got 'in/h_pipe.npy', a pipe or a device."}}));
    for (const auto& [input, error] : errors) EXPECT_THAT(output.err, HasSubstr("numjit: " + input + ": " + error + "\n"));
    EXPECT_EQ(report["exit_status"], 1);
    EXPECT_EQ(report["files"],
              (nlohmann::json{{"total", 12}, {"done", 5}, {"finished_before", 0}, {"failed", 7}, {"not_begun", 0}}));
    expect_outputs(where, 5);
  }
}

TEST_F(MapCommand, a_full_disk_stops_the_run) {
  export_next();
  save_inputs(9);
  for (const char* jobs : {"1", "3"}) {
    const std::string where = std::string("out") + jobs;
    const Output output = run({"next.npj", "in/*.npy", "-o", where, "--jobs", jobs, "--report", "report.json"},
                              {"NUMJIT_FAULT=disk_full@f004"});
    EXPECT_EQ(output.status, 1);
    EXPECT_EQ(output.err, "numjit: in/f004.npy: [map] [Errno 28] No space left on device: '" + where +
                              "/f004.npy'\nnumjit: stopped: [map] [Errno 28] No space left on device: '" + where +
                              "/f004.npy'. Free space and run again with --resume.\n");
    EXPECT_EQ(nlohmann::json::parse(text_of(in("report.json")))["files"]["failed"], 1);
    EXPECT_FALSE(fs::exists(in(where + "/f004.npy")));
    for (const std::string& name : files_in(where)) EXPECT_THAT(name, Not(HasSubstr(".tmp.")));
    EXPECT_EQ(run({"next.npj", "in/*.npy", "-o", where, "--resume"}).status, 0);
    expect_outputs(where, 9);
  }
}

TEST_F(MapCommand, several_inputs_and_results) {
  np::array x = ramp(4), y = ramp(4);
  np::mark_dynamic(x, 0);
  np::mark_dynamic(y, 0);
  np::export_function([](const np::array& a, const np::array& b) { return std::tuple(a * b, np::sum(a - b)); }, std::tuple(x, y),
                      in("two.npj"), {.targets = {}});
  for (int i = 0; i < 3; ++i) {
    save("in/u_" + std::to_string(i) + ".npy", noise(20, i));
    save("in/v_" + std::to_string(i) + ".npy", noise(20, 10 + i));
    np::savez(in("in/w_" + std::to_string(i) + ".npz"), {{"arr_1", noise(20, 10 + i)}, {"arr_0", noise(20, i)}, {"more", x}});
  }
  auto expect_results = [&](const std::string& begin, int i) {
    EXPECT_TRUE(same_bits(load(begin + "_0.npy"), noise(20, i) * noise(20, 10 + i)));
    EXPECT_TRUE(same_bits(load(begin + "_1.npy"), np::sum(noise(20, i) - noise(20, 10 + i))));
  };
  EXPECT_EQ(run({"two.npj", "in/u_*.npy", "in/v_*.npy", "-o", "out"}).err, "");
  for (int i = 0; i < 3; ++i) expect_results("out/" + std::to_string(i), i);
  EXPECT_EQ(run({"two.npj", "in/u_*.npy", "in/v_1.npy", "-o", "one"}).err, "");
  expect_results("one/1", 1);
  EXPECT_TRUE(same_bits(load("one/0_0.npy"), noise(20, 0) * noise(20, 11))) << "a single file belongs to all";
  EXPECT_EQ(run({"two.npj", "in/w_*.npz", "-o", "npz", "--npz", "--members", "arr_0,arr_1"}).err, "");
  const np::npz_file packed(in("npz/w_2.npz"));
  EXPECT_EQ(packed.files(), (std::vector<std::string>{"arr_0", "arr_1"}));
  EXPECT_TRUE(same_bits(packed["arr_0"], noise(20, 2) * noise(20, 12)));
  expect_failed({"two.npj", "in/w_0.npz", "-o", "npz"},
                "numjit: in/w_0.npz: [map] number of arrays in 'in/w_0.npz': got 3, expected 2. Name those to take with "
                "--members a,b.\n");
  fs::remove(in("in/v_1.npy"));
  expect_refused({"two.npj", "in/u_*.npy", "in/v_*.npy", "-o", "out"},
                 "'in/u_1.npy' has no partner: got no file of 'in/v_*.npy' with '1' for the wildcard, expected one.");
  expect_refused({"two.npj", "in/u_*.npy", "-o", "out"},
                 "number of patterns: got 1, expected 2, one for each array that the function takes, or patterns of .npz files "
                 "that hold them.");
  expect_refused({"two.npj", "in/u_0.npy", "in/u_1.npy", "in/u_2.npy", "-o", "out"},
                 "number of patterns: got 3, expected 2, one for each array that the function takes, or patterns of .npz files "
                 "that hold them. Put patterns into quotes, so that the shell leaves them alone.");
}

TEST_F(MapCommand, functions_that_change_their_arguments) {
  np::export_function([](np::array a) { a(0) = 7.0; }, {ramp(4)}, in("set.npj"), {.targets = {}});
  save("in/x.npy", ramp(4));
  expect_refused({"set.npj", "in/*.npy", "-o", "out"},
                 "the function returns nothing and changes its argument 0: write that with --changed.");
  EXPECT_EQ(run({"set.npj", "in/*.npy", "-o", "out", "--changed"}).status, 0);
  EXPECT_TRUE(same_bits(load("out/x_arg0.npy"), np::array{7.0, 1.0, 2.0, 3.0}));
  EXPECT_TRUE(same_bits(load("in/x.npy"), ramp(4)));
}

TEST_F(MapCommand, resume_does_what_is_new_or_has_changed) {
  export_next();
  save_inputs(6);
  EXPECT_EQ(run({"next.npj", "in/*.npy", "-o", "out", "--shard", "2/2"}).status, 0);
  EXPECT_EQ(files_in("out").size(), 4u);
  auto resume = [&](const std::string& expected) {
    const Output output = run({"next.npj", "in/*.npy", "-o", "out", "--resume"});
    EXPECT_EQ(output.status, 0) << output.err;
    EXPECT_THAT(output.out, HasSubstr(expected));
    expect_outputs("out", 6);
  };
  resume("3 done, 3 finished before, 0 failed");
  resume("0 done, 6 finished before, 0 failed");
  fs::remove(in("out/f002.npy"));
  fs::resize_file(in("out/f003.npy"), 100);
  fs::last_write_time(in("in/f004.npy"), fs::file_time_type::clock::now() + std::chrono::seconds(5));
  resume("3 done, 3 finished before, 0 failed");
  // A line that was cut short does not count, and does not spoil the next one.
  const std::string journal = text_of(in("out/.numjit_map.jsonl"));
  std::ofstream(in("out/.numjit_map.jsonl"), std::ios::binary) << journal.substr(0, journal.size() - 20);
  resume("1 done, 5 finished before, 0 failed");
  resume("0 done, 6 finished before, 0 failed");
  // Another function.
  np::array x = ramp(5);
  np::mark_dynamic(x, 0);
  np::export_function([](const np::array& a) { return 1.0 + a; }, {x}, in("next.npj"), {.targets = {}});
  resume("6 done, 0 finished before, 0 failed");
  EXPECT_THAT(run({"next.npj", "in/*.npy", "-o", "out"}).out, HasSubstr("6 done, 0 finished before, 0 failed"));
}

TEST_F(MapCommand, shards_share_the_files) {
  export_next();
  save_inputs(7);
  for (const char* shard : {"1/3", "3/3", "2/3"})
    EXPECT_EQ(run({"next.npj", "in/*.npy", "-o", "out", "--shard", shard}).status, 0);
  expect_outputs("out", 7);
}

TEST_F(MapCommand, files_larger_than_the_memory_come_in_parts) {
  np::array x = ramp(40).reshape(10, 4);
  np::mark_dynamic(x, 0);
  np::mark_dynamic(x, 1);
  auto rows = [](const np::array& a) {
    return std::tuple(a - np::mean(a, {.axis = 1, .keepdims = true}), np::max(a, {.axis = 1}));
  };
  auto columns = [](const np::array& a) { return np::cumsum(a, {.axis = 0}); };
  auto total = [](const np::array& a) { return np::sum(a); };
  np::export_function(rows, {x}, in("rows.npj"), {.targets = {}});
  np::export_function(columns, {x}, in("columns.npj"), {.targets = {}});
  np::export_function(total, {x}, in("total.npj"), {.targets = {}});
  const np::array large = noise(40000 * 30, 1).reshape(40000, 30);
  save("in/c.npy", large);
  save("in/f.npy", np::transpose(np::transpose(large).copy()));  // columns one after another
  for (const char* jobs : {"1", "2"}) {
    ASSERT_EQ(run({"rows.npj", "in/*.npy", "-o", "out", "--memory", "2MiB", "--jobs", jobs, "--report", "report.json"}).err, "");
    for (const char* name : {"out/c", "out/f"}) {
      EXPECT_TRUE(same_bits(load(name + std::string("_0.npy")), std::get<0>(rows(large))));
      EXPECT_TRUE(same_bits(load(name + std::string("_1.npy")), std::get<1>(rows(large))));
    }
    const auto report = nlohmann::json::parse(text_of(in("report.json")));
    EXPECT_GT(report["stages"]["compute"]["count"], 8);
    EXPECT_LT(report["peak_array_bytes"], 4 << 20);  // threads count small blocks late
    ASSERT_EQ(run({"columns.npj", "in/*.npy", "-o", "out", "--memory", "6MiB", "--jobs", jobs}).err, "");
    EXPECT_TRUE(same_bits(load("out/c.npy"), columns(large)));
    EXPECT_TRUE(same_bits(load("out/f.npy"), columns(large)));
    EXPECT_THAT(run({"columns.npj", "in/*.npy", "-o", "out", "--memory", "6MiB", "--resume"}).out,
                HasSubstr("0 done, 2 finished before"));
  }
  const std::string needs = "numjit: in/c.npy: [map] 'in/c.npy' needs ";
  const Output reduces = run({"total.npj", "in/c.npy", "-o", "out", "--memory", "1MiB"});
  EXPECT_EQ(reduces.status, 1);
  EXPECT_THAT(reduces.err,
              StartsWith(needs + "9.16 MiB of memory: got 1.00 MiB. It can't be done in parts: along axis 0 of argument "
                                 "0, sum at "));
  EXPECT_THAT(reduces.err, ::testing::EndsWith(" reduces over the axis. Raise --memory.\n"));
  const Output small = run({"rows.npj", "in/c.npy", "-o", "out", "--memory", "200", "--jobs", "1"});
  EXPECT_EQ(small.status, 1);
  EXPECT_THAT(small.err, StartsWith(needs + "18."));
  // An array of two numbers takes some bytes more or less with another compiler.
  EXPECT_THAT(small.err,
              ::testing::ContainsRegex(" MiB of memory: got 200 bytes\\. Parts of 2 elements along axis 0 still need 9[0-9][0-9] "
                                       "bytes\\. Raise --memory\\.\n$"));
  np::savez(in("in/z.npz"), {{"a", large}});
  expect_failed(
      {"rows.npj", "in/z.npz", "-o", "out", "--memory", "1MiB"},
      "numjit: in/z.npz: [map] 'in/z.npz' needs 18.3 MiB of memory: got 1.00 MiB. A .npz file is not read in parts: .npy "
      "files are. Raise --memory.\n");
  EXPECT_EQ(run({"rows.npj", "in/c.npy", "-o", "out", "--memory", "2MiB"}, {"NUMJIT_FAULT=disk_full"}).status, 1);
  for (const std::string& name : files_in("out")) EXPECT_THAT(name, Not(HasSubstr(".tmp.")));
}

TEST_F(MapCommand, the_report_has_a_timeline) {
  export_next();
  save_inputs(20, 20000);
  EXPECT_EQ(run({"next.npj", "in/*.npy", "-o", "out", "--jobs", "2", "--report", "report.json"}).status, 0);
  const auto report = nlohmann::json::parse(text_of(in("report.json")));
  EXPECT_EQ(report["job"], "next.npj");
  EXPECT_EQ(report["jobs"], 2);
  EXPECT_EQ(report["devices"], nlohmann::json::array({"cpu"}));
  double shares = 0;
  for (const auto& [name, stage] : report["stages"].items()) {
    EXPECT_EQ(stage["count"], 20) << name;
    EXPECT_GE(stage["bytes"], 20 * 160000) << name;
    shares += stage["share"].get<double>();
  }
  EXPECT_NEAR(shares, 1.0, 1e-3);
  EXPECT_GT(report["overlap"]["efficiency"], 0.0);
  EXPECT_LE(report["overlap"]["efficiency"], 1.0);
  // On each lane one thing at a time; each file is read, computed and written in this order.
  std::map<int, double> lane_end;
  std::map<std::string, double> file_end;
  std::map<std::string, int> bars;
  auto events = report["traceEvents"].get<std::vector<nlohmann::json>>();
  std::erase_if(events, [](const auto& e) { return e["ph"] != "X"; });
  std::sort(events.begin(), events.end(), [](const auto& a, const auto& b) { return a["ts"] < b["ts"]; });
  for (const auto& e : events) {
    const double begin = e["ts"], end = begin + e["dur"].get<double>();
    EXPECT_GE(begin + 0.3, lane_end[e["tid"]]);
    EXPECT_GE(begin + 0.3, file_end[e["name"]]);
    lane_end[e["tid"]] = end;
    file_end[e["name"]] = end;
    ++bars[e["cat"]];
  }
  EXPECT_EQ(bars, (std::map<std::string, int>{{"read", 20}, {"compute", 20}, {"write", 20}}));
}

TEST_F(MapCommand, progress_in_a_log_is_lines) {
  export_next();
  save_inputs(3);
  const Output output = run({"next.npj", "in/*.npy", "-o", "out", "--progress"});
  EXPECT_THAT(output.err, testing::MatchesRegex("(numjit map: [0-3] of 3 files .[0-9]+%. in [0-9.]+ s, 0 failed\n)*"
                                                "numjit map: 3 of 3 files .100%. in [0-9.]+ s, 0 failed\n"));
}

TEST_F(MapCommand, progress_on_a_terminal_is_a_bar) {
  export_next();
  save_inputs(12);
  std::fflush(nullptr);
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child == 0) {
    if (chdir(folder.c_str()) == 0)
      execl(NUMJIT_TEST_BUILD_DIR "/bin/numjit", "numjit", "map", "next.npj", "in/*.npy", "-o", "out", "--progress", nullptr);
    _exit(98);
  }
  std::string shown;
  char part[4096];
  for (ssize_t n; (n = read(terminal, part, sizeof part)) > 0;) shown.append(part, static_cast<std::size_t>(n));
  close(terminal);
  EXPECT_EQ(finish(child).status, 0);
  EXPECT_THAT(shown, HasSubstr("\r[########################################] 12/12 "));
  EXPECT_THAT(shown, HasSubstr("12 files in "));
}

TEST_F(MapCommand, sources_that_are_no_use) {
  save_inputs(1);
  std::ofstream(in("none.cpp")) << "int nothing;\n";
  std::ofstream(in("bad.cpp")) << "int nothing\n";
  expect_refused({"none.cpp", "in/*.npy", "-o", "out"},
                 "'none.cpp' names no function: expected #include <numjit/map.h>, and a line NUMJIT_MAP(function) outside of "
                 "namespaces.");
  const Output bad = run({"bad.cpp", "in/*.npy", "-o", "out"});
  EXPECT_EQ(bad.status, 2);
  EXPECT_THAT(bad.err, StartsWith("numjit: [map] 'bad.cpp' does not compile:\n" + fs::canonical(in("bad.cpp")).string() + ":1:"));
  const Output missing = run({"gone.cpp", "in/*.npy", "-o", "out"});
  EXPECT_THAT(missing.err, HasSubstr("[map] [Errno 2] No such file or directory: '"));
  EXPECT_EQ(
      run({"bad.cpp", "in/*.npy", "-o", "out"}, {"PATH=", "CXX="}).err,
      "numjit: [map] 'bad.cpp' needs a C++ compiler: got none of g++, c++ and clang++ in PATH. Install one, set CXX, or export "
      "the function to a bundle (.npj) where there is one.\n");
  EXPECT_EQ(
      run({"bad.cpp", "in/*.npy", "-o", "out"}, {"CXX=nowhere"}).err,
      "numjit: [map] 'bad.cpp' needs a C++ compiler: got CXX=nowhere, which is not there. Unset it, or name another one.\n");
}

TEST_F(MapCommand, a_source_may_throw_anything) {
  std::ofstream(in("throws.cpp"))
      << "#include <numjit/map.h>\nnamespace np = numjit;\n"
         "np::array f(const np::array& x) { if (x.size() == 4) throw 5; return x + 1.0; }\nNUMJIT_MAP(f)\n";
  save("in/a.npy", ramp(4));
  save("in/b.npy", ramp(5));
  for (const char* jobs : {"1", "2"}) {
    const Output output = run({"throws.cpp", "in/*.npy", "-o", "out", "--jobs", jobs});
    EXPECT_EQ(output.status, 1);
    EXPECT_EQ(output.err, "numjit: in/a.npy: [map] the function threw what is no std::exception.\n");
    EXPECT_TRUE(same_bits(load("out/b.npy"), ramp(5) + 1.0));
  }
}

TEST_F(MapCommand, a_source_is_compiled_once_and_done_in_parts_too) {
  std::ofstream(in("scale.h")) << "constexpr double scale = 2.0;\n";
  std::ofstream(in("scaled.cpp")) << "#include <numjit/map.h>\n#include \"scale.h\"\n"
                                     "numjit::array scaled(const numjit::array& x) { return x * scale; }\n"
                                     "NUMJIT_MAP(scaled)\nint main() {}\n";
  save("in/x.npy", noise(50000, 1));
  ASSERT_EQ(run({"scaled.cpp", "in/*.npy", "-o", "out"}).err, "");
  EXPECT_TRUE(same_bits(load("out/x.npy"), noise(50000, 1) * 2.0));
  // No compiler is needed now.
  const Output parts =
      run({"scaled.cpp", "in/*.npy", "-o", "parts", "--memory", "200KiB", "--report", "report.json"}, {"CXX=nowhere"});
  EXPECT_EQ(parts.status, 2) << "another compiler might make another function";
  ASSERT_EQ(run({"scaled.cpp", "in/*.npy", "-o", "parts", "--memory", "200KiB", "--report", "report.json"}).status, 0);
  EXPECT_TRUE(same_bits(load("parts/x.npy"), noise(50000, 1) * 2.0));
  EXPECT_GT(nlohmann::json::parse(text_of(in("report.json")))["stages"]["compute"]["count"], 2);
  EXPECT_THAT(run({"scaled.cpp", "in/*.npy", "-o", "out", "--resume"}).out, HasSubstr("0 done, 1 finished before"));
}
