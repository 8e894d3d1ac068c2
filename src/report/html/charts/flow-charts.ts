import type { TimelineSecond } from '../../../model/measures/counts.ts';
import { outcomeKinds } from '../../../model/observation/outcome.ts';
import type { Result } from '../../../model/result/result.ts';
import { type Bins, countBins, intoBins, chartValue } from './bins.ts';
import type { Chart, ChartLine } from './chart.ts';
import { failureMarks } from './latency-charts.ts';

/** Rates per second, and requests in flight. */

const failedIn = ({ outcomes }: TimelineSecond): number =>
  outcomeKinds
    .filter((kind) => kind !== 'completed' && kind !== 'limited')
    .reduce((sum, kind) => sum + outcomes[kind], 0);

const perSecond = (
  parts: readonly (readonly TimelineSecond[])[],
  step: number,
  of: (second: TimelineSecond) => number,
): readonly number[] =>
  parts.map((seconds) => chartValue(seconds.reduce((sum, second) => sum + of(second), 0) / step));

/** Offered, sent, completed, 429 and other failures per second. */
export const flowChart = (result: Result): Chart => {
  const bins = countBins(result);
  const parts = intoBins(result.timeline, bins);
  const rate = (of: (second: TimelineSecond) => number): readonly number[] =>
    perSecond(parts, bins.step, of);
  const lines: readonly ChartLine[] = [
    { label: 'offered', colour: 'due', style: 'dashed', values: rate(({ due }) => due) },
    { label: 'sent', colour: 'sent', style: 'plain', values: rate(({ sent }) => sent) },
    {
      label: 'completed',
      colour: 'completed',
      style: 'strong',
      values: rate(({ outcomes }) => outcomes.completed),
    },
    {
      label: '429',
      colour: 'limited',
      style: 'plain',
      values: rate(({ outcomes }) => outcomes.limited),
    },
    { label: 'other failures', colour: 'failed', style: 'plain', values: rate(failedIn) },
  ];
  return {
    id: 'flow',
    title: 'Requests per second',
    unit: '/s',
    step: bins.step,
    drawn: 'held',
    lines: lines.filter(
      ({ label, values }) =>
        label === 'offered' || values.some((value) => value !== null && value > 0),
    ),
    marks: [],
  };
};

const inFlightPerBin = (result: Result, { step, count }: Bins): readonly number[] => {
  const change = new Map(result.timeline.map((each) => [each.second, each.begun - each.ended]));
  const levels: number[] = [];
  let level = 0;
  for (let second = 0; second < step * count; second += 1) {
    if (second % step === 0) levels.push(level);
    else levels[levels.length - 1] = Math.max(levels.at(-1)!, level);
    level += change.get(second) ?? 0;
  }
  return levels;
};

/** Requests in flight at the start of each second; the maximum in a wider bin. */
export const inFlightChart = (result: Result): Chart => {
  const bins = countBins(result);
  return {
    id: 'in-flight',
    title: 'In flight',
    unit: '',
    step: bins.step,
    drawn: 'held',
    lines: [
      { label: 'in flight', colour: 'sent', style: 'strong', values: inFlightPerBin(result, bins) },
    ],
    marks: failureMarks(result, bins).filter(({ label }) => label === 'dropped'),
  };
};
