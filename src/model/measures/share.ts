export interface Share {
  readonly events: number;
  readonly of: number;
}

export const shareOf = ({ events, of }: Share): number => (of === 0 ? 0 : events / of);

export const sumOfShares = (parts: readonly Share[]): Share => ({
  events: parts.reduce((sum, { events }) => sum + events, 0),
  of: parts.reduce((sum, { of }) => sum + of, 0),
});

/**
 * Returns the design effect of clusters: the factor, at least 1, by which the variance of the overall share exceeds the
 * variance for the same number of independent cases. Source: J. N. K. Rao & A. J. Scott, "A simple method for the
 * analysis of clustered binary data", Biometrics 48 (1992).
 */
export const designEffect = (clusters: readonly Share[]): number => {
  const { events, of } = sumOfShares(clusters);
  const share = shareOf({ events, of });
  const count = clusters.length;
  if (count < 2 || share === 0 || share === 1) return 1;
  const residuals = clusters.reduce((sum, part) => sum + (part.events - share * part.of) ** 2, 0);
  const variance = ((count / (count - 1)) * residuals) / of ** 2;
  return Math.max(1, (variance * of) / (share * (1 - share)));
};
