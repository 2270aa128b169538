// First steps: arrays, views, broadcasting, reductions.
const a = np.arange(12).reshape(3, 4);
show(a);
show(a.at('1:, ::2'));
show(a.add([10, 20, 30, 40]));
console.log('sum of each row', a.sum({ axis: 1 }));
console.log('mean', a.mean());
a.T
