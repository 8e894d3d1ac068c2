import type { ComparedMetric } from '../../model/series/compared-metric.ts';
import { countText, figureText } from '../text/number-text.ts';

/** Formats a figure of one side of a comparison: a failure rate in per cent, and any other figure in its own unit. */
export const sideValueText = (
  { scale, unit }: Pick<ComparedMetric, 'scale' | 'unit'>,
  value: number | null,
): string => {
  if (value === null) return '–';
  return scale === 'difference' ? (value * 100).toFixed(2) : figureText(value, unit);
};

export type Scaled = Pick<ComparedMetric, 'scale'>;

export const bareChangeText = ({ scale }: Scaled, value: number): string => {
  const change = scale === 'ratio' ? (value - 1) * 100 : value * 100;
  const size = Math.abs(change);
  const text = size >= 100 ? countText(size) : size.toFixed(1);
  const sign = change < 0 ? '−' : '+';
  return `${Number(text) === 0 ? '±' : sign}${text}`;
};

/**
 * Formats a change, or a bound of a change. A change of a ratio is in per cent, and a difference of shares is in
 * percentage points.
 */
export const changeText = (metric: Scaled, value: number): string =>
  `${bareChangeText(metric, value)} ${metric.scale === 'ratio' ? '%' : 'pt'}`;
