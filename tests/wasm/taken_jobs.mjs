// A job of lifetimes_test.mjs with a name that is taken.
export const terminate = (np, a) => a;
