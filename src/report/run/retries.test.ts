import type { Group } from '../../model/measures/counts.ts';
import { describe, expect, it } from 'vitest';
import { emptyHistogram } from '../../model/measures/histogram.ts';
import { milliseconds } from '../../model/quantity.ts';
import type { Result } from '../../model/result/result.ts';
import { emptyOutcomeCounts } from '../../model/measures/outcome-counts.ts';
import { retrySentences } from './outcomes.ts';
import { sampleReportPlan } from '../fixtures/sample-plan.fixture.ts';
import { sampleRunResult } from '../fixtures/sample-result.fixture.ts';

const encoded = (samples: readonly number[]) => {
  const histogram = emptyHistogram();
  for (const sample of samples) histogram.record(sample);
  return histogram.toJSON();
};

const retry = {
  attempts: 3,
  base: milliseconds(500),
  cap: milliseconds(30_000),
  on: ['limited' as const],
};
const result = sampleRunResult();
const withGroup = (differing: Partial<Group>, plan: Partial<Result['plan']>): Result => ({
  ...result,
  plan: { ...sampleReportPlan, ...plan },
  groups: [
    {
      ...result.groups[0]!,
      outcomes: { ...emptyOutcomeCounts(), completed: 90, limited: 10 },
      distributions: {},
      ...differing,
    },
  ],
});

describe('reconnects in words', () => {
  it('are counted over all groups, with or without retries', () => {
    const { groups } = withGroup({ reconnected: 2 }, {});
    const both = { ...result, groups: [...groups, ...groups] };
    expect(retrySentences(both)).toEqual([
      expect.stringMatching(/^Reconnected: 4 requests met a kept connection/),
    ]);
  });
});

describe('retries in words', () => {
  it('are left out if the plan has none', () => {
    expect(retrySentences(result)).toEqual([]);
  });

  it('report attempts, retried arrivals, successes, waits and why others were given up', () => {
    const waits = Array.from({ length: 40 }, (_, i) => 1000 + i);
    expect(
      retrySentences(
        withGroup(
          {
            attempts: 175,
            retried: 50,
            gaveUp: { attempts: 8, patience: 2 },
            distributions: { retryWait: encoded(waits) },
          },
          { retry },
        ),
      ),
    ).toMatchInlineSnapshot(`
      [
        "175 attempts for 100 arrivals; 50 of them (50.0 %) were retried, 40 successfully.",
        "Given up: 8 because all attempts were used, 2 because the wait would have passed the total deadline.",
        "Waited to retry, over 40 completed requests: p50 1,019 ms, p99 1,039 ms, maximum 1,039 ms.",
      ]
    `);
  });

  it('report the waits for a pace, also without retries', () => {
    const waits = Array.from({ length: 40 }, (_, i) => i * 1000);
    const pace = {
      requests: 60,
      tokens: null,
      window: milliseconds(60_000),
      margin: milliseconds(1000),
      charged: 'ended' as const,
    };
    expect(retrySentences(withGroup({ distributions: { paceWait: encoded(waits) } }, { pace })))
      .toMatchInlineSnapshot(`
        [
          "Waited for the pace, over 40 completed requests: p50 19,005 ms, p99 39,000 ms, maximum 39,000 ms.",
        ]
      `);
  });

  it('say that nothing was retried', () => {
    expect(retrySentences(withGroup({ attempts: 100, retried: 0 }, { retry }))).toEqual([
      '100 attempts for 100 arrivals; 0 of them (0.0 %) were retried, 0 successfully.',
    ]);
  });
});
