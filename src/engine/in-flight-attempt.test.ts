import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { BrokenCause } from '../model/observation/exchange.ts';
import { instant, milliseconds } from '../model/quantity.ts';
import type { AnswerReader } from '../traffic/traffic-handler.ts';
import { type AttemptResult, InFlightAttempt } from './in-flight-attempt.ts';

type Happening = 'connected' | 'sent' | 'read' | 'token' | 'complete';

/** An answer whose state the test sets. */
const readerOf = (state: { answering: boolean; complete: boolean }): AnswerReader => ({
  onHeaders: () => undefined,
  onChunk: () => undefined,
  ended: () => ({ kind: 'broken', cause: 'internal', detail: '', partial: null }),
  failed: (_, cause, detail) => ({ kind: 'broken', cause, detail, partial: null }),
  head: null,
  tokenEvents: 0,
  bytes: 0,
  retryHint: null,
  abortReason: null,
  get isAnswering() {
    return state.answering;
  },
  get isComplete() {
    return state.complete;
  },
});

const limit = fc.option(fc.integer({ min: 1, max: 900 }), { freq: 2 });
const deadlinesOf = fc.record({ connect: limit, firstToken: limit, idle: limit, total: limit });

const stepOf = fc.record({
  wait: fc.integer({ min: 0, max: 400 }),
  arriving: fc.constantFrom<Happening>('read', 'read', 'read', 'token', 'token', 'complete'),
});

/** Connected, sent, then reads; those without a token may come anywhere, also after the answer's end. */
const courseOf = fc
  .array(stepOf, { maxLength: 14 })
  .map((steps): readonly { at: number; what: Happening }[] => {
    let at = 0;
    let ended = false;
    return steps.map(({ wait, arriving }, n) => {
      at += wait;
      if (n < 2) return { at, what: n === 0 ? 'connected' : 'sent' };
      const what = ended ? 'read' : arriving;
      ended ||= what === 'complete';
      return { at, what };
    });
  });

const tickEvery = 20;
const lingering = 250;

it('an attempt is aborted at the first check after a deadline has passed, with that deadline as the cause', () => {
  fc.assert(
    fc.property(deadlinesOf, courseOf, (limits, course) => {
      const deadlines = {
        connect: limits.connect === null ? null : milliseconds(limits.connect),
        firstToken: limits.firstToken === null ? null : milliseconds(limits.firstToken),
        idle: limits.idle === null ? null : milliseconds(limits.idle),
        total: limits.total === null ? null : milliseconds(limits.total),
      };
      const state = { answering: false, complete: false };
      const since: { [H in Happening]?: number } = {};
      const cuts: { at: number; cause: BrokenCause }[] = [];
      let now = 0;
      const attempt = new InFlightAttempt(
        { due: instant(0), key: 'a', released: instant(0), reserved: null, begun: instant(0) },
        readerOf(state),
        { onSent: () => undefined, onFinished: () => undefined, onTick: () => undefined },
      );
      attempt.attach({ abort: (cause) => void cuts.push({ at: now, cause }) });
      const happen = {
        connected: () => attempt.onConnected(instant(now), 'new'),
        sent: () => attempt.onSent(instant(now)),
        read: () => attempt.onChunk(instant(now), new Uint8Array(1)),
        token: () => {
          state.answering = true;
          attempt.onChunk(instant(now), new Uint8Array(1));
        },
        complete: () => {
          state.answering = true;
          state.complete = true;
          attempt.onChunk(instant(now), new Uint8Array(1));
        },
      } satisfies Record<Happening, () => void>;
      const passed = (from: number | undefined, after: number | null): boolean =>
        from !== undefined && after !== null && now - from > after;
      /** Computed again from everything that has happened. */
      const expected = (): BrokenCause | null => {
        if (since.complete !== undefined) {
          return now - since.complete > lingering ? 'aborted' : null;
        }
        if (since.connected === undefined && passed(0, limits.connect)) return 'deadline-connect';
        if (!state.answering && passed(since.sent, limits.firstToken)) {
          return 'deadline-first-token';
        }
        const { token, read = token } = since;
        const lastRead = read === undefined ? read : Math.max(read, token ?? read);
        if (passed(lastRead, limits.idle)) return 'deadline-idle';
        return passed(0, limits.total) ? 'deadline-total' : null;
      };
      const left = [...course];
      for (let tick = tickEvery; tick < 6000; tick += tickEvery) {
        for (let next = left[0]; next !== undefined && next.at <= tick; next = left[0]) {
          left.shift();
          now = next.at;
          since[next.what] = now;
          happen[next.what]();
        }
        now = tick;
        const cause = expected();
        attempt.checkDeadlines(instant(now), deadlines);
        expect(cuts).toEqual(cause === null ? [] : [{ at: tick, cause }]);
        if (cause !== null) return;
      }
    }),
    { numRuns: 200 },
  );
});

