// The numjit program: runs bundles, looks after the kernel cache, says what works on this machine.
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <numjit/base/config.h>
#include <numjit/cli/commands.h>
#include <numjit/map/map.h>

namespace {

/// The program's commands, and where their options are kept until one of them runs.
class Program {
 public:
  Program() {
    app_.require_subcommand(1);
    add_cache();
    add_bundles();
    add_map();
    add_packs();
    add_serve();
    app_.add_subcommand("doctor", "What works on this machine, and what to do about the rest")->callback([this] {
      status_ = numjit::cli::doctor();
    });
    add_repro();
    add_report();
  }

  int run(int argc, char** argv) {
    try {
      app_.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
      return app_.exit(e) == 0 ? 0 : 2;
    } catch (const std::exception& e) {
      std::fprintf(stderr, "numjit: %s\n", e.what());
      return 2;
    }
    return status_;
  }

 private:
  void add_cache() {
    CLI::App* cache = app_.add_subcommand("cache", "The folder of compiled kernels");
    cache->require_subcommand(1);
    cache->add_option("--dir", folder_, "folder to look at (default: NUMJIT_CACHE_DIR or ~/.cache/numjit)");
    CLI::App* list = cache->add_subcommand("list", "One line per kernel, last used first");
    list->add_flag("-v,--verbose", verbose_, "print what each kernel computes");
    list->callback([this] { status_ = numjit::cli::cache_list(folder_, verbose_); });
    cache->add_subcommand("stats", "Number and size of entries")->callback([this] {
      status_ = numjit::cli::cache_stats(folder_);
    });
    cache->add_subcommand("verify", "Check every entry; exit status 1 if one is damaged")->callback([this] {
      status_ = numjit::cli::cache_verify(folder_);
    });
    CLI::App* prune = cache->add_subcommand("prune", "Remove the longest unused entries");
    prune->add_option("--to", limit_, "bytes to keep, such as 100MiB (default: config.cache_limit_bytes)");
    prune->callback([this] { status_ = numjit::cli::cache_prune(folder_, limit_); });
    cache->add_subcommand("clear", "Remove every entry, quarantined ones too")->callback([this] {
      status_ = numjit::cli::cache_clear(folder_);
    });
  }

  void add_bundles() {
    CLI::App* run_command = app_.add_subcommand("run", "Calls the function of a bundle of np::export_function");
    run_command->add_option("bundle", run_.bundle, "the .npj file")->required();
    run_command->add_option("inputs", run_.inputs, "one .npy file for each array it takes");
    run_command
        ->add_option("-o,--output", run_.outputs,
                     "where results go: once for each, or once with {} for the number (default: printed)")
        ->expected(1)
        ->take_all();
    run_command->add_option("--changed", run_.changed,
                            "where arguments go that the function changes in place, with {} for the number");
    run_command->footer("Exit status: 0 done, 1 the function refuses these inputs, 2 a file can't be used.");
    run_command->callback([this] { status_ = numjit::cli::run_bundle(run_); });
    CLI::App* explain = app_.add_subcommand("explain", "What a bundle takes, computes and reads");
    explain->add_option("bundle", bundle_, "the .npj file")->required();
    explain->callback([this] { status_ = numjit::cli::explain_bundle(bundle_); });
  }

  void add_map() {
    CLI::App* map_command = app_.add_subcommand("map", "Applies a function to many files");
    map_command->add_option("job", map_.job, "a bundle (.npj), or a C++ source with NUMJIT_MAP")->required();
    map_command->add_option("inputs", map_.patterns, "patterns of .npy and .npz files, such as 'in/*.npy'")->required();
    map_command->add_option("-o,--output", map_.folder, "folder for the outputs")->required();
    map_command->add_option("--device", map_.device,
                            "where files are computed: cpu, cuda, opencl, cuda:1, ... (default: config.device)");
    map_command->add_option("--jobs", map_.jobs, "files computed at a time; 1: no overlap (default: all cores)")
        ->check(CLI::Range(1, 1024));
    map_command->add_flag("--progress", map_.progress, "show how far it is: a bar on a terminal, else lines");
    map_command->add_flag("--resume", map_.resume, "leave out what an earlier run finished");
    map_command->add_option("--report", map_.report, "write a .json file with failures, sums and the timeline");
    map_command->add_option("--memory", map_.memory,
                            "bytes that files in flight may take, such as 2GiB; larger ones are done in parts "
                            "(default: config.memory_limit)");
    map_command->add_option("--shard", map_.shard, "i/n: the i-th of n runs that share the files");
    map_command->add_option("--members", map_.members, "arrays of .npz inputs, in the order of the arguments: a,b");
    map_command->add_flag("--npz", map_.npz, "one .npz file for all results");
    map_command->add_flag("--changed", map_.changed, "write the arguments that the function changes too");
    map_command->add_flag("--sync", map_.sync, "sync each output to the disk before it counts as finished");
    map_command->footer("Exit status: 0 done, 1 files failed, 2 it can't begin, 130 stopped by a signal.");
    map_command->callback([this] { status_ = numjit::map::run_map(map_); });
  }

