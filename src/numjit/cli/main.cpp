// The numjit program: looks after the kernel cache and says what works on this machine.
#include <cstdio>
#include <exception>
#include <string>

#include <CLI/CLI.hpp>

#include <numjit/base/config.h>
#include <numjit/cli/commands.h>

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

  app.add_subcommand("doctor", "What works on this machine, and what to do about the rest")
      ->callback([&] { status = numjit::cli::doctor(); });

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "numjit: %s\n", e.what());
    return 2;
  }
  return status;
}
