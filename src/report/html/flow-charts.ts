import { outcomeKinds } from '../../model/observation.ts';
import type { Result, Second } from '../../model/result.ts';
import { type Bins, countBins, dealt, drawn } from './bins.ts';
import type { Chart, Line } from './chart.ts';
import { failureMarks } from './latency-charts.ts';

/** What flowed per second, and how much was under way. */

const failedIn = ({ outcomes }: Second): number =>
  outcomeKinds
    .filter((kind) => kind !== 'completed' && kind !== 'limited')
    .reduce((sum, kind) => sum + outcomes[kind], 0);

const perSecond = (
  parts: readonly (readonly Second[])[],
  step: number,
  of: (second: Second) => number,
): readonly number[] =>
  parts.map((seconds) => drawn(seconds.reduce((sum, second) => sum + of(second), 0) / step));

/** Offered, sent, completed, 429 and other failures per second. */
export const flowChart = (result: Result): Chart => {
  const bins = countBins(result);
  const parts = dealt(result.timeline, bins);
  const rate = (of: (second: Second) => number): readonly number[] =>
    perSecond(parts, bins.step, of);
  const lines: readonly Line[] = [
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

const underWay = (result: Result, { step, count }: Bins): readonly number[] => {
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

/** Requests in flight at the begin of each second; of a wider bin, the most. */
export const inFlightChart = (result: Result): Chart => {
  const bins = countBins(result);
  return {
    id: 'in-flight',
    title: 'In flight',
    unit: '',
    step: bins.step,
    drawn: 'held',
    lines: [
      { label: 'in flight', colour: 'sent', style: 'strong', values: underWay(result, bins) },
    ],
    marks: failureMarks(result, bins).filter(({ label }) => label === 'dropped'),
  };
};