  void add_packs() {
    CLI::App* pack = app_.add_subcommand("pack", "Kernels compiled ahead for pages");
    pack->require_subcommand(1);
    CLI::App* build = pack->add_subcommand("build", "Compiles recorded graphs into a pack");
    build->add_option("graphs", graphs_, "graph files, of NUMJIT_RECORD or np.recording(), and packs")->required();
    build->add_option("-o,--output", pack_file_, "the pack, a .wasm file")->required();
    build->add_option("--target", target_, "the build of numjit that loads it: simd or scalar")->capture_default_str();
    build->footer("Exit status: 0 done, 1 some graphs have no kernel, 2 a file can't be used.");
    build->callback([this] { status_ = numjit::cli::pack_build(graphs_, pack_file_, target_); });
    CLI::App* listing = pack->add_subcommand("list", "What a pack holds");
    listing->add_option("pack", pack_file_, "the .wasm file")->required();
    listing->callback([this] { status_ = numjit::cli::pack_list(pack_file_); });
  }

  void add_serve() {
    CLI::App* serve_command = app_.add_subcommand("serve", "Serves a page while you write it, and compiles its graphs");
    serve_command->add_option("folder", serve_.folder, "what is served")->capture_default_str();
    serve_command->add_option("--port", serve_.port, "0: any that is free")->check(CLI::Range(0, 65535))->capture_default_str();
    serve_command->add_option("--pack", serve_.pack, "where kernels are kept (default: kernels.TARGET.wasm in the folder)");
    serve_command->add_option("--target", serve_.target, "the build of numjit that pages load: simd or scalar")
        ->capture_default_str();
    serve_command->footer("Only this machine is listened to.");
    serve_command->callback([this] { status_ = numjit::cli::serve(serve_); });
  }

  void add_repro() {
    CLI::App* repro = app_.add_subcommand("repro", "Run a segment that failed again; exit status 1 if the fault shows");
    repro->add_option("FILE", repro_file_, "the .npj file that the failure named")->required();
    repro->add_option("--layer", layer_, "run up to eager, graph or halide (default: the layer at fault)");
    repro->add_flag("--minify", minify_, "write a smaller repro that still shows the fault");
    repro->add_option("-o,--output", output_, "where to write it (default: FILE with -min)");
    repro->callback([this] { status_ = numjit::cli::repro(repro_file_, layer_, minify_, output_); });
  }

  void add_report() {
    CLI::App* report = app_.add_subcommand("report", "Runs a program, which leaves a page of what its compiled functions did");
    report->add_option("-o,--output", report_folder_, "the folder of the pages, one for each thread")->capture_default_str();
    report->prefix_command();
    report->footer(
        "The program and its arguments stand behind these options. Exit status: that of the program, 2 if it can't be run.");
    report->callback([this, report] { numjit::cli::report(report_folder_, report->remaining()); });
  }

  CLI::App app_{"numjit: NumPy for C++ with a compiler behind it", "numjit"};
  int status_ = 0;
  std::string folder_, limit_;
  bool verbose_ = false;
  numjit::cli::run_options run_;
  std::string bundle_;
  numjit::map::map_options map_;
  std::vector<std::string> graphs_;
  std::string pack_file_, target_ = "simd";
  numjit::cli::serve_options serve_;
  std::string repro_file_, layer_, output_;
  bool minify_ = false;
  std::string report_folder_ = "numjit-report";
};

}  // namespace

int main(int argc, char** argv) { return Program().run(argc, argv); }
