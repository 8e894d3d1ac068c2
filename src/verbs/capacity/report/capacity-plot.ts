import type { CapacityReport, CapacityStep } from '../model/capacity.ts';
import { tones } from '../../../report/document/document.ts';
import { axisTo, type Pen, plotFigure } from '../../../report/document/plot.ts';
import type { Markup } from '../../../report/text/markup.ts';
import { timeText } from '../../../report/text/number-text.ts';
import { capacityStepLine, perSecondText, stepVerdicts } from './capacity-text.ts';

const stepDot = (step: CapacityStep, place: readonly [number, number], { dot }: Pen): Markup =>
  dot(tones[stepVerdicts[step.verdict].tone].look, place, capacityStepLine(step));

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
  const curve = (fit?.curve ?? []).map(({ rate, latency }) => [rate.value, latency] as const);
  const named = [
    ['knee', 'the knee is at', fit?.knee?.rate],
    ['highest', 'the highest rate is', answer?.rate.value],
  ] as const;
  const marked = named.flatMap(([name, words, rate]) =>
    typeof rate === 'number' ? [{ name, words, rate }] : [],
  );
  const texts = marked.map(({ words, rate }) => `; ${words} ${perSecondText(rate)}`).join('');
  return plotFigure(
    {
      title: 'Latency against throughput',
      unit: 'mean from due to end',
      aside: `${kept.length} steps kept (filled), ${known.length - kept.length} not (hollow)${texts}. Values above the frame are drawn at its edge.`,
      size: [1040, 330],
      x: { ...axisTo(Math.max(...rates) || 1), label: 'completed per second' },
      y: axisTo(Math.max(...latencies) || 1, timeText),
    },
    (pen) => [
      pen.path('firm', curve),
      ...marked.map(({ name, rate }) => pen.upright('', rate, `${name} ${perSecondText(rate)}`)),
      ...known.map(({ step, rate, latency }) => stepDot(step, [rate, latency], pen)),
    ],
  );
};

/** Throughput against requests in flight, with the fitted law and its band. */
export const throughputPlot = ({ steps, fit }: CapacityReport): Markup | null => {
  if (fit === null) return null;
  const kept = steps.filter(({ verdict }) => verdict === 'kept');
  const max = Math.max(...kept.map(({ inFlight }) => inFlight)) * 1.6;
  const shown = steps.filter(({ inFlight }) => inFlight <= max);
  const mostInFlight = Math.max(...shown.map(({ inFlight }) => inFlight));
  const highest = Math.max(...shown.map(({ throughput }) => throughput * 1.1));
  const law = (bound: 'value' | 'high' | 'low') =>
    fit.curve.map(({ inFlight, rate }) => [inFlight, rate[bound]] as const);
  return plotFigure(
    {
      title: 'Throughput against requests in flight',
      unit: 'per second',
      aside:
        'The line is the Universal Scalability Law, fitted to the kept steps; the shaded area is its 95 % band.',
      size: [1040, 330],
      x: { ...axisTo(mostInFlight || 1), label: 'requests in flight' },
      y: axisTo(highest || 1),
    },
    (pen) => [
      pen.path('area', [...law('high'), ...law('low').toReversed()], 'Z'),
      pen.path('firm', law('value')),
      ...shown.map((step) => stepDot(step, [step.inFlight, step.throughput], pen)),
    ],
  );
};
