import { figureText, plural } from '../../text/number-text.ts';
import { markup, type Markup } from '../../text/markup.ts';
import { axisTo } from './axis-ticks.ts';
import { plotOf } from './plot.ts';

/** A latency against the load: one dot for each piece of the run. */

const plot = plotOf(440, 280, [12, 40]);

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
  const across = axisTo(most, figureText);
  const highest = Math.max(...points.map(({ p50, p95 }) => p95 ?? p50), Number.MIN_VALUE);
  const upwards = axisTo(highest, figureText);
  const dot = (mark: 'p50' | 'p95', rate: number, value: number): Markup =>
    markup`<circle class="${mark}" cx="${plot.x(across.shareOf(rate))}" cy="${plot.y(upwards.shareOf(value))}" r="3" />`;
  const text = `${plural(points.length, 'piece')} of the run, at ${figureText(least)} to ${figureText(most)} requests sent per second`;
  return plot.figure(
    {
      title,
      unit,
      keys: (['p50', 'p95'] as const).map((name) => [name, name]),
      label: `${title}: ${text}.`,
      said: `${text}.`,
      upwards: upwards.ticks,
      across: across.ticks,
    },
    markup`<text x="${plot.x(1)}" y="276" text-anchor="end">sent per second</text>
      ${points.map(({ rate, p50, p95 }) => [p95 === null ? null : dot('p95', rate, p95), dot('p50', rate, p50)])}`,
  );
};
