import { axisTo, plotFigure } from '../../document/plot.ts';
import { figureText, plural } from '../../text/number-text.ts';
import type { Markup } from '../../text/markup.ts';

/** A latency against the load: one dot for each piece of the run. */

/** A piece of the run. */
export interface LoadPoint {
  /** Requests sent per second, all traffic. */
  readonly rate: number;
  readonly p50: number;
  /** `null` if there are too few samples. */
  readonly p95: number | null;
}

/** A load that varies by less than this factor is not plotted. */
const minLoadVariation = 1.5;

/** `null` if the load hardly varies, or there are too few pieces to see anything. */
export const loadPlot = (
  title: string,
  unit: string,
  points: readonly LoadPoint[],
): Markup | null => {
  const rates = points.map(({ rate }) => rate).filter((rate) => rate > 0);
  const [least, most] = [Math.min(...rates), Math.max(...rates)];
  if (rates.length < 5 || most < minLoadVariation * least) return null;
  const highest = Math.max(...points.map(({ p50, p95 }) => p95 ?? p50), Number.MIN_VALUE);
  const aside = `${plural(points.length, 'piece')} of the run, at ${figureText(least)} to ${figureText(most)} requests sent per second.`;
  return plotFigure(
    {
      title,
      unit,
      aside,
      keys: ['p50', 'p95'],
      size: [440, 280],
      x: { ...axisTo(most), label: 'sent per second' },
      y: axisTo(highest),
    },
    ({ dot }) =>
      points.flatMap(({ rate, p50, p95 }) => [
        p95 === null ? null : dot('p95', [rate, p95]),
        dot('p50', [rate, p50]),
      ]),
  );
};
