import type { CapacityReport, CapacityStep } from '../../model/series/capacity.ts';
import {
  type Column,
  list,
  picture,
  type ReportDocument,
  section,
  table,
  text,
  type Tone,
} from '../document/document.ts';
import { countText, figureText, shareText } from '../text/number-text.ts';
import { latencyPlot, throughputPlot } from './capacity-plot.ts';
import {
  capacityAnswerRows,
  capacityHeadline,
  perSecondText,
  scalabilityFitText,
  stepVerdictTexts,
} from './capacity-text.ts';

const tones = {
  kept: 'good',
  broken: 'bad',
  undecided: 'warning',
  unfit: 'warning',
} as const satisfies Record<CapacityStep['verdict'], Tone>;

const msText = (ms: number | undefined | null): string =>
  ms === undefined || ms === null ? '–' : countText(ms);

const columns: readonly Column<CapacityStep>[] = [
  { title: 'Step', holds: 'name', cell: ({ name }) => name },
  { title: 'Offered', holds: 'number', cell: ({ rate }) => perSecondText(rate) },
  { title: 'n', holds: 'number', cell: ({ arrivals }) => countText(arrivals) },
  {
    title: 'Verdict',
    holds: 'verdict',
    cell: ({ verdict, sure }) => {
      const isUnsure = !sure && (verdict === 'kept' || verdict === 'broken');
      return { text: `${stepVerdictTexts[verdict]}${isUnsure ? '?' : ''}`, tone: tones[verdict] };
    },
  },
  { title: 'Completed', holds: 'number', cell: ({ throughput }) => perSecondText(throughput) },
  { title: 'In flight', holds: 'number', cell: ({ inFlight }) => figureText(inFlight) },
  { title: 'p50 ms', holds: 'number', cell: ({ latency }) => msText(latency?.p50) },
  { title: 'p95 ms', holds: 'number', cell: ({ latency }) => msText(latency?.p95) },
  { title: 'TTFT p95', holds: 'number', cell: ({ ttftP95 }) => msText(ttftP95) },
  {
    title: 'Goodput',
    holds: 'number',
    cell: ({ goodput, arrivals }) => shareText(Math.round(goodput * arrivals), arrivals),
  },
  {
    title: 'Reason',
    holds: 'words',
    cell: ({ breaches }) => breaches.map((breach) => breach.text).join('; '),
  },
];

const methodTexts = [
  'Each step is an open load with one constant rate. Its figures cover its second half, because the flow becomes steady during the first. There is no pacing and no retry.',
  'A step is kept when the objectives are kept and the requests in flight do not grow (the 95 % interval of the slope, corrected for autocorrelation, is not above 2 % of the arrivals). A step with an overloaded load generator is excluded.',
  'Rates double until a step breaks; then the next rate comes from a Bayesian estimate of the threshold (QUEST: Watson & Pelli 1983, with probabilistic bisection as its limit), so that one unlucky verdict is outvoted. Without objectives, the steady throughput of an overload counts too.',
  'Users: Little’s law, rate × (latency + think time). The knee is the maximum of Kleinrock’s power, throughput divided by latency, on the fitted law.',
] as const;

const noFitText = 'Fewer than three different loads were kept, so no law is fitted.';

/** The highest rate that keeps the objectives, and the steps that prove it. */
export const capacityDocument = (report: CapacityReport): ReportDocument => {
  const { weir, target, name, objectives, answer, fit, steps, notes } = report;
  const tone = answer === null ? 'bad' : answer.proved ? 'good' : 'warning';
  return {
    weir,
    title: `Capacity of ${target}`,
    description: [`${name} → ${target}`, `Criteria: ${objectives.join('; ')}`],
    verdict: { text: capacityHeadline(report), tone },
    introduction: [list(notes)],
    blocks: [
      section('Answer', [
        answer === null ? null : { kind: 'facts', rows: capacityAnswerRows(answer, report) },
      ]),
      section('Throughput and latency', [
        picture(() => latencyPlot(report)),
        picture(() => throughputPlot(report)),
        text(fit === null ? noFitText : scalabilityFitText(fit)),
      ]),
      section('Steps', [table('Steps of the search', columns, steps)]),
      section(
        'Method',
        methodTexts.map((each) => text(each)),
        { media: ['html'] },
      ),
    ],
    footer: `Evaluated by Weir ${weir}, ${report.judgedAt}.`,
  };
};
