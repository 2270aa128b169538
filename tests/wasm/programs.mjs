// Functions of arrays that fuse in all the ways there are, for tests that compare how they are computed.

/** The elements' bytes. */
export const bytes = (a) => {
  const copy = a.copy();
  return Buffer.from(copy.data.buffer, copy.data.byteOffset, copy.data.byteLength).toString('hex');
};

export const functions = {
  chain: (np, x, y) => x.multiply(y).add(x).subtract(np.float(2)).maximum(y),
  mathematics: (np, x, y) => np.exp(np.sin(x)).add(np.log(np.absolute(y).add(np.float(1)))).multiply(np.tanh(x)),
  wide_angles: (np, x, y) => np.cos(x.multiply(np.float(1e7))).add(np.tan(y)),
  power: (np, x, y) => np.power(np.absolute(x), y),
  selected: (np, x, y) => np.where(x.greater(y), x, y.negative()),
  integers: (np, x, y) => x.astype('int64').floor_divide(3).add(y.astype('int32').multiply(7)).astype('uint8'),
  complex: (np, x, y) => x.multiply(np.complex(0, 1)).add(y).multiply(x).conjugate(),
  halves: (np, x, y) => x.astype('float16').multiply(y.astype('float16')).add(x.astype('float16')),
  sum: (np, x, y) => x.multiply(y).sum(),
  rows: (np, x, y) => np.exp(x.subtract(y)).sum({ axis: 1 }),
  columns: (np, x, y) => x.subtract(y).multiply(x).mean({ axis: 0 }),
  extremes: (np, x, y) => x.max({ axis: 1 }).subtract(y.min({ axis: 1 })),
  places: (np, x, y) => x.add(y).argmax({ axis: 1 }),
  columns_places: (np, x, y) => x.add(y).argmin({ axis: 0 }),
  softmax: (np, x) => { const e = np.exp(x.subtract(x.max({ axis: 1, keepdims: true }))); return e.divide(e.sum({ axis: 1, keepdims: true })); },
  products: (np, x, y) => x.add(y.multiply(np.complex(0, 1))).prod({ axis: 1 }),
  nearest: (np, x, y) => x.reshape(-1, 1, 1).subtract(y.at(0).reshape(1, -1, 1)).square().sum({ axis: 2 }).argmin({ axis: 1 }),
};

/** Arguments of a size in several memory layouts. */
export function layouts(np, rows, columns, dtype) {
  const count = rows * columns;
  const x = np.linspace(-3, 4, count, { dtype }).reshape(rows, columns);
  const y = np.linspace(2, -5, count, { dtype }).reshape(rows, columns);
  return [[x, y], [x, y.at('::-1')], [np.transpose(np.transpose(x).copy()), y], [x, y.at(np.slice(0, 1))]];
}
