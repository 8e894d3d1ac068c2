const z95 = 1.959963984540054;

/**
 * The 95 % confidence interval of a share, 0 … 1, of which `part` of `whole` were seen; `whole` is
 * above 0. Wilson's score interval (Wilson, JASA 22, 1927; recommended by Newcombe, Statistics in
 * Medicine 17, 1998): it stays within 0 … 1 and holds at shares near the ends.
 */
export const wilson = (part: number, whole: number): { low: number; high: number } => {
  const share = part / whole;
  const squared = z95 ** 2 / whole;
  const centre = share + squared / 2;
  const spread = z95 * Math.sqrt((share * (1 - share)) / whole + squared / (4 * whole));
  return {
    // At the ends the formula gives them but for the last binary digit.
    low: part === 0 ? 0 : (centre - spread) / (1 + squared),
    high: part === whole ? 1 : (centre + spread) / (1 + squared),
  };
};
