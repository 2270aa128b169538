// Batches: np.vmap makes a function of one loan one of many.
const months = 120;
const rest = (loan, rate) => {
  let owed = loan;
  for (let m = 0; m < months; ++m) owed = owed.multiply(rate.divide(12).add(1)).subtract(loan.multiply(0.011));
  return owed;
};
const loans = np.linspace(50_000, 400_000, 6), rates = np.linspace(0.01, 0.06, 6);
const table = np.vmap(np.vmap(rest, { inAxes: [null, 0] }), { inAxes: [0, null] })(loans, rates);
table.round(0)
