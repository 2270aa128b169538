// The numjit program: runs bundles, looks after the kernel cache, says what works on this machine.
#include <cstdio>
#include <exception>
#include <string>

#include <CLI/CLI.hpp>

#include <numjit/base/config.h>
#include <numjit/cli/commands.h>
#include <numjit/map/map.h>

int main(int argc, char** argv) {
  CLI::App app("numjit: NumPy for C++ with a compiler behind it", "numjit");
  app.require_subcommand(1);
  int status = 0;

  CLI::App* cache = app.add_subcommand("cache", "The folder of compiled kernels");
  cache->require_subcommand(1);
  std::string folder;
  cache->add_option("--dir", folder,
                    "folder to look at (default: NUMJIT_CACHE_DIR or ~/.cache/numjit)");
  bool verbose = false;
  CLI::App* list = cache->add_subcommand("list", "One line per kernel, last used first");
  list->add_flag("-v,--verbose", verbose, "print what each kernel computes");
  list->callback([&] { status = numjit::cli::cache_list(folder, verbose); });
  cache->add_subcommand("stats", "Number and size of entries")->callback([&] {
    status = numjit::cli::cache_stats(folder);
  });
  cache->add_subcommand("verify", "Check every entry; exit status 1 if one is damaged")
      ->callback([&] { status = numjit::cli::cache_verify(folder); });
  std::string limit;
  CLI::App* prune = cache->add_subcommand("prune", "Remove the longest unused entries");
  prune->add_option("--to", limit,
                    "bytes to keep, such as 100MiB (default: config.cache_limit_bytes)");
  prune->callback([&] { status = numjit::cli::cache_prune(folder, limit); });
  cache->add_subcommand("clear", "Remove every entry, quarantined ones too")->callback([&] {
    status = numjit::cli::cache_clear(folder);
  });

  numjit::cli::run_options run;
  CLI::App* run_command = app.add_subcommand("run", "Calls the function of a bundle of np::export_function");
  run_command->add_option("bundle", run.bundle, "the .npj file")->required();
  run_command->add_option("inputs", run.inputs, "one .npy file for each array it takes");
  run_command->add_option("-o,--output", run.outputs,
                          "where results go: once for each, or once with {} for the number (default: printed)")
      ->expected(1)
      ->take_all();
  run_command->add_option("--changed", run.changed,
                          "where arguments go that the function changes in place, with {} for the number");
  run_command->footer("Exit status: 0 done, 1 the function refuses these inputs, 2 a file can't be used.");
  run_command->callback([&] { status = numjit::cli::run_bundle(run); });
  std::string bundle;
  CLI::App* explain = app.add_subcommand("explain", "What a bundle takes, computes and reads");
  explain->add_option("bundle", bundle, "the .npj file")->required();
  explain->callback([&] { status = numjit::cli::explain_bundle(bundle); });

  numjit::map::map_options map;
  CLI::App* map_command = app.add_subcommand("map", "Applies a function to many files");
  map_command->add_option("job", map.job, "a bundle (.npj), or a C++ source with NUMJIT_MAP")->required();
  map_command->add_option("inputs", map.patterns, "patterns of .npy and .npz files, such as 'in/*.npy'")->required();
  map_command->add_option("-o,--output", map.folder, "folder for the outputs")->required();
  map_command->add_option("--device", map.device, "where files are computed: cpu, cuda, opencl, cuda:1, ... (default: config.device)");
  map_command->add_option("--jobs", map.jobs, "files computed at a time; 1: no overlap (default: all cores)")
      ->check(CLI::Range(1, 1024));
  map_command->add_flag("--progress", map.progress, "show how far it is: a bar on a terminal, else lines");
  map_command->add_flag("--resume", map.resume, "leave out what an earlier run finished");
  map_command->add_option("--report", map.report, "write a .json file with failures, sums and the timeline");
  map_command->add_option("--memory", map.memory,
                          "bytes that files in flight may take, such as 2GiB; larger ones are done in parts "
                          "(default: config.memory_limit)");
  map_command->add_option("--shard", map.shard, "i/n: the i-th of n runs that share the files");
  map_command->add_option("--members", map.members, "arrays of .npz inputs, in the order of the arguments: a,b");
  map_command->add_flag("--npz", map.npz, "one .npz file for all results");
  map_command->add_flag("--changed", map.changed, "write the arguments that the function changes too");
  map_command->add_flag("--sync", map.sync, "sync each output to the disk before it counts as finished");
  map_command->footer("Exit status: 0 done, 1 files failed, 2 it can't begin, 130 stopped by a signal.");
  map_command->callback([&] { status = numjit::map::run_map(map); });

  CLI::App* pack = app.add_subcommand("pack", "Kernels compiled ahead for pages");
  pack->require_subcommand(1);
  std::vector<std::string> graphs;
  std::string pack_file, target = "simd";
  CLI::App* build = pack->add_subcommand("build", "Compiles recorded graphs into a pack");
  build->add_option("graphs", graphs, "graph files, of NUMJIT_RECORD or np.recording(), and packs")->required();
  build->add_option("-o,--output", pack_file, "the pack, a .wasm file")->required();
  build->add_option("--target", target, "the build of numjit that loads it: simd or scalar")->capture_default_str();
  build->footer("Exit status: 0 done, 1 some graphs have no kernel, 2 a file can't be used.");
  build->callback([&] { status = numjit::cli::pack_build(graphs, pack_file, target); });
  CLI::App* listing = pack->add_subcommand("list", "What a pack holds");
  listing->add_option("pack", pack_file, "the .wasm file")->required();
  listing->callback([&] { status = numjit::cli::pack_list(pack_file); });

  numjit::cli::serve_options serve;
  CLI::App* serve_command = app.add_subcommand("serve", "Serves a page while you write it, and compiles its graphs");
  serve_command->add_option("folder", serve.folder, "what is served")->capture_default_str();
  serve_command->add_option("--port", serve.port, "0: any that is free")->check(CLI::Range(0, 65535))->capture_default_str();
  serve_command->add_option("--pack", serve.pack, "where kernels are kept (default: kernels.TARGET.wasm in the folder)");
  serve_command->add_option("--target", serve.target, "the build of numjit that pages load: simd or scalar")->capture_default_str();
  serve_command->footer("Only this machine is listened to.");
  serve_command->callback([&] { status = numjit::cli::serve(serve); });

  app.add_subcommand("doctor", "What works on this machine, and what to do about the rest")
      ->callback([&] { status = numjit::cli::doctor(); });

  CLI::App* repro = app.add_subcommand("repro", "Run a segment that failed again; exit status 1 if the fault shows");
  std::string repro_file, layer, output;
  bool minify = false;
  repro->add_option("FILE", repro_file, "the .npj file that the failure named")->required();
  repro->add_option("--layer", layer, "run up to eager, graph or halide (default: the layer at fault)");
  repro->add_flag("--minify", minify, "write a smaller repro that still shows the fault");
  repro->add_option("-o,--output", output, "where to write it (default: FILE with -min)");
  repro->callback([&] { status = numjit::cli::repro(repro_file, layer, minify, output); });

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "numjit: %s\n", e.what());
    return 2;
  }
  return status;
}
