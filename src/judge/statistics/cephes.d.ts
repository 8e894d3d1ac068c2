/** Declares the part of `cephes` that Weir uses, since the package's own types are not visible to the compiler. */
declare module 'cephes' {
  /** Resolves when the WebAssembly module is ready. Until then, the functions throw. */
  export const compiled: Promise<void>;
  /** Computes the regularised incomplete beta function I_x(a, b). */
  export const incbet: (a: number, b: number, x: number) => number;
  /** Computes the standard normal distribution function. */
  export const ndtr: (x: number) => number;
  /** Computes the inverse of `ndtr`. */
  export const ndtri: (p: number) => number;
}
