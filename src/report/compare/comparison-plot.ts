import type { ComparedMetric, Comparison } from '../../model/comparison.ts';
import { markup, type Markup } from '../html/markup.ts';
import { boundsText, changeText, gatedIn, metricText } from './comparison-words.ts';

/** Each gated metric as a line of a forest plot: its runs, its change with the interval, and what would not matter. Drawn without a script, so it prints. */

const frame = { width: 1040, left: 270, right: 24, top: 30, row: 36 } as const;

/** Ratios that the axis may name. */
const ticks = [0.25, 0.33, 0.5, 0.67, 0.8, 0.9, 0.95, 1, 1.05, 1.1, 1.25, 1.5, 2, 3, 4] as const;
const leastApart = 46;
const [narrowest, widest] = [Math.log(1.15), Math.log(4.2)];

type X = (ratio: number) => number;

/** Every ratio that a metric's line shows, against the base's mean. */
const ratiosOf = ({ base, next, effect }: ComparedMetric): readonly number[] => [
  ...[...base.values, ...next.values].map((value) => value / (base.typical ?? value)),
  ...[effect?.low, effect?.high, effect?.change].flatMap((value) => value ?? []),
];

const scaleOf = (metrics: readonly ComparedMetric[]): X => {
  const reach = metrics
    .flatMap(ratiosOf)
    .reduce((most, ratio) => Math.max(most, Math.abs(Math.log(ratio))), narrowest);
  const span = Math.min(widest, reach * 1.08);
  const { width, left, right } = frame;
  const middle = (left + width - right) / 2;
  return (ratio) =>
    middle +
    (Math.max(-span, Math.min(span, Math.log(ratio))) / span) * ((width - left - right) / 2);
};

const at = (value: number): string => value.toFixed(1);

const axis = (x: X, height: number): Markup => {
  const inside = ticks.filter((ratio) => {
    const place = x(ratio);
    return place > frame.left && place < frame.width - frame.right;
  });
  // From the middle outwards, as many names as there is room for.
  const shown = inside
    .toSorted((a, b) => Math.abs(Math.log(a)) - Math.abs(Math.log(b)))
    .reduce<readonly number[]>(
      (kept, ratio) =>
        kept.some((other) => Math.abs(x(other) - x(ratio)) < leastApart) ? kept : [...kept, ratio],
      [],
    );
  return markup`<g class="axes">${shown.map(
    (ratio) => markup`<path class="grid" d="M${at(x(ratio))} ${frame.top - 6}V${height}" />
      <text x="${at(x(ratio))}" y="${frame.top - 14}" text-anchor="middle">${ratio === 1 ? 'base' : changeText({ scale: 'ratio' }, ratio).replace('.0 %', ' %')}</text>`,
  )}</g>`;
};

const dots = (metric: ComparedMetric, side: 'base' | 'next', x: X, y: number): Markup => {
  const { base } = metric;
  return markup`${metric[side].values.map(
    (value) =>
      markup`<circle class="${side}" cx="${at(x(value / (base.typical ?? value)))}" cy="${at(y + (side === 'base' ? -8 : 8))}" r="2.6" />`,
  )}`;
};

const line = (metric: ComparedMetric, x: X, i: number): Markup | null => {
  const { effect, verdict } = metric;
  if (effect === null) return null;
  const { low, high, change, least } = effect;
  const y = frame.top + i * frame.row + frame.row / 2;
  const [from, to] = [x(1 / least), x(least)];
  return markup`<g class="${verdict}">
    <title>${metricText(metric)}: ${changeText(metric, change)} ${boundsText(metric)}, ${verdict}</title>
    <rect class="least" x="${at(from)}" y="${at(y - 14)}" width="${at(to - from)}" height="28" />
    <text x="${frame.left - 14}" y="${at(y)}" dy="0.32em" text-anchor="end">${metricText(metric)}</text>
    ${dots(metric, 'base', x, y)}${dots(metric, 'next', x, y)}
    ${low === null || high === null ? null : markup`<path class="interval" d="M${at(x(low))} ${at(y)}H${at(x(high))}M${at(x(low))} ${at(y - 4)}v8M${at(x(high))} ${at(y - 4)}v8" />`}
    <path class="change" d="M${at(x(change))} ${at(y - 6)}l6 6l-6 6l-6 -6z" />
  </g>`;
};

/** `null` where no gated metric has a ratio to show. */
export const comparisonPlot = (comparison: Comparison): Markup | null => {
  const drawn = gatedIn(comparison).filter(
    ({ scale, effect }) => scale === 'ratio' && effect !== null,
  );
  if (drawn.length === 0) return null;
  const x = scaleOf(drawn);
  const height = frame.top + drawn.length * frame.row;
  const text = drawn
    .map(
      (metric) =>
        `${metricText(metric)} ${changeText(metric, metric.effect?.change ?? 1)}, ${metric.verdict}`,
    )
    .join('; ');
  return markup`<figure class="plot">
    <figcaption>
      <b>Change of each gated metric</b> <span class="unit">new over base</span>
      <p class="aside">A diamond is the change and its line the 95 % confidence interval; within the shaded band a change is below the minimum effect. Hollow dots are the base’s runs, full dots the new ones.</p>
    </figcaption>
    <div class="scroll" role="group" aria-label="Plot of changes" tabindex="0"><svg class="forest" viewBox="0 0 ${frame.width} ${height + 8}" role="img" aria-label="Change of each gated metric: ${text}">
      ${axis(x, height)}${drawn.map((metric, i) => line(metric, x, i))}
    </svg></div>
  </figure>`;
};
