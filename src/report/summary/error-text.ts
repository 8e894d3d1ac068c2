import type { ErrorBounds, FigureError } from '../../model/result/verdict.ts';
import { decimalsOf } from '../text/number-text.ts';

/**
 * By how much a figure can be off, to the digits of the figure: `−1.2` too high, `+0.3` too low, `±0.4` or `−0.4 +0.6`
 * either way; `null` if that rounds to nothing.
 */
export const errorText = ({
  value,
  low,
  high,
}: ErrorBounds & { readonly value: number }): string | null => {
  if (!Number.isFinite(high)) return 'unbounded';
  const digits = decimalsOf(value);
  const rounded = (size: number): string =>
    Number(size.toFixed(digits)).toLocaleString('en-US', { minimumFractionDigits: digits });
  const [above, below] = [rounded(Math.max(0, value - low)), rounded(Math.max(0, high - value))];
  const none = rounded(0);
  if (above === below) return above === none ? null : `±${above}`;
  return [above === none ? '' : `−${above}`, below === none ? '' : `+${below}`]
    .filter((side) => side !== '')
    .join(' ');
};

/** The same of a percentile that has an error, which is marked if it is not small. */
export const markedErrorText = (
  error: FigureError | null,
): { readonly text: string; readonly tone: 'quiet' | 'warning' } | undefined => {
  const text = error === null ? null : errorText(error);
  if (error === null || text === null) return undefined;
  return { text, tone: error.isSmall ? 'quiet' : 'warning' };
};
