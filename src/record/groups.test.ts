import { describe, expect, it } from 'vitest';
import { decodeHistogram } from '../model/histogram.ts';
import type { Observation } from '../model/observation.ts';
import { instant } from '../model/quantity.ts';
import type { Group } from '../model/result.ts';
import { samplePlan } from '../model/sample-plan.ts';
import { groupRecorder } from './groups.ts';
import { sampleObservation, sampleStream } from './sample-observations.ts';

const [stage] = samplePlan().stages;
const plan = samplePlan({
  stages: [
    { ...stage!, name: 'zenith' },
    { ...stage!, name: 'afterwards' },
  ],
});

const grouped = (...observations: readonly Observation[]): readonly Group[] => {
  const recorder = groupRecorder(plan);
  const groups = recorder.empty();
  for (const observation of observations) recorder.record(groups, observation);
  return recorder.store(groups);
};
const streamed = (moments: readonly number[], differing = {}): Observation =>
  sampleObservation({
    traffic: 'chat-stream',
    outcome: { kind: 'completed', answer: sampleStream(moments, differing) },
  });

describe('groups', () => {
  it('keep apart whatever has other labels, in the plan’s order, the warm-up first', () => {
    const groups = grouped(
      sampleObservation({ stage: 1 }),
      sampleObservation({ key: 'spare' }),
      sampleObservation({ model: null, traffic: 'models' }),
      sampleObservation(),
      sampleObservation({ due: instant(1999.9) }),
      sampleObservation({ due: instant(2000) }),
    );
    expect(groups.map(({ labels }) => Object.values(labels).join(' '))).toMatchInlineSnapshot(`
      [
        "chat publisher/model-8b main zenith true",
        "chat publisher/model-8b main zenith false",
        "chat publisher/model-8b spare zenith false",
        "models  main zenith false",
        "chat publisher/model-8b main afterwards false",
      ]
    `);
    expect(groups.map(({ outcomes }) => outcomes.completed)).toEqual([1, 2, 1, 1, 1]);
  });

  it('hold the samples of every measure, to the microsecond', () => {
    const [group] = grouped(streamed([5100, 5120, 5150]));
    const samples = Object.entries(group!.distributions).map(([measure, encoded]) => [
      measure,
      decodeHistogram(encoded).count,
      encoded.sum,
    ]);
    expect(samples).toMatchInlineSnapshot(`
      [
        [
          "ttft",
          1,
          100,
        ],
        [
          "ttftService",
          1,
          96,
        ],
        [
          "firstEvent",
          1,
          96,
        ],
        [
          "firstVisible",
          1,
          100,
        ],
        [
          "gap",
          2,
          50,
        ],
        [
          "stall",
          1,
          30,
        ],
        [
          "tpot",
          1,
          25,
        ],
        [
          "outputSpeed",
          1,
          60,
        ],
        [
          "tokensPerChunk",
          1,
          1,
        ],
        [
          "endToEnd",
          1,
          150,
        ],
        [
          "serviceTime",
          1,
          196,
        ],
        [
          "headers",
          1,
          186,
        ],
        [
          "connect",
          1,
          2,
        ],
        [
          "closing",
          1,
          50,
        ],
        [
          "inputTokens",
          1,
          10,
        ],
        [
          "outputTokens",
          1,
          3,
        ],
      ]
    `);
  });

  it('sum tokens by where their count comes from, and input only where it is known', () => {
    const [group] = grouped(
      streamed([5100, 5120]),
      streamed([5100], { tokens: { input: null, output: 7, source: 'events' } }),
      streamed([5100], { tokens: { input: null, output: 5, source: 'usage' } }),
    );
    expect(group!.tokens).toEqual([
      { source: 'usage', answers: 2, answersWithInput: 1, input: 10, output: 7 },
      { source: 'events', answers: 1, answersWithInput: 0, input: 0, output: 7 },
    ]);
  });

  it('count the token events of streams that broke off, but leave these out of every figure', () => {
    const partial = sampleStream([5100, 5120, 5120], { coalesced: 1 });
    const [group] = grouped(
      sampleObservation({
        traffic: 'chat-stream',
        outcome: { kind: 'broken', cause: 'reset', detail: 'reset by peer', partial },
      }),
    );
    expect(group).toMatchObject({
      tokenEvents: 3,
      coalescedEvents: 1,
      tokens: [],
      distributions: {},
    });
    expect(group!.outcomes).toMatchObject({ broken: 1, completed: 0 });
  });

  it('flag fake streams and keep their gaps out', () => {
    const [group] = grouped(streamed([5100, 5101], { buffered: true }));
    expect(group!.buffered).toBe(1);
    expect(Object.keys(group!.distributions)).not.toContain('gap');
    expect(Object.keys(group!.distributions)).toContain('ttft');
  });

  it('count what was sent and over which connections', () => {
    const unsent = { connected: null, connection: null, sent: null, head: null } as const;
    const [group] = grouped(
      sampleObservation(),
      sampleObservation({ connection: 'reused' }),
      sampleObservation({ ...unsent, outcome: { kind: 'dropped', cause: 'saturated' } }),
    );
    expect(group).toMatchObject({ sent: 2, connections: { new: 1, reused: 1 } });
    expect(group!.outcomes).toMatchObject({ completed: 2, dropped: 1 });
  });
});
