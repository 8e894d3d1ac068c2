import type { TimelineSecond } from '../model/measures/counts.ts';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attemptsOf, type Observation } from '../model/observation/observation.ts';
import { instant, milliseconds } from '../model/quantity.ts';
import { countArrivals } from '../model/measures/outcome-counts.ts';
import { lagOver } from '../model/result/summary.ts';
import { anyObservations } from './recorder-suite.fixture.ts';
import { sampleObservation, sampleStream } from './sample-observations.fixture.ts';
import { timelineRecorder } from './timeline.ts';

const timelineOf = (
  observations: readonly Observation[],
  openSeconds?: number,
): readonly TimelineSecond[] => {
  const recorder = timelineRecorder(openSeconds);
  const timeline = recorder.restore([]);
  for (const observation of observations) recorder.record(timeline, observation);
  return recorder.store(timeline);
};

const slowStream = sampleObservation({
  traffic: 'chat-stream',
  due: instant(500),
  released: instant(500),
  begun: instant(1002),
  sent: instant(2004),
  ended: instant(4100),
  outcome: { kind: 'completed', answer: sampleStream([3000, 3010, 4000]) },
});
const dropped = sampleObservation({
  due: instant(900),
  begun: instant(1100),
  sent: null,
  head: null,
  ended: instant(1100),
  outcome: { kind: 'dropped', cause: 'saturated' },
});

