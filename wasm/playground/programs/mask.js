// Masks and conditions: what stands where.
const x = np.linspace(-3, 3, 400);
const bump = np.where(np.abs(x).less(1), np.float(1), np.exp(np.abs(x).subtract(1).negative()));
console.log('above a half:', np.count_nonzero(bump.greater(0.5)), 'of', x.size);
show(bump);
x.at(bump.greater(0.99)).at(':5')
