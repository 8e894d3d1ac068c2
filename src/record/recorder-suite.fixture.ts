import {
  type Answer,
  answerNoteNames,
  droppedCauses,
  malformedIssues,
  type Outcome,
  type OutcomeKind,
  tokenSources,
} from '../model/observation/outcome.ts';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { brokenCauses } from '../model/observation/exchange.ts';
import { type Observation } from '../model/observation/observation.ts';
import { type RetriedAttempt, gaveUpNames, waitSources } from '../model/observation/attempt.ts';
import { type Instant, instant, milliseconds } from '../model/quantity.ts';
import { type TrafficKind, trafficKinds } from '../model/workload/traffic.ts';
import type { Recorder } from './recorder.ts';

/**
 * This file generates observations of every traffic kind and outcome, and tests the laws that every recorder must obey.
 */

const count = fc.nat(9);
/** Generates durations in eighths of a millisecond. Their sums are exact, and not always whole thousandths. */
const span = fc.nat(12_000).map((eighths) => eighths / 8);
/** Generates durations of up to ten seconds, in eighths of a second. */
const seconds = fc.nat(80).map((eighths) => eighths / 8);
const clipSeconds = fc.option(seconds);
const words = fc.option(fc.record({ wrong: count, expected: count }));
/** Generates tokens in eighths of a thousand, which keep the sums of prefills exact. */
const promptTokens = fc.nat(9).map((eighths) => eighths * 125);
const tokens = fc.record(
  {
    input: fc.option(promptTokens),
    output: count,
    source: fc.constantFrom(...tokenSources),
    asked: count,
    cached: promptTokens,
    repeated: promptTokens,
  },
  { requiredKeys: ['input', 'output', 'source'] },
);
const finish = fc.oneof(
  fc.constantFrom('stop', 'length', 'Length', 'others', '__proto__', 'constructor', null),
  // These are more reasons than a group keeps.
  fc.nat(40).map((n) => `invented ${n}`),
);
const notes = fc.subarray([...answerNoteNames], { maxLength: 3 });
const cost = fc.option(fc.nat(5000));

/** Returns instants between two moments, in order. */
const between = (from: number, to: number, length: number): Float64Array =>
  Float64Array.from({ length }, (_, i) => from + ((to - from) * (i + 1)) / (length + 1));

const streamed = (firstByte: Instant, ended: Instant): fc.Arbitrary<Answer> =>
  fc
    .record({
      events: fc.nat(6),
      pings: fc.nat(2),
      reasoning: fc.boolean(),
      tokens,
      finish,
      firstChunkTokens: fc.option(fc.constant(1)),
      buffered: fc.boolean(),
      coalesced: fc.nat(6),
      notes,
      cost,
    })
    .map(({ events, pings, reasoning, coalesced, ...rest }) => {
      const tokenInstants = between(firstByte, ended, events);
      const at = (i: number): Instant | null => {
        const moment = tokenInstants.at(i);
        return moment === undefined ? null : instant(moment);
      };
      return {
        kind: 'chat-stream',
        firstByte,
        firstEvent: firstByte,
        firstToken: at(0),
        firstVisible: reasoning ? null : at(0),
        lastToken: at(-1),
        tokenInstants,
        commentInstants: between(firstByte, ended, pings),
        coalesced: Math.min(coalesced, Math.max(0, events - 1)),
        ...rest,
      } satisfies Answer;
    });

const answers = {
  chat: (firstByte) =>
    fc.record({
      kind: fc.constant('chat'),
      firstByte: fc.constant(firstByte),
      tokens,
      finish,
      notes,
      cost,
    }),
  'chat-stream': streamed,
  speech: (firstByte, ended) =>
    fc.record({
      kind: fc.constant('speech'),
      firstByte: fc.constant(firstByte),
      firstAudio: fc.constantFrom(firstByte, ended),
      bytes: fc.nat(99_999),
      audioSeconds: seconds,
      characters: count,
      notes,
      cost,
    }),
  transcription: (firstByte) =>
    fc.record({
      kind: fc.constant('transcription'),
      firstByte: fc.constant(firstByte),
      audioSeconds: clipSeconds,
      words,
      notes,
      cost,
    }),
  models: (firstByte) =>
    fc.record({
      kind: fc.constant('models'),
      firstByte: fc.constant(firstByte),
      models: count,
      notes,
    }),
} satisfies Record<TrafficKind, (firstByte: Instant, ended: Instant) => fc.Arbitrary<Answer>>;

