// What `numjit map` was asked to do.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace numjit::map {

struct map_options {
  std::string job;                    // a bundle (.npj), or a C++ source
  std::vector<std::string> patterns;  // of input files
  std::string folder;                 // where outputs go
  std::string device;                 // "": config.device
  int jobs = 0;                       // files computed at a time; 0: as many as there are cores
  bool progress = false;
  bool resume = false;
  bool npz = false;      // one .npz file of all results
  bool changed = false;  // write the arguments that the function changes too
  bool sync = false;     // each output is on the disk before it counts
  std::string report;    // a .json file
  std::string memory;    // such as 2GiB; "": config.memory_limit
  std::string shard;     // "i/n"
  std::string members;   // of .npz inputs, in the order of the arguments: "a,b"
};

}  // namespace numjit::map
