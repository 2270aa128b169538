// Numbers that JavaScript has no type for.

/** A complex number, `re + im j`. */
export class Complex {
  constructor(re, im) {
    this.re = re;
    this.im = im;
  }
  toString() {
    return `(${this.re}${this.im < 0 || Object.is(this.im, -0) ? '-' : '+'}${Math.abs(this.im)}j)`;
  }
}

/** A number that promotes as Python's float does, though it is whole: `np.float(2)`. */
export class Float {
  constructor(value) {
    this.value = value;
  }
}