const sentence = fc.constantFrom(
  '',
  'Key 12 has no credit',
  'Key 13 has no credit',
  'no such model: "a-1"',
  'line\nbreak\ttab',
);
const refusal = fc.record({
  status: fc.constantFrom(400, 401, 500),
  form: fc.constantFrom('error' as const, 'detail' as const, 'html' as const),
  type: fc.option(fc.constantFrom('invalid_request_error', 'None')),
  code: fc.option(fc.constantFrom('invalid_api_key', '429')),
  message: sentence,
});

const outcomes = {
  completed: (answer) => answer.map((each) => ({ kind: 'completed', answer: each })),
  limited: () =>
    refusal.map((each) => ({
      kind: 'limited',
      refusal: { ...each, status: 429 },
      unit: 'requests',
      retryAfter: milliseconds(60_000),
      resetIn: null,
    })),
  refused: () => refusal.map((each) => ({ kind: 'refused', refusal: each })),
  malformed: (answer) =>
    fc.record({
      kind: fc.constant('malformed'),
      issue: fc.constantFrom(...malformedIssues),
      detail: sentence,
      partial: fc.option(answer, { nil: null }),
    }),
  broken: (answer) =>
    fc.record({
      kind: fc.constant('broken'),
      cause: fc.constantFrom(...brokenCauses),
      detail: sentence,
      partial: fc.option(answer, { nil: null }),
    }),
  dropped: () =>
    fc.record({ kind: fc.constant('dropped'), cause: fc.constantFrom(...droppedCauses) }),
  cancelled: (answer) =>
    fc.record({
      kind: fc.constant('cancelled'),
      bytes: count,
      partial: fc.option(answer, { nil: null }),
    }),
} satisfies Record<OutcomeKind, (answer: fc.Arbitrary<Answer>) => fc.Arbitrary<Outcome>>;

const heads = (at: Instant) =>
  fc.record({
    at: fc.constant(at),
    status: fc.constantFrom(200, 429),
    quota: fc.option(
      fc.record({
        limitRequests: fc.option(fc.constant(60)),
        remainingRequests: fc.option(count),
        limitTokens: fc.constant(null),
        remainingTokens: fc.constant(null),
      }),
    ),
    serverId: fc.option(fc.constant('server-1')),
  });

const labels = fc.record({
  requestId: fc.nat(999).map((n) => `run-${n}`),
  stage: fc.nat(1),
  index: fc.nat(999),
  traffic: fc.constantFrom(...trafficKinds),
  model: fc.option(fc.constantFrom('publisher/a', 'publisher/b')),
  key: fc.constantFrom('main', 'spare'),
});

/** Generates up to two attempts before one that was released at the given instant. */
const earlierAttempts = (
  due: number,
  released: number,
): fc.Arbitrary<readonly RetriedAttempt[]> => {
  const half = (released - due) / 2;
  const attempt = fc.record({
    key: fc.constantFrom('main', 'spare'),
    wait: fc.constantFrom(0, half / 2, half).map((length) => milliseconds(length)),
    waitBy: fc.constantFrom(...waitSources),
    wasSent: fc.boolean(),
    limited: outcomes.limited(),
    broken: outcomes.broken(fc.constant(null as never)),
  });
  return fc.array(attempt, { maxLength: 2 }).map((list) =>
    list.map(({ wasSent, limited, broken, ...rest }, index): RetriedAttempt => {
      const at = instant(due + index * half);
      return {
        ...rest,
        released: at,
        reserved: null,
        begun: at,
        connected: wasSent ? at : null,
        connection: wasSent ? 'reused' : null,
        sent: wasSent ? at : null,
        head: wasSent ? { at, status: 429, quota: null, serverId: null } : null,
        ended: at,
        outcome: wasSent ? limited : { ...broken, partial: null },
      };
    }),
  );
};

