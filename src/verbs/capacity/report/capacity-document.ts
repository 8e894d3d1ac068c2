import type { CapacityReport, CapacityStep } from '../model/capacity.ts';
import {
  tones,
  column,
  type Column,
  facts,
  list,
  picture,
  type ReportDocument,
  section,
  table,
  text,
  methodSection,
} from '../../../report/document/document.ts';
import { axisTo, type Pen, plotFigure } from '../../../report/document/plot.ts';
import type { Markup } from '../../../report/text/markup.ts';
import { timeText, countText, figureText, shareText } from '../../../report/text/number-text.ts';
import { whatNowPage } from '../../../report/summary/run-verdict.ts';
import {
  capacityStepLine,
  perSecondText,
  stepVerdicts,
  capacityAnswerRows,
  capacityHeadline,
  scalabilityFitText,
} from './capacity-text.ts';

const stepDot = (step: CapacityStep, place: readonly [number, number], { dot }: Pen): Markup =>
  dot(tones[stepVerdicts[step.verdict].tone].look, place, capacityStepLine(step));

/** Plots latency over throughput. The typical curve is flat, bends at the knee, and is then steep. */
const latencyPlot = ({ steps, fit, answer }: CapacityReport): Markup | null => {
  const known = steps.flatMap((step) =>
    step.latency === null ? [] : [{ step, rate: step.throughput, latency: step.latency.mean }],
  );
  if (known.length === 0) return null;
  const kept = known.filter(({ step }) => step.verdict === 'kept');
  // Under overload, latency grows with time. Such a latency is cut off, so that it does not flatten all other values.
  const highest = Math.max(...(kept.length === 0 ? known : kept).map(({ latency }) => latency));
  const latencies = known.map(({ latency }) => Math.min(latency, highest * 2.5));
  const rates = [...known.map(({ rate }) => rate), answer?.rate.value ?? 0];
  const curve = (fit?.curve ?? []).map(({ rate, latency }) => [rate.value, latency] as const);
  const named = [
    ['knee', 'the knee is at', fit?.knee?.rate],
    ['highest', 'the highest rate is', answer?.rate.value],
  ] as const;
  const marked = named
    .flatMap(([name, words, rate]) => (typeof rate === 'number' ? [{ name, words, rate }] : []))
    .toSorted((a, b) => a.rate - b.rate);
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
      // The names of the two lines are short, and stand on opposite sides, so the names never overlap. The text above
      // the plot has the values.
      ...marked.map(({ name, rate }, i) => pen.upright('', rate, name, i < marked.length - 1)),
      ...known.map(({ step, rate, latency }) => stepDot(step, [rate, latency], pen)),
    ],
  );
};

const throughputPlot = ({ steps, fit }: CapacityReport): Markup | null => {
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

const msText = (ms: number | undefined | null): string =>
  ms === undefined || ms === null ? '–' : countText(ms);

const columns: readonly Column<CapacityStep>[] = [
  column.name('Step', ({ name }) => name),
  column.number('Offered', ({ rate }) => perSecondText(rate)),
  column.number('n', ({ arrivals }) => countText(arrivals)),
  column.verdict('Verdict', ({ verdict, sure }) => {
    const isUnsure = !sure && (verdict === 'kept' || verdict === 'broken');
    const { text: found, tone } = stepVerdicts[verdict];
    return { text: isUnsure ? `${found}?` : found, tone };
  }),
  column.number('Completed', ({ throughput }) => perSecondText(throughput)),
  column.number('In flight', ({ inFlight }) => figureText(inFlight)),
  column.number({ title: 'p50 ms', spare: 'first' }, ({ latency }) => msText(latency?.p50)),
  column.number('p95 ms', ({ latency }) => msText(latency?.p95)),
  column.number({ title: 'TTFT p95', spare: 'first' }, ({ ttftP95 }) => msText(ttftP95)),
  column.number('Goodput', ({ goodput, arrivals }) =>
    shareText(Math.round(goodput * arrivals), arrivals),
  ),
  column.words('Reason', ({ breaches }) => breaches.map((breach) => breach.text).join('; ')),
];

const methodTexts = [
  'Each step is an open load with one constant rate. Its figures leave out its first half, at most 15 s or five answers, in which the flow becomes steady. There is no pacing and no retry.',
  'A step is kept when the objectives are kept and the growth of the requests in flight is certainly below 5 % of the arrivals: what began minus what ended, with its counting error. If that is not certain, the step is taken again at twice the length. Steps with fewer than 1,540 measured arrivals are mostly too short to be certain: “kept?” lets the climb go on and proves nothing. Stored stages cannot be taken again, so that an uncertain one that grew by less than 5 % is “kept?”, too. A step whose load was not as planned is excluded.',
  'Rates double until a step breaks; then each rate comes from a Bayesian estimate of the threshold (as QUEST: Watson & Pelli 1983) by how much the requests in flight grew, and by how many arrivals missed an objective. The 90 % interval holds the true rate in nine of ten searches of simulated queues.',
  'Users: Little’s law, rate × (latency + think time). The knee is the maximum of Kleinrock’s power, throughput divided by latency, on the fitted law.',
] as const;

/** Explains the question mark behind a step. */
const stepsCaption = (steps: CapacityReport['steps']): string =>
  steps.some(({ sure, verdict }) => !sure && verdict === 'kept')
    ? 'Steps of the search; “kept?” looked well, but was too short to prove it'
    : 'Steps of the search';

export const capacityDocument = (report: CapacityReport): ReportDocument => {
  const { weir, target, name, objectives, answer, fit, steps, notes } = report;
  const tone = answer === null ? 'bad' : answer.proved ? 'good' : 'warning';
  return {
    weir,
    title: `Capacity of ${target}`,
    description: [`${name} → ${target}`, `Criteria: ${objectives.join('; ')}`],
    verdict: { text: capacityHeadline(report), tone },
    introduction: [
      list(notes),
      text(steps.some(({ verdict }) => verdict === 'unfit') ? `What now: ${whatNowPage}.` : null),
    ],
    blocks: [
      section('Answer', [answer !== null && facts(capacityAnswerRows(answer, report))]),
      section('Throughput and latency', [
        picture(() => latencyPlot(report)),
        picture(() => throughputPlot(report)),
        text(
          fit === null
            ? 'Fewer than three different loads were kept, so no law is fitted.'
            : scalabilityFitText(fit),
        ),
      ]),
      section('Steps', [table(stepsCaption(steps), columns, steps)]),
      methodSection(methodTexts),
    ],
    footer: `Evaluated by Weir ${weir}, ${report.judgedAt}.`,
  };
};
