import type { CapacityReport, CapacityStep } from '../../model/series/capacity.ts';
import { markup, type Markup } from '../text/markup.ts';
import { roundStep } from '../html/charts/axis-ticks.ts';
import { figureText, timeText } from '../text/number-text.ts';
import { perSecondText, capacityStepLine } from './capacity-text.ts';

const frame = { width: 720, height: 330, left: 76, right: 20, top: 16, bottom: 46 } as const;

interface Axis {
  readonly label: string;
  readonly max: number;
  readonly toPixels: (value: number) => number;
  readonly tickText: (value: number) => string;
}

/** Five or six round values up to `max`. */
const ticksOf = (max: number): readonly number[] => {
  const gap = roundStep(max / 5);
  return Array.from({ length: Math.floor(max / gap) + 1 }, (_, i) => i * gap);
};

const axisOf = (
  direction: 'x' | 'y',
  label: string,
  values: readonly number[],
  tickText: Axis['tickText'],
): Axis => {
  const max = Math.max(1e-6, ...values) * 1.06;
  const { width, height, left, right, top, bottom } = frame;
  const toPixels =
    direction === 'x'
      ? (value: number) => left + (Math.min(value, max) / max) * (width - left - right)
      : (value: number) => height - bottom - (Math.min(value, max) / max) * (height - top - bottom);
  return { label, max, toPixels, tickText };
};

const coordinateText = (value: number): string => value.toFixed(1);

const axes = (x: Axis, y: Axis): Markup => {
  const { width, height, left, right, top, bottom } = frame;
  return markup`<g class="axes">${ticksOf(y.max).map(
    (value) =>
      markup`<path class="grid" d="M${left} ${coordinateText(y.toPixels(value))}H${width - right}" /><text x="${left - 8}" y="${coordinateText(y.toPixels(value))}" dy="0.32em" text-anchor="end">${y.tickText(value)}</text>`,
  )}${ticksOf(x.max).map(
    (value) =>
      markup`<path class="grid" d="M${coordinateText(x.toPixels(value))} ${top}V${height - bottom}" /><text x="${coordinateText(x.toPixels(value))}" y="${height - bottom + 18}" text-anchor="middle">${x.tickText(value)}</text>`,
  )}<text x="${width - right}" y="${height - 8}" text-anchor="end">${x.label}</text></g>`;
};

type Coordinates = readonly (readonly [x: number, y: number])[];

const line = (points: Coordinates, x: Axis, y: Axis): string =>
  points
    .map(
      ([a, b], i) =>
        `${i === 0 ? 'M' : 'L'}${coordinateText(x.toPixels(a))} ${coordinateText(y.toPixels(b))}`,
    )
    .join('');

const dots = (
  steps: readonly CapacityStep[],
  pointOf: (step: CapacityStep) => readonly [number, number] | null,
  x: Axis,
  y: Axis,
): readonly Markup[] =>
  steps.flatMap((step) => {
    const point = pointOf(step);
    if (point === null) return [];
    return [
      markup`<circle class="${step.verdict}" cx="${coordinateText(x.toPixels(point[0]))}" cy="${coordinateText(y.toPixels(point[1]))}" r="4.5"><title>${capacityStepLine(step)}</title></circle>`,
    ];
  });

/** A drawing with two axes. */
const figure = (
  title: string,
  unit: string,
  aside: string,
  body: Markup,
): Markup => markup`<figure class="plot">
  <figcaption><b>${title}</b> <span class="unit">${unit}</span><p class="aside">${aside}</p></figcaption>
  <div class="scroll" role="group" aria-label="${title}" tabindex="0"><svg class="forest capacity" viewBox="0 0 ${frame.width} ${frame.height}" role="img" aria-label="${title}: ${aside}">${body}</svg></div>
</figure>`;

const rateMarker = (rate: number, text: string, x: Axis): Markup =>
  markup`<path class="mark" d="M${coordinateText(x.toPixels(rate))} ${frame.top}V${frame.height - frame.bottom}" /><text x="${coordinateText(x.toPixels(rate) - 6)}" y="${frame.top + 12}" text-anchor="end">${text}</text>`;

/** Latency against throughput: flat, then a knee, then steep. */
export const latencyPlot = ({ steps, fit, answer }: CapacityReport): Markup | null => {
  const known = steps.filter(({ latency }) => latency !== null);
  if (known.length === 0) return null;
  const point = ({ throughput, latency }: CapacityStep): readonly [number, number] | null =>
    latency === null ? null : [throughput, latency.mean];
  const curve = (fit?.curve ?? []).map(({ rate, latency }) => [rate.value, latency] as const);
  const rates = [...known.map(({ throughput }) => throughput), answer?.rate.value ?? 0];
  const x = axisOf('x', 'completed per second', rates, figureText);
  // Under overload latency grows with time; it must not flatten all other values.
  const kept = known.filter(({ verdict }) => verdict === 'kept');
  const highest = Math.max(
    ...(kept.length === 0 ? known : kept).map(({ latency }) => latency!.mean),
  );
  const all = known.map(({ latency }) => Math.min(latency!.mean, highest * 2.5));
  const y = axisOf('y', 'mean latency', all, timeText);
  const knee = fit?.knee ?? null;
  return figure(
    'Latency against throughput',
    'mean from due to end',
    `${kept.length} steps kept, ${known.length - kept.length} not${knee === null ? '' : `; the knee is at ${perSecondText(knee.rate)}`}${answer === null ? '' : `; the highest rate is ${perSecondText(answer.rate.value)}`}. Values above the frame are drawn at its edge.`,
    markup`${axes(x, y)}<path class="curve" d="${line(curve, x, y)}" />
      ${answer === null ? null : rateMarker(answer.rate.value, `highest ${perSecondText(answer.rate.value)}`, x)}
      ${knee === null ? null : rateMarker(knee.rate, `knee ${perSecondText(knee.rate)}`, x)}
      ${dots(known, point, x, y)}`,
  );
};

/** Throughput against requests in flight, with the fitted law and its band. */
export const throughputPlot = ({ steps, fit }: CapacityReport): Markup | null => {
  if (fit === null) return null;
  const kept = steps.filter(({ verdict }) => verdict === 'kept');
  const max = Math.max(...kept.map(({ inFlight }) => inFlight)) * 1.6;
  const shown = steps.filter(({ inFlight }) => inFlight <= max);
  const rates = shown.map(({ throughput }) => throughput);
  const x = axisOf(
    'x',
    'requests in flight',
    shown.map(({ inFlight }) => inFlight),
    figureText,
  );
  const y = axisOf(
    'y',
    'completed per second',
    rates.map((rate) => rate * 1.1),
    figureText,
  );
  const law = fit.curve.map(({ inFlight, rate }) => [inFlight, rate.value] as const);
  const band = [
    ...fit.curve.map(({ inFlight, rate }) => [inFlight, rate.high] as const),
    ...fit.curve.toReversed().map(({ inFlight, rate }) => [inFlight, rate.low] as const),
  ];
  return figure(
    'Throughput against requests in flight',
    'per second',
    'The line is the Universal Scalability Law, fitted to the kept steps; the shaded area is its 95 % band.',
    markup`${axes(x, y)}<path class="least" d="${line(band, x, y)}Z" /><path class="curve" d="${line(law, x, y)}" />
      ${dots(shown, ({ inFlight, throughput }) => [inFlight, throughput], x, y)}`,
  );
};
