// The programs of docs/programs/ranks: `ranks_programs FOLDER`. Rank 0 writes what each of them gives there.
#include <filesystem>
#include <string>
#include <vector>

#include "../../../docs/programs/ranks/conjugate_gradient.cpp"
#include "../../../docs/programs/ranks/heat.cpp"
#include "../../../docs/programs/ranks/histogram_sort.cpp"
#include "../../../docs/programs/ranks/kmeans.cpp"
#include "../../../docs/programs/ranks/monte_carlo.cpp"
#include "../../../docs/programs/ranks/pagerank.cpp"
#include "../../../docs/programs/ranks/training.cpp"

int main(int, char** argv) {
  const std::filesystem::path folder = argv[1];
  const auto write = [&](const std::string& name, const std::vector<np::array>& results) {
    if (nd::world().rank() != 0) return;
    std::filesystem::create_directories(folder);
    np::named_arrays named;
    for (const np::array& result : results) named.emplace_back("arr_" + std::to_string(named.size()), result);
    np::savez(folder / (name + ".npz"), named);
  };
  write("heat", ranks::heat::run());
  write("conjugate_gradient", ranks::conjugate_gradient::run());
  write("kmeans", ranks::kmeans::run());
  write("training", ranks::training::run());
  write("monte_carlo", ranks::monte_carlo::run());
  write("histogram_sort", ranks::histogram_sort::run());
  write("pagerank", ranks::pagerank::run());
}
