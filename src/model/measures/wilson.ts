/** The normal quantile of a two-sided confidence of 95 %. */
const z95 = 1.959963984540054;

/**
 * The confidence interval of the share `part` / `whole`, 0 … 1; `whole` > 0, `z` is the normal quantile
 * of the confidence. Wilson's score interval (JASA 22, 1927; recommended by Newcombe, Statistics in
 * Medicine 17, 1998): it stays within 0 … 1 and is accurate near both ends.
 */
export const wilsonInterval = (
  part: number,
  whole: number,
  z = z95,
): { low: number; high: number } => {
  const share = part / whole;
  const squared = z ** 2 / whole;
  const centre = share + squared / 2;
  const spread = z * Math.sqrt((share * (1 - share)) / whole + squared / (4 * whole));
  return {
    // At 0 and 1 the formula is off by the last binary digit.
    low: part === 0 ? 0 : Math.max(0, (centre - spread) / (1 + squared)),
    high: part === whole ? 1 : Math.min(1, (centre + spread) / (1 + squared)),
  };
};