/** Generates observations whose instants are in the order of real ones. */
export const anyObservation: fc.Arbitrary<Observation> = fc
  .record({
    labels,
    kind: fc.constantFrom<OutcomeKind>(
      'completed',
      'completed',
      'completed',
      'limited',
      'refused',
      'malformed',
      'broken',
      'dropped',
      'cancelled',
    ),
    toCancel: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
    connection: fc.constantFrom('new' as const, 'reused' as const),
    wasSent: fc.boolean(),
    spans: fc.array(span, { minLength: 7, maxLength: 7 }),
  })
  .chain(({ labels: named, kind, connection, wasSent, toCancel, spans }) => {
    let now = 0;
    const [due, released, begun, connected, sent, headAt, ended] = spans.map((length) => {
      now += length;
      return instant(now);
    }) as [Instant, Instant, Instant, Instant, Instant, Instant, Instant];
    const dropped = kind === 'dropped';
    const went = !dropped && (kind !== 'broken' || wasSent);
    return fc.record({
      ...(Object.fromEntries(
        Object.entries(named).map(([name, value]) => [name, fc.constant(value)]),
      ) as {
        [K in keyof typeof named]: fc.Arbitrary<(typeof named)[K]>;
      }),
      due: fc.constant(due),
      released: fc.constant(dropped ? due : released),
      reserved: fc.constantFrom(null, 40),
      begun: fc.constant(begun),
      connected: fc.constant(went ? connected : null),
      connection: fc.constant(went ? connection : null),
      sent: fc.constant(went ? sent : null),
      head: went
        ? kind === 'broken'
          ? fc.option(heads(headAt))
          : heads(headAt)
        : fc.constant(null),
      ended: fc.constant(dropped ? begun : ended),
      earlier: dropped ? fc.constant([]) : earlierAttempts(due, released),
      gaveUp: fc.constantFrom(null, ...gaveUpNames),
      ...(toCancel || kind === 'cancelled' ? { toCancel: fc.constant(true as const) } : {}),
      outcome: outcomes[kind](answers[named.traffic](headAt, ended)) as fc.Arbitrary<Outcome>,
    });
  });

export const anyObservations = fc.array(anyObservation, { maxLength: 25 });

/** Tests the laws of `Recorder`. `runs` is the number of generated cases for each law. */
export const itObeysTheLaws = <State, Stored>(
  name: string,
  recorder: Recorder<State, Stored>,
  { observations = anyObservations, runs = 15 } = {},
): void => {
  const { add, store, restore, split } = recorder;
  const empty = (): State => restore([]);
  const merge = (...states: readonly State[]): State => {
    const whole = empty();
    for (const state of states) add(whole, state);
    return whole;
  };
  const recorded = (list: readonly Observation[]): State => {
    const state = empty();
    for (const observation of list) recorder.record(state, observation);
    return state;
  };
  const check = (law: (...lists: readonly Observation[][]) => void): void =>
    fc.assert(
      fc.property(observations, observations, observations, (a, b, c) => law(a, b, c)),
      { numRuns: runs },
    );
  describe(`the laws of ${name}`, () => {
    it('gives the same for merged parts as for the whole', () => {
      check((a = [], b = []) => {
        expect(store(merge(recorded(a), recorded(b)))).toEqual(store(recorded([...a, ...b])));
      });
    });
    it('merges in any order and grouping', () => {
      check((first = [], second = [], third = []) => {
        const [a, b, c] = [recorded(first), recorded(second), recorded(third)];
        expect(store(merge(b, a))).toEqual(store(merge(a, b)));
        expect(store(merge(merge(a, b), c))).toEqual(store(merge(a, merge(b, c))));
      });
    });
    it('does not change when merged with an empty state, and does not change the parts that it merges', () => {
      check((first = [], second = []) => {
        const [a, b] = [recorded(first), recorded(second)];
        const before = store(a);
        expect(store(merge(a, empty()))).toEqual(before);
        expect(store(merge(empty(), a))).toEqual(before);
        merge(a, b);
        merge(b, a);
        expect(store(a)).toEqual(before);
      });
    });
    it('does not depend on the order of the observations', () => {
      check((a = []) => {
        expect(store(recorded(a.toReversed()))).toEqual(store(recorded(a)));
      });
    });
    it('equals the sum of its portions, as states and as stored', () => {
      check((a = [], b = []) => {
        const whole = recorded([...a, ...b]);
        const before = store(whole);
        const portions = [...split(recorded(a)), ...split(recorded(b))];
        expect(store(merge(...portions.map(({ state }) => state)))).toEqual(before);
        expect(store(merge(...portions.map(({ stored }) => restore(stored))))).toEqual(before);
      });
    });
    it('has a stored form that stays as it is while more is recorded', () => {
      check((a = [], b = []) => {
        const state = recorded(a);
        const stored = store(state);
        const before = structuredClone(stored);
        for (const observation of b) recorder.record(state, observation);
        add(state, recorded(b));
        expect(stored).toEqual(before);
      });
    });
    it('can be stored, restored and recorded into further', () => {
      check((a = [], b = []) => {
        const stored = store(recorded(a));
        const written = JSON.parse(JSON.stringify(stored)) as Stored[];
        expect(written).toEqual(stored);
        const state = restore(written);
        expect(store(state)).toEqual(stored);
        for (const observation of b) recorder.record(state, observation);
        expect(store(state)).toEqual(store(recorded([...a, ...b])));
        expect(store(merge(restore(written), recorded(b)))).toEqual(store(state));
      });
    });
  });
};
