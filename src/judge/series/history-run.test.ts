import { describe, expect, it } from 'vitest';
import { emptyHistogram } from '../../model/measures/histogram.ts';
import { emptyOutcomeCounts } from '../../model/measures/outcome-counts.ts';
import type { Result } from '../../model/result/result.ts';
import { healthyResult, sampleGroup, streamLabels } from '../sample-result.fixture.ts';
import { historyRun } from './history-run.ts';

const times = emptyHistogram();
times.recordAll(Array<number>(400).fill(100));
const distribution = times.toJSON();

/** A run of 400 streams, which all took 100 ms, and of which five failed. */
const runOf = (changes: Partial<Result> = {}): Result =>
  healthyResult({
    groups: [
      sampleGroup(400, {
        labels: streamLabels,
        outcomes: { ...emptyOutcomeCounts(), completed: 395, broken: 5 },
        distributions: { ttft: distribution, gap: distribution },
      }),
    ],
    ...changes,
  });
const storedOf = (result: Result, trust: object = {}) =>
  historyRun({
    file: '/runs/one/result.json',
    result,
    trust: { level: 'valid', evidence: [], figures: [], ...trust } as never,
  });

describe('what the history keeps of a run', () => {
  it('is its plan, its verdicts and the figures that a comparison gates', () => {
    const result = runOf();
    const { figures = [], ...rest } = storedOf(result) ?? {};
    expect(rest).toEqual({
      file: '/runs/one/result.json',
      planHash: result.planHash,
      plan: 'sample',
      target: 'mock',
      weir: '0.1.0',
      startedAt: '2026-07-01T10:20:30.000Z',
      trust: 'valid',
      verdicts: [],
    });
    const own = figures.filter(({ id }) => id !== 'completed');
    expect(own).toEqual([
      ...['ttft.p50', 'ttft.p95'].map((name) => ({
        id: `chat-stream ${name}`,
        label: `chat-stream TTFT ${name.slice(5)}`,
        unit: 'ms',
        better: 'lower',
        scale: 'ratio',
        value: expect.closeTo(100, 0),
        effect: expect.closeTo(0.1, 12),
        floor: 5,
      })),
      {
        id: 'errors',
        label: 'Errors',
        unit: '%',
        better: 'lower',
        scale: 'difference',
        value: 5 / 400,
        effect: 0.005,
        floor: 0,
      },
      expect.objectContaining({ id: 'limited', value: 0 }),
    ]);
  });

  it('has effects that grow with the error of the figure', () => {
    const figure = {
      traffic: 'chat-stream',
      measure: 'ttft',
      q: 0.5,
      value: 100,
      low: 80,
      high: 110,
    };
    const { figures = [] } = storedOf(runOf(), { figures: [figure] }) ?? {};
    // Ten per cent of a figure that can be a quarter higher.
    expect(figures.find(({ id }) => id === 'chat-stream ttft.p50')?.effect).toBeCloseTo(0.375, 12);
  });

  it('has the verdicts on objectives, and that a limit was violated', () => {
    const own = { text: 'ttft.p95 < 1s', ruling: 'pass' };
    const verdicts = [{ ...own, grounds: 'kept', severity: 'fail' }] as never;
    expect(storedOf(runOf({ verdicts }))?.verdicts).toEqual([own]);
    const limits = (violated: boolean) => ({ violated, judged: true, keys: [] }) as never;
    expect(storedOf(runOf({ verdicts, limits: limits(true) }))?.verdicts).toEqual([
      own,
      { text: 'the limits of the keys', ruling: 'fail' },
    ]);
    expect(storedOf(runOf({ limits: limits(false) }))?.verdicts).toEqual([]);
  });

  it('is nothing if the run does not count', () => {
    expect(storedOf(runOf({ partial: 'stopped' }))).toBeNull();
    expect(storedOf(runOf({ groups: [] }))).toBeNull();
    expect(storedOf(runOf(), { level: 'invalid' })).toBeNull();
    expect(storedOf(runOf(), { level: 'degraded' })?.trust).toBe('degraded');
  });
});