describe('the timeline', () => {
  it('has the time to the first token of streams whose prompts repeat earlier ones', () => {
    const answer = sampleStream([3000, 3010, 4000]);
    const tokens = { ...answer.tokens, input: 50, repeated: 30 };
    const streamed = (changes: object): Observation => ({
      ...slowStream,
      outcome: { kind: 'completed', answer: { ...answer, tokens, ...changes } },
    });
    const prefillOf = (changes: object) => timelineOf([streamed(changes)])[4]!.prefill;
    // Sent at 2004, and the first token came at 3000.
    expect(prefillOf({})).toMatchObject({ answers: 1, t: 996 });
    expect(prefillOf({ firstToken: null })).toBeUndefined();
    expect(prefillOf({ tokens: { ...tokens, repeated: undefined } })).toBeUndefined();
  });

  it('counts every instant in its own second, from 0 on without a gap', () => {
    const seconds = timelineOf([slowStream, dropped]);
    const counts = seconds.map(({ second, due, begun, sent, ended, tokenEvents, outcomes }) =>
      [second, due, begun, sent, ended, tokenEvents, outcomes.completed, outcomes.dropped].join(
        ' ',
      ),
    );
    expect(counts).toEqual([
      '0 2 0 0 0 0 0 0',
      '1 0 1 0 0 0 0 1',
      '2 0 0 1 0 0 0 0',
      '3 0 0 0 0 2 0 0',
      '4 0 0 0 1 1 1 0',
    ]);
  });

  it('keeps latencies, at two digits, in the second in which the request was due', () => {
    const [first, ...later] = timelineOf([slowStream, dropped]);
    expect(Object.keys(first!.latency)).toEqual(['chat-stream']);
    const latency = first!.latency['chat-stream']!;
    expect(Object.keys(latency)).toEqual(['ttft', 'gap', 'endToEnd', 'lag']);
    expect(Object.values(latency).map(({ digits, count, max }) => [digits, count, max])).toEqual([
      [2, 1, 2500],
      [2, 2, 990],
      [2, 1, 3500],
      [2, 1, 502],
    ]);
    expect(later.map((second) => second.latency)).toEqual([{}, {}, {}, {}]);
  });

  it('separates traffic kinds, in the order of their table', () => {
    const models = sampleObservation({
      traffic: 'models',
      model: null,
      due: instant(100),
      released: instant(100),
      begun: instant(101),
      sent: instant(102),
      ended: instant(104),
      outcome: {
        kind: 'completed',
        answer: { kind: 'models', firstByte: instant(103), models: 3, notes: [] },
      },
    });
    const chat = sampleObservation({ due: instant(300), ended: instant(1700) });
    const [first] = timelineOf([models, slowStream, chat, models]);
    expect(
      Object.entries(first!.latency).map(([kind, { endToEnd }]) => [
        kind,
        endToEnd?.count,
        endToEnd?.max,
      ]),
    ).toEqual([
      ['chat', 1, 1400],
      ['chat-stream', 1, 3500],
      ['models', 2, 4],
    ]);
  });

  it('includes the lag of failed requests', () => {
    const failed = sampleObservation({
      outcome: { kind: 'broken', cause: 'reset', detail: '', partial: null },
    });
    expect(Object.keys(timelineOf([failed])[5]!.latency.chat!)).toEqual(['lag']);
  });

  it('is empty without observations', () => {
    expect(timelineOf([])).toEqual([]);
  });

  it('counts every attempt at its own instants, and the arrival once', () => {
    const earlier = {
      ...sampleObservation(),
      released: instant(900),
      begun: instant(905),
      sent: instant(906),
      ended: instant(1950),
      outcome: { kind: 'broken', cause: 'connect-reset', detail: '', partial: null },
      wait: milliseconds(50),
      waitBy: 'backoff',
    } as const;
    const twice = sampleObservation({
      due: instant(900),
      released: instant(2000),
      begun: instant(2001),
      sent: instant(2002),
      ended: instant(3000),
      earlier: [earlier],
    });
    const seconds = timelineOf([twice]);
    expect(
      seconds.map(({ due, begun, sent, ended, outcomes }) => [
        due,
        begun,
        sent,
        ended,
        outcomes.completed,
      ]),
    ).toEqual([
      [1, 1, 1, 0, 0],
      [0, 0, 0, 1, 0],
      [0, 1, 1, 0, 0],
      [0, 0, 0, 1, 1],
    ]);
    expect(lagOver(seconds)).toMatchObject({ count: 2, max: 5 });
  });

  it('counts every arrival and every exchange that began', () => {
    fc.assert(
      fc.property(anyObservations, (observations) => {
        const seconds = timelineOf(observations);
        const sum = (of: (second: TimelineSecond) => number) =>
          seconds.reduce((a, b) => a + of(b), 0);
        const gone = observations.flatMap(attemptsOf).length;
        expect(seconds.map(({ second }) => second)).toEqual([...seconds.keys()]);
        expect(sum(({ due }) => due)).toBe(observations.length);
        expect(sum(({ outcomes }) => countArrivals(outcomes))).toBe(observations.length);
        expect([sum(({ begun }) => begun), sum(({ ended }) => ended)]).toEqual([gone, gone]);
        expect(lagOver(seconds).count).toBe(gone);
      }),
    );
  });

  it('does not depend on the number of open seconds', () => {
    fc.assert(
      fc.property(anyObservations, fc.integer({ min: 1, max: 4 }), (observations, openSeconds) => {
        expect(timelineOf(observations, openSeconds)).toEqual(timelineOf(observations));
      }),
      { numRuns: 30 },
    );
  });

  it('keeps no more seconds open than its limit', () => {
    const recorder = timelineRecorder(2);
    const timeline = recorder.restore([]);
    for (const second of [0, 1, 2, 3, 0, 9]) {
      recorder.record(
        timeline,
        sampleObservation({ due: instant(second * 1000), ended: instant(20_000) }),
      );
    }
    expect([...timeline.open.keys()]).toEqual([0, 9]);
    expect([...timeline.sealed.keys()].toSorted((a, b) => a - b)).toEqual([1, 2, 3]);
  });

  it('keeps sixteen seconds open when parts are added, and loses none of the others', () => {
    const recorder = timelineRecorder();
    const part = recorder.restore([]);
    for (let second = 0; second < 30; second += 1) {
      const due = instant(second * 1000);
      recorder.record(part, sampleObservation({ due, ended: instant(40_000) }));
    }
    const whole = recorder.restore([]);
    recorder.add(whole, part);
    expect([part.open.size, whole.open.size]).toEqual([30, 16]);
    expect(recorder.store(whole)).toEqual(recorder.store(part));
  });
});
