import type { CapacityReport, CapacityStep } from '../model/capacity.ts';
import {
  column,
  type Column,
  facts,
  list,
  only,
  picture,
  type ReportDocument,
  section,
  table,
  text,
} from '../../../report/document/document.ts';
import { countText, figureText, shareText } from '../../../report/text/number-text.ts';
import { latencyPlot, throughputPlot } from './capacity-plot.ts';
import {
  capacityAnswerRows,
  capacityHeadline,
  perSecondText,
  scalabilityFitText,
  stepVerdicts,
} from './capacity-text.ts';

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
  column.number('p50 ms', ({ latency }) => msText(latency?.p50)),
  column.number('p95 ms', ({ latency }) => msText(latency?.p95)),
  column.number('TTFT p95', ({ ttftP95 }) => msText(ttftP95)),
  column.number('Goodput', ({ goodput, arrivals }) =>
    shareText(Math.round(goodput * arrivals), arrivals),
  ),
  column.words('Reason', ({ breaches }) => breaches.map((breach) => breach.text).join('; ')),
];

const methodTexts = [
  'Each step is an open load with one constant rate. Its figures cover its second half, because the flow becomes steady during the first. There is no pacing and no retry.',
  'A step is kept when the objectives are kept and the requests in flight do not grow (the 95 % interval of the slope, corrected for autocorrelation, is not above 2 % of the arrivals). An INVALID step is excluded.',
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
      section('Answer', [answer !== null && facts(capacityAnswerRows(answer, report))]),
      section('Throughput and latency', [
        picture(() => latencyPlot(report)),
        picture(() => throughputPlot(report)),
        text(fit === null ? noFitText : scalabilityFitText(fit)),
      ]),
      section('Steps', [table('Steps of the search', columns, steps)]),
      only(
        ['html'],
        section(
          'Method',
          methodTexts.map((each) => text(each)),
        ),
      ),
    ],
    footer: `Evaluated by Weir ${weir}, ${report.judgedAt}.`,
  };
};
