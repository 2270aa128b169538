// What the worker of page.ts does.
export const twice = (np, a) => a.multiply(2);
