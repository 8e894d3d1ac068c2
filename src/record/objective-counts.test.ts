import type { Group } from '../model/measures/counts.ts';
import { describe, expect, it } from 'vitest';
import { instant } from '../model/quantity.ts';
import { recordObjectiveCounts } from './group-counts.ts';
import { addCounts } from './recorder.ts';
import { refusedWith, sampleObservation } from './sample-observations.fixture.ts';

const scope = { traffic: null, model: null, key: null, stages: null };
const bound = { scope, comparison: '<', bound: 150 } as const;
const objectives = [
  { ...bound, text: 'e2e < 150ms', measure: 'endToEnd' as const },
  { ...bound, text: 'ttft < 150ms', measure: 'ttft' as const },
];

const counted = (...given: Parameters<typeof sampleObservation>[]): Pick<Group, 'good'> => {
  const group: Pick<Group, 'good'> = {};
  for (const each of given)
    recordObjectiveCounts(group, objectives, sampleObservation(...each), 'steady');
  return group;
};

describe('requests that meet the per-request objectives', () => {
  it('are counted, for all objectives together and for each', () => {
    // The sample takes 200 ms from due to its end. It is a whole chat, which has no first token.
    const quick = { ended: instant(5100) };
    expect(counted([], [quick], []).good).toEqual({ all: 1, each: [1, 3] });
  });

  it('never include failed requests, even if no objective concerns their kind', () => {
    const failed = sampleObservation({ outcome: refusedWith('no') });
    const group: Pick<Group, 'good'> = {};
    recordObjectiveCounts(group, objectives.slice(1), failed, 'steady');
    expect(group.good).toEqual({ all: 0, each: [0] });
  });

  it('are added up', () => {
    const whole: Pick<Group, 'good'> = {};
    addCounts(whole, counted([]));
    addCounts(whole, {});
    addCounts(whole, counted([], []));
    expect(whole.good).toEqual({ all: 0, each: [0, 3] });
  });

  it('are not counted without objectives', () => {
    const group: Pick<Group, 'good'> = {};
    recordObjectiveCounts(group, [], sampleObservation(), 'steady');
    expect(group).toEqual({});
  });
});
