import type { CapacityReport, CapacityStep } from '../../model/series/capacity.ts';
import { coordinate, linearScale, plotFigure } from '../document/plot-figure.ts';
import { roundStep } from '../html/charts/axis-ticks.ts';
import { markup, type Markup } from '../text/markup.ts';
import { figureText, timeText } from '../text/number-text.ts';
import { capacityStepLine, perSecondText } from './capacity-text.ts';

const size = { width: 720, height: 330 } as const;
const edges = { left: 76, right: size.width - 20, top: 16, bottom: size.height - 46 } as const;

/** An axis from 0 with five or six round ticks. */
const axisOf = (
  direction: 'x' | 'y',
  label: string,
  values: readonly number[],
  tickText: (value: number) => string,
) => {
  const max = Math.max(1e-6, ...values) * 1.06;
  const { left, right, top, bottom } = edges;
  const scale = linearScale([0, max], direction === 'x' ? [left, right] : [bottom, top]);
  const toPixels = (value: number): number => scale(Math.min(value, max));
  const at = (value: number): string => coordinate(toPixels(value));
  const gap = roundStep(max / 5);
  const ticks = Array.from({ length: Math.floor(max / gap) + 1 }, (_, i) => i * gap).map(
    (value) => ({ at: at(value), text: tickText(value) }),
  );
  return { label, ticks, toPixels, at };
};
type Axis = ReturnType<typeof axisOf>;

type Axes = Readonly<Record<'x' | 'y', Axis>>;
type Point = readonly [x: number, y: number];

const grid = ({ x, y }: Axes): Markup => {
  const { left, right, top, bottom } = edges;
  return markup`<g class="axes">${y.ticks.map(
    ({ at, text }) =>
      markup`<path class="grid" d="M${left} ${at}H${right}" /><text x="${left - 8}" y="${at}" dy="0.32em" text-anchor="end">${text}</text>`,
  )}${x.ticks.map(
    ({ at, text }) =>
      markup`<path class="grid" d="M${at} ${top}V${bottom}" /><text x="${at}" y="${bottom + 18}" text-anchor="middle">${text}</text>`,
  )}<text x="${right}" y="${size.height - 8}" text-anchor="end">${x.label}</text></g>`;
};

const line = (points: readonly Point[], { x, y }: Axes): string =>
  points.map(([a, b], i) => `${i === 0 ? 'M' : 'L'}${x.at(a)} ${y.at(b)}`).join('');

const dot = (step: CapacityStep, [a, b]: Point, { x, y }: Axes): Markup =>
  markup`<circle class="${step.verdict}" cx="${x.at(a)}" cy="${y.at(b)}" r="4.5"><title>${capacityStepLine(step)}</title></circle>`;

const rateMarker = (rate: number, text: string, { x }: Axes): Markup =>
  markup`<path class="mark" d="M${x.at(rate)} ${edges.top}V${edges.bottom}" /><text x="${coordinate(x.toPixels(rate) - 6)}" y="${edges.top + 12}" text-anchor="end">${text}</text>`;

/** Latency against throughput: flat, then a knee, then steep. */
export const latencyPlot = ({ steps, fit, answer }: CapacityReport): Markup | null => {
  const known = steps.flatMap((step) =>
    step.latency === null ? [] : [{ step, rate: step.throughput, latency: step.latency.mean }],
  );
  if (known.length === 0) return null;
  const kept = known.filter(({ step }) => step.verdict === 'kept');
  // Under overload latency grows with time; it must not flatten all other values.
  const highest = Math.max(...(kept.length === 0 ? known : kept).map(({ latency }) => latency));
  const latencies = known.map(({ latency }) => Math.min(latency, highest * 2.5));
  const rates = [...known.map(({ rate }) => rate), answer?.rate.value ?? 0];
  const axes = {
    x: axisOf('x', 'completed per second', rates, figureText),
    y: axisOf('y', 'mean latency', latencies, timeText),
  };
  const curve =
    fit === null ? [] : fit.curve.map(({ rate, latency }) => [rate.value, latency] as const);
  const best = answer?.rate.value ?? null;
  const knee = fit?.knee?.rate ?? null;
  const kneeText = knee === null ? '' : `; the knee is at ${perSecondText(knee)}`;
  const bestText = best === null ? '' : `; the highest rate is ${perSecondText(best)}`;
  const aside = `${kept.length} steps kept, ${known.length - kept.length} not${kneeText}${bestText}. Values above the frame are drawn at its edge.`;
  return plotFigure(
    { title: 'Latency against throughput', unit: 'mean from due to end', aside },
    size,
    markup`${grid(axes)}<path class="curve" d="${line(curve, axes)}" />
      ${best === null ? null : rateMarker(best, `highest ${perSecondText(best)}`, axes)}
      ${knee === null ? null : rateMarker(knee, `knee ${perSecondText(knee)}`, axes)}
      ${known.map(({ step, rate, latency }) => dot(step, [rate, latency], axes))}`,
  );
};

/** Throughput against requests in flight, with the fitted law and its band. */
export const throughputPlot = ({ steps, fit }: CapacityReport): Markup | null => {
  if (fit === null) return null;
  const kept = steps.filter(({ verdict }) => verdict === 'kept');
  const max = Math.max(...kept.map(({ inFlight }) => inFlight)) * 1.6;
  const shown = steps.filter(({ inFlight }) => inFlight <= max);
  const inFlights = shown.map(({ inFlight }) => inFlight);
  const rates = shown.map(({ throughput }) => throughput * 1.1);
  const axes = {
    x: axisOf('x', 'requests in flight', inFlights, figureText),
    y: axisOf('y', 'completed per second', rates, figureText),
  };
  const law = (bound: 'value' | 'high' | 'low'): readonly Point[] =>
    fit.curve.map(({ inFlight, rate }) => [inFlight, rate[bound]]);
  const band = [...law('high'), ...law('low').toReversed()];
  const aside =
    'The line is the Universal Scalability Law, fitted to the kept steps; the shaded area is its 95 % band.';
  return plotFigure(
    { title: 'Throughput against requests in flight', unit: 'per second', aside },
    size,
    markup`${grid(axes)}<path class="least" d="${line(band, axes)}Z" /><path class="curve" d="${line(law('value'), axes)}" />
      ${shown.map((step) => dot(step, [step.inFlight, step.throughput], axes))}`,
  );
};
