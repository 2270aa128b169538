"""Conway's game of life on a torus."""
import numjit as np


def inputs():
    board = np.zeros((24, 32), dtype=np.uint8)
    board[1:4, 1:4] = np.array([[0, 1, 0], [0, 0, 1], [1, 1, 1]])                     # a glider
    board[12:15, 14:17] = np.array([[0, 1, 1], [1, 1, 0], [0, 1, 0]])                 # the R pentomino
    return board, 30


def run(board, generations):
    population = np.zeros(generations, dtype=np.int64)
    age = np.zeros(board.shape, dtype=np.int64)
    for t in range(generations):
        rows = np.roll(board, 1, axis=0) + board + np.roll(board, -1, axis=0)
        neighbours = np.roll(rows, 1, axis=1) + rows + np.roll(rows, -1, axis=1) - board
        board = ((neighbours == 3) | ((board == 1) & (neighbours == 2))).astype(np.uint8)
        age = (age + 1) * board
        population[t] = np.sum(board)
    return board, age, population
