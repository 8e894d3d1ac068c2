import type { TimelineSecond } from '../../../model/measures/counts.ts';
import { outcomeKinds } from '../../../model/observation/outcome.ts';
import type { Result } from '../../../model/result/result.ts';
import { type Bins, chartLines, chartValue, countBins, intoBins } from './bins.ts';
import type { Chart } from './chart.ts';
import { failureMarks } from './latency-charts.ts';

/** Rates per second, and requests in flight. */

const failedIn = ({ outcomes }: TimelineSecond): number =>
  outcomeKinds
    .filter((kind) => kind !== 'completed' && kind !== 'limited')
    .reduce((sum, kind) => sum + outcomes[kind], 0);

/** Offered, sent, completed, 429 and other failures per second. */
export const flowChart = (result: Result): Chart => {
  const bins = countBins(result);
  const rate = (of: (second: TimelineSecond) => number) => (seconds: readonly TimelineSecond[]) =>
    chartValue(seconds.reduce((sum, second) => sum + of(second), 0) / bins.step);
  const lines = chartLines(intoBins(result.timeline, bins), [
    ['offered', 'due', rate(({ due }) => due), 'dashed'],
    ['sent', 'sent', rate(({ sent }) => sent)],
    ['completed', 'completed', rate(({ outcomes }) => outcomes.completed), 'strong'],
    ['429', 'limited', rate(({ outcomes }) => outcomes.limited)],
    ['other failures', 'refused', rate(failedIn)],
  ]);
  return {
    id: 'flow',
    title: 'Requests per second',
    unit: '/s',
    step: bins.step,
    drawn: 'held',
    lines: lines.filter(({ label, values }) => label === 'offered' || values.some(Boolean)),
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
  const levels = inFlightPerBin(result, bins);
  return {
    id: 'in-flight',
    title: 'In flight',
    unit: '',
    step: bins.step,
    drawn: 'held',
    lines: chartLines(levels, [['in flight', 'sent', (level) => level, 'strong']]),
    marks: failureMarks(result, bins).filter(({ label }) => label === 'dropped'),
  };
};
