import { figureText, plural } from '../../text/number-text.ts';
import { markup, type Markup } from '../../text/markup.ts';
import { axisTicks } from './axis-ticks.ts';

/** A latency against the load: one dot for each piece of the run. */

const frame = { width: 440, height: 280, left: 54, right: 14, top: 12, bottom: 40 } as const;

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
  if (rates.length < 5 || Math.max(...rates) < minLoadVariation * Math.min(...rates)) return null;
  const across = axisTicks(Math.max(...rates));
  const upwards = axisTicks(
    Math.max(...points.map(({ p50, p95 }) => p95 ?? p50), Number.MIN_VALUE),
  );
  const [right, top] = [across.at(-1)!, upwards.at(-1)!];
  const x = (rate: number): string =>
    (frame.left + (rate / right) * (frame.width - frame.left - frame.right)).toFixed(1);
  const y = (value: number): string =>
    (
      frame.height -
      frame.bottom -
      (value / top) * (frame.height - frame.top - frame.bottom)
    ).toFixed(1);
  const text = `${plural(points.length, 'piece')} of the run, at ${figureText(Math.min(...rates))} to ${figureText(Math.max(...rates))} requests sent per second`;
  return markup`<figure class="plot">
    <figcaption>
      <b>${title}</b> <span class="unit">${unit}</span>
      <span class="key dot p50">p50</span> <span class="key dot p95">p95</span>
    </figcaption>
    <svg viewBox="0 0 ${frame.width} ${frame.height}" role="img" aria-label="${title}: ${text}.">
      ${upwards.map(
        (
          value,
        ) => markup`<path class="grid" d="M${frame.left} ${y(value)}H${frame.width - frame.right}" />
        <text x="${frame.left - 8}" y="${y(value)}" dy="0.32em" text-anchor="end">${figureText(value)}</text>`,
      )}
      ${across.map(
        (rate) =>
          markup`<text x="${x(rate)}" y="${frame.height - frame.bottom + 18}" text-anchor="middle">${figureText(rate)}</text>`,
      )}
      <text x="${frame.width - frame.right}" y="${frame.height - 4}" text-anchor="end">sent per second</text>
      ${points.map(({ rate, p50, p95 }) => [
        p95 === null ? null : markup`<circle class="p95" cx="${x(rate)}" cy="${y(p95)}" r="3" />`,
        markup`<circle class="p50" cx="${x(rate)}" cy="${y(p50)}" r="3" />`,
      ])}
    </svg>
    <p class="said">${text}.</p>
  </figure>`;
};
