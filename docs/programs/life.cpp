// Conway's game of life on a torus.
#include <numjit/np.h>

namespace np = numjit;

namespace life {

std::pair<np::array, int> inputs() {
  auto board = np::zeros({24, 32}, np::uint8);
  board(np::slice(1, 4), np::slice(1, 4)) = np::array{{0, 1, 0}, {0, 0, 1}, {1, 1, 1}};  // a glider
  board(np::slice(12, 15), np::slice(14, 17)) =
      np::array{{0, 1, 1}, {1, 1, 0}, {0, 1, 0}};  // the R pentomino
  return {board, 30};
}

std::tuple<np::array, np::array, np::array> run(np::array board, int generations) {
  auto population = np::zeros(generations, np::int64);
  auto age = np::zeros(board.shape(), np::int64);
  for (int t = 0; t < generations; ++t) {
    auto rows = np::roll(board, 1, 0) + board + np::roll(board, -1, 0);
    auto neighbours = np::roll(rows, 1, 1) + rows + np::roll(rows, -1, 1) - board;
    board = ((neighbours == 3) | ((board == 1) & (neighbours == 2))).astype(np::uint8);
    age = (age + 1) * board;
    population(t) = np::sum(board);
  }
  return {board, age, population};
}

}  // namespace life
