import { describe, expect, it } from 'vitest';
import { measures } from '../../../model/measures/measures.ts';
import {
  emptyOutcomeCounts,
  emptySecond,
  sumOutcomes,
} from '../../../model/measures/outcome-counts.ts';
import { toLedgerEntry, toLedgerRow } from '../../../model/observation/ledger.ts';
import { sampleRunResult } from '../../fixtures/sample-result.fixture.ts';
import { sampleObservations } from '../../fixtures/sample-observations.fixture.ts';
import { invalidTrust, validTrust } from '../../fixtures/sample-trust.fixture.ts';
import { chartText } from './chart-figure.ts';
import type { Chart } from './chart.ts';
import {
  flowChart,
  inFlightChart,
  generatorCharts,
  maxChartedKeys,
  keyCharts,
  latencyCharts,
} from './client-charts.ts';

const result = sampleRunResult();
const observations = sampleObservations();
const outcomes = sumOutcomes(result.groups);
const sum = (values: readonly (number | null)[]): number =>
  values.reduce<number>((whole, value) => whole + (value ?? 0), 0);
const lineOf = (chart: Chart | undefined, label: string) =>
  chart?.lines.find((line) => line.label === label)?.values ?? [];

describe('charts over time', () => {
  it('of the flow contain every arrival once', () => {
    const flow = flowChart(result);
    expect(flow.step).toBe(1);
    expect(sum(lineOf(flow, 'offered'))).toBe(observations.length);
    expect(sum(lineOf(flow, 'completed'))).toBe(outcomes.completed);
    expect(sum(lineOf(flow, '429'))).toBe(outcomes.limited);
    expect(sum(lineOf(flow, 'other failures'))).toBe(
      outcomes.refused + outcomes.malformed + outcomes.broken + outcomes.dropped,
    );
  });

  it('of requests in flight agree with counting the open exchanges at each second', () => {
    const drawn = lineOf(inFlightChart(result), 'in flight');
    for (const second of [0, 1, 17, 42, 59, 61]) {
      const open = observations.filter(
        ({ begun, ended, outcome }) =>
          outcome.kind !== 'dropped' && begun < second * 1000 && ended >= second * 1000,
      );
      expect(drawn[second]).toBe(open.length);
    }
  });

  it('of latency mark every failure by its outcome, and no completed request', () => {
    const [ttft] = latencyCharts(result, validTrust);
    expect(
      Object.fromEntries(ttft!.marks.map(({ label, values }) => [label, sum(values)])),
    ).toEqual({
      limited: outcomes.limited,
      refused: outcomes.refused,
      malformed: outcomes.malformed,
      broken: outcomes.broken,
      dropped: outcomes.dropped,
    });
  });

  it('draw no percentile from a bin without a sample beyond it', () => {
    const charts = latencyCharts(result, validTrust);
    const [ttft, , gap] = charts;
    expect(charts.map(({ id }) => id)).toEqual([
      'ttft',
      'firstAudio',
      'gap',
      'endToEnd-chat-stream',
      'endToEnd-chat',
      'endToEnd-speech',
      'endToEnd-transcription',
      'endToEnd-models',
    ]);
    expect(ttft!.lines.map(({ label }) => label)).toEqual(['p50', 'p95']);
    expect(gap!.lines.map(({ label }) => label)).toEqual(['p50', 'p95', 'p99']);
  });

  it('of end to end are separate for each kind of traffic', () => {
    const charts = latencyCharts(result, validTrust).filter(({ id }) => id.startsWith('endToEnd'));
    expect(charts.map(({ title }) => title)).toEqual([
      'End to end, chat-stream',
      'End to end, chat',
      'End to end, speech',
      'End to end, transcription',
      'End to end, models',
    ]);
    const highest = charts.map(({ lines }) =>
      Math.max(...lines.flatMap(({ values }) => values.flatMap((value) => value ?? []))),
    );
    const slowest = (['chat-stream', 'chat', 'speech', 'transcription', 'models'] as const).map(
      (kind) =>
        Math.max(
          ...observations
            .filter(({ traffic }) => traffic === kind)
            .flatMap((each) => [...measures.endToEnd.of(each)]),
        ),
    );
    for (const [i, value] of highest.entries()) {
      expect(value).toBeGreaterThan(slowest[i]! / 4);
      expect(value).toBeLessThanOrEqual(slowest[i]! * 1.001);
    }
    expect(highest[4]).toBeLessThan(20);
  });

  it('show the maximum if no bin has enough samples for a tail', () => {
    const few = result.timeline.filter(({ latency }) => latency['chat-stream']?.ttft).slice(0, 1);
    const [chart] = latencyCharts({ ...result, timeline: few }, validTrust);
    expect(chart!.lines.map(({ label }) => label)).toEqual(['p50', 'max']);
  });

  it('leave chunk gaps out when the generator was not valid', () => {
    const ids = latencyCharts(result, invalidTrust).map(({ id }) => id);
    expect(ids).toContain('ttft');
    expect(ids).not.toContain('gap');
  });

  it('of the generator show the worst slice', () => {
    const [slice] = result.slices;
    const worse = slice!.generator.map((sample) => ({ ...sample, utilisation: 0.9 }));
    const charts = generatorCharts({
      ...result,
      slices: [slice!, { ...slice!, index: 1, generator: worse }],
    });
    expect(charts.map(({ id }) => id)).toEqual(['lag', 'busy', 'pauses']);
    expect(new Set(lineOf(charts[1], 'loop utilisation'))).toEqual(new Set([90]));
  });

  it('of a key show its lowest remaining quota and its 429s, for a limited number of keys', () => {
    const [alpha] = keyCharts(result);
    expect(lineOf(alpha, 'lowest remaining')[44]).toBe(0);
    expect(sum(alpha!.marks[0]!.values)).toBe(outcomes.limited);
    const many = Array.from({ length: 40 }, () => result.ledger[0]!);
    expect(keyCharts({ ...result, ledger: many })).toHaveLength(maxChartedKeys);
  });

  it('say in a sentence what they show', () => {
    const chart: Chart = {
      id: 'x',
      title: 'X',
      unit: 'ms',
      step: 2,
      drawn: 'joined',
      lines: [{ label: 'p50', colour: 'p50', style: 'plain', values: [10, null, 250] }],
      marks: [{ label: 'refused', colour: 'refused', values: [0, 3, 0] }],
    };
    expect(chartText(chart)).toBe(
      'p50 10.0 to 250 ms, highest at 4 s; 3 refused between 2 s and 4 s',
    );
  });
});

