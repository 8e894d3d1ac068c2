import { describe, expect, it } from 'vitest';
import { samplePlan } from '../model/plan/sample-plan.fixture.ts';
import type { TokenCounts } from '../model/observation/outcome.ts';
import { groupRecorder } from './groups.ts';
import { sampleObservation } from './sample-observations.fixture.ts';
import { timelineRecorder } from './timeline.ts';

const chat = (tokens: Partial<TokenCounts>) => {
  const { outcome, ...sample } = sampleObservation();
  if (outcome.kind !== 'completed' || outcome.answer.kind !== 'chat') throw new Error('no chat');
  const answer = { ...outcome.answer, tokens: { ...outcome.answer.tokens, ...tokens } };
  return { ...sample, outcome: { ...outcome, answer } };
};

const observations = [
  chat({ input: 100, cached: 64 }),
  chat({ input: 50, cached: 0 }),
  chat({ input: 30, cached: 40 }),
  chat({ input: 70 }),
  chat({ input: null, cached: 5 }),
];

const record = () => {
  const [groups, timeline] = [groupRecorder(samplePlan()), timelineRecorder()];
  const [counted, seconds] = [groups.restore([]), timeline.restore([])];
  for (const each of observations) {
    groups.record(counted, each);
    timeline.record(seconds, each);
  }
  return { groups: groups.store(counted), timeline: timeline.store(seconds) };
};

describe('the sums of cached tokens', () => {
  it('have the answers that report them and their prompts, of which no more is cached than there is', () => {
    const { groups, timeline } = record();
    expect(groups[0]!.tokens[0]).toMatchObject({
      answers: 5,
      answersWithInput: 4,
      cached: { answers: 3, input: 180, tokens: 94 },
    });
    expect(timeline.at(-1)!.cached).toEqual({ input: 180, tokens: 94 });
  });
});
