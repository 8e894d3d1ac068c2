/**
 * The used part of `cephes`: the `exports` of its package hide its types from the compiler.
 */
declare module 'cephes' {
  /** Resolves when the WebAssembly is ready; before that the functions throw. */
  export const compiled: Promise<void>;
  /** The regularised incomplete beta function I_x(a, b). */
  export const incbet: (a: number, b: number, x: number) => number;
  /** The standard normal distribution function. */
  export const ndtr: (x: number) => number;
  /** Its inverse. */
  export const ndtri: (p: number) => number;
}