describe('charts of a run so long that a point stands for several seconds', () => {
  /** Each second begins and ends ten requests, of which eight are completed; 1,300 s are 260 points of 5 s. */
  const seconds = 1300;
  const steady = Array.from({ length: seconds }, (_, second) => ({
    ...emptySecond(second),
    latency: {},
    due: 11,
    begun: 10,
    sent: 10,
    ended: second < 20 ? 0 : 10,
    outcomes: { ...emptyOutcomeCounts(), completed: 8, limited: 2 },
    outputTokens: 40,
  }));
  const long = {
    ...result,
    timeline: steady,
    ended: seconds * 1000,
    scheduled: seconds * 1000,
  } as unknown as typeof result;

  it('have rates for each second, whatever a point stands for', () => {
    const flow = flowChart(long);
    expect(flow.step).toBe(5);
    for (const [label, rate] of [
      ['offered', 11],
      ['sent', 10],
      ['completed', 8],
      ['429', 2],
    ] as const)
      expect(new Set(lineOf(flow, label))).toEqual(new Set([rate]));
    expect(lineOf(flow, 'offered')).toHaveLength(260);
  });

  it('have the most that was in flight in a point', () => {
    const levels = lineOf(inFlightChart(long), 'in flight');
    expect(levels.slice(0, 6)).toEqual([40, 90, 140, 190, 200, 200]);
  });

  it('have for each key what was admitted in the minute before the end of a point', () => {
    const [ledger] = long.ledger;
    const entry = toLedgerEntry(ledger!.rows[0]!);
    const rows = Array.from({ length: seconds }, (_, second) =>
      toLedgerRow({ ...entry, answered: second * 1000 + 500, status: second < 600 ? 200 : 429 }),
    );
    const [chart] = keyCharts({
      ...long,
      ledger: [{ ...ledger!, rows }],
    });
    expect(chart!.step).toBe(5);
    const admitted = lineOf(chart, 'admitted within the last minute');
    expect(admitted.slice(0, 13)).toEqual([5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 60]);
    expect(admitted.slice(119, 134)).toEqual([
      60, 55, 50, 45, 40, 35, 30, 25, 20, 15, 10, 5, 0, 0, 0,
    ]);
    expect(chart!.marks.map(({ label, values }) => [label, sum(values), values[120]])).toEqual([
      ['limited', 700, 5],
    ]);
  });
});