it('when a request is sent again on a new connection, the attempt takes the instants of that connection, starts its connect deadline anew, and notes when it moved', () => {
  const deadlines = {
    connect: milliseconds(100),
    firstToken: milliseconds(50),
    idle: null,
    total: null,
  };
  const results: AttemptResult[] = [];
  const begin = (): InFlightAttempt => {
    const attempt = new InFlightAttempt(
      { due: instant(0), key: 'a', released: instant(0), reserved: null, begun: instant(1) },
      readerOf({ answering: false, complete: false }),
      {
        onSent: () => undefined,
        onFinished: (_, result) => void results.push(result),
        onTick: () => undefined,
      },
    );
    attempt.attach({
      abort: (cause, detail) => attempt.onFailure(instant(999), cause, detail),
    });
    attempt.onConnected(instant(2), 'reused');
    attempt.onSent(instant(3));
    attempt.onReconnect(instant(40));
    return attempt;
  };
  const moved = begin();
  // Not sent as yet, and connecting since 40.
  moved.checkDeadlines(instant(140), deadlines);
  expect(results).toEqual([]);
  moved.onConnected(instant(141), 'new');
  moved.onSent(instant(142));
  moved.onEnd(instant(150));
  begin().checkDeadlines(instant(141), deadlines);
  expect(results.map(({ facts }) => facts)).toMatchObject([
    { connection: 'new', reconnected: 40, connected: 141, sent: 142, ended: 150 },
    { connection: null, reconnected: 40, connected: null, sent: null },
  ]);
  expect(results[1]!.outcome).toMatchObject({ cause: 'deadline-connect' });
});

it('what was read before a deadline and waits for its turn still counts', () => {
  const deadlines = { connect: null, firstToken: milliseconds(50), idle: null, total: null };
  const state = { answering: false, complete: false };
  const causes: BrokenCause[] = [];
  const attempt = new InFlightAttempt(
    { due: instant(0), key: 'a', released: instant(0), reserved: null, begun: instant(0) },
    readerOf(state),
    { onSent: () => undefined, onFinished: () => undefined, onTick: () => undefined },
  );
  let waiting: (() => void) | null = null;
  attempt.attach({
    abort: (cause) => void causes.push(cause),
    catchUp: () => {
      waiting?.();
      waiting = null;
    },
  });
  attempt.onConnected(instant(1), 'new');
  attempt.onSent(instant(2));
  waiting = () => {
    state.answering = true;
    attempt.onChunk(instant(40), new Uint8Array(1));
  };
  attempt.checkDeadlines(instant(60), deadlines);
  expect(causes).toEqual([]);
  waiting = () => attempt.onEnd(instant(70));
  attempt.checkDeadlines(instant(2000), { ...deadlines, total: milliseconds(100) });
  expect(causes).toEqual([]);
});

it('an attempt that must connect again gets the whole connect deadline again, which is checked once it has passed', () => {
  const cuts: BrokenCause[] = [];
  const attempt = new InFlightAttempt(
    { due: instant(0), key: 'a', released: instant(0), reserved: null, begun: instant(0) },
    readerOf({ answering: false, complete: false }),
    { onSent: () => undefined, onFinished: () => undefined, onTick: () => undefined },
  );
  attempt.attach({ abort: (cause) => void cuts.push(cause) });
  const deadlines = { connect: milliseconds(100), firstToken: null, idle: null, total: null };
  attempt.onConnected(instant(0), 'new');
  attempt.onSent(instant(0));
  attempt.checkDeadlines(instant(20), deadlines);
  attempt.onReconnect(instant(30));
  attempt.checkDeadlines(instant(130), deadlines);
  expect(cuts).toEqual([]);
  attempt.checkDeadlines(instant(140), deadlines);
  expect(cuts).toEqual(['deadline-connect']);
});
