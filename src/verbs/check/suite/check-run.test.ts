import { describe, expect, it } from 'vitest';
import { CheckAnswer, type ReceivedAnswer } from '../reading/check-answer.ts';
import { type CheckRequest, free } from '../reading/check-case.ts';
import { CheckRun } from './run-checks.ts';

/** The order, the repeats and the end of the requests of a check, in virtual time. */

const wire = { method: 'GET', path: '/', headers: {}, body: null } as const;

const requestOf = (id: string, changes: Partial<CheckRequest> = {}): CheckRequest => ({
  id,
  key: 'valid',
  base: 'versioned',
  cost: free,
  isSerial: false,
  onlyIfRefused: null,
  isStream: false,
  build: () => wire,
  ...changes,
});

const broken = (cause: string): ReceivedAnswer['failure'] =>
  ({ cause, detail: 'd' }) as ReceivedAnswer['failure'];

interface Script {
  /** What comes for a request, by its id and how often it was sent before. */
  readonly answer?: (id: string, before: number) => Partial<ReceivedAnswer>;
  /** How long an answer takes, in ms. */
  readonly took?: number;
  readonly stopReason?: (now: number) => string | null;
}

/** Sends requests to a target of virtual time. Keeps what was sent, and how many were in flight at most. */
const runOf = ({ answer = () => ({}), took = 0, stopReason = () => null }: Script) => {
  let now = 1000;
  let [inFlight, most] = [0, 0];
  const sent: string[] = [];
  const short: boolean[] = [];
  const slept: number[] = [];
  const said: string[] = [];
  const client = {
    now: () => now,
    wall: () => now,
    sleep: async (length: number) => {
      slept.push(length);
      now += length;
    },
    send: async ({ id }: CheckRequest, _: unknown, isShort: boolean) => {
      const before = sent.filter((each) => each === id).length;
      sent.push(id);
      short.push(isShort);
      inFlight += 1;
      most = Math.max(most, inFlight);
      // So that others can be sent before the answer is there.
      for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
      inFlight -= 1;
      now += took;
      const received = {
        status: 200,
        headers: {},
        body: Buffer.alloc(0),
        encoding: null,
        failure: null,
        took,
        isLeftOpen: false,
        ...answer(id, before),
      };
      return new CheckAnswer(id, received, wire, (text) => text);
    },
  };
  const run = new CheckRun(client, {
    target: {} as never,
    stopReason: () => stopReason(now),
    say: (text) => void said.push(text),
  });
  const sendAll = (...requests: readonly CheckRequest[]) =>
    run.sendAll(requests.map((request) => ({ request, wire })));
  return { run, sendAll, sent, short, slept, said, most: () => most, now: () => now };
};

describe('the requests of a check', () => {
  it('come three at a time, the serial ones before them, and each only once', async () => {
    const { run, sendAll, sent, most } = runOf({});
    const ids = ['a', 'b', 'c', 'd', 'e'];
    await sendAll(...ids.map((id) => requestOf(id)), requestOf('s', { isSerial: true }));
    expect(sent).toEqual(['s', ...ids]);
    expect(most()).toBe(3);
    expect(run.sent).toBe(6);
    expect([...run.answers.keys()]).toEqual(['s', ...ids]);
    await sendAll(requestOf('b'), requestOf('f'));
    expect(sent.slice(6)).toEqual(['f']);
  });

  it('are sent one after another if they are serial', async () => {
    const { sendAll, sent, most } = runOf({});
    await sendAll(requestOf('a', { isSerial: true }), requestOf('b', { isSerial: true }));
    expect([sent, most()]).toEqual([['a', 'b'], 1]);
  });

  it.each([
    [400, true],
    [499, true],
    [399, false],
    [500, false],
    [429, false],
    [null, false],
  ])('that follow a refusal come after the status %s: %s', async (status, follows) => {
    const { sendAll, sent } = runOf({ answer: (id) => (id === 'a' ? { status } : {}) });
    await sendAll(requestOf('more', { onlyIfRefused: 'a' }), requestOf('a'));
    expect(sent.includes('more')).toBe(follows);
    expect(sent[0]).toBe('a');
  });

  it('that cannot be built of the target are left out', () => {
    const { run } = runOf({});
    run.target = { chat: 'm' } as never;
    const able = requestOf('able', {
      build: ({ chat }) => (chat === 'm' ? wire : null),
    });
    const built = run.build([requestOf('unable', { build: () => null }), able]);
    expect(built).toEqual([{ request: able, wire }]);
  });
});

describe('a failed request', () => {
  it.each<readonly [string, Partial<ReceivedAnswer>, number]>([
    ['500', { status: 500 }, 2],
    ['502', { status: 502 }, 2],
    ['503', { status: 503 }, 2],
    ['504', { status: 504 }, 2],
    ['501', { status: 501 }, 1],
    ['400', { status: 400 }, 1],
    ['reset', { status: null, failure: broken('reset') }, 2],
    ['closed-early', { status: null, failure: broken('closed-early') }, 2],
    ['closed-on-reuse', { status: null, failure: broken('closed-on-reuse') }, 2],
    ['connect-reset', { status: null, failure: broken('connect-reset') }, 2],
    ['connect-refused', { status: null, failure: broken('connect-refused') }, 1],
    ['reset after its head', { status: 200, failure: broken('reset') }, 1],
    ['reset after a 500', { status: 500, failure: broken('reset') }, 1],
  ])('with %s is sent again once, after a second, if it may pass', async (_, answer, times) => {
    const { run, sendAll, sent, slept } = runOf({ answer: () => answer });
    await sendAll(requestOf('a'));
    expect(sent).toHaveLength(times);
    expect(slept).toEqual(times === 2 ? [1000] : []);
    expect(run.repeated).toHaveLength(times - 1);
    expect(run.answers.get('a')!.received).toMatchObject(answer);
    expect(run.sent).toBe(times);
  });

  it('has the deadline shortened after two answers in a row that were late', async () => {
    const late = { status: null, failure: broken('deadline-total') };
    const { sendAll, short } = runOf({ answer: (id) => (id === 'ok' ? {} : late) });
    const serial = ['1', '2', '3', 'ok', '4', '5', '6'].map((id) =>
      requestOf(id, { isSerial: true }),
    );
    await sendAll(...serial);
    expect(short).toEqual([false, false, true, true, false, false, true]);
  });
});

describe('a limited key', () => {
  const limited = { status: 429, headers: { 'retry-after': '2' } };

  it('is waited for three times, and its answers are kept', async () => {
    const { run, sendAll, sent, said, now } = runOf({ answer: () => limited });
    await sendAll(requestOf('a'));
    expect(sent).toHaveLength(4);
    expect(run.waits).toBe(3);
    expect(run.limited).toHaveLength(4);
    expect(said).toHaveLength(3);
    expect(run.answers.get('a')!.status).toBe(429);
    expect(now()).toBe(1000 + 3 * 2000);
  });

  it('has one wait for all requests that met the same limit', async () => {
    const { run, sendAll, said, slept } = runOf({
      answer: (_, before) => (before === 0 ? limited : {}),
    });
    await sendAll(...['a', 'b', 'c'].map((id) => requestOf(id)));
    expect(run.waits).toBe(1);
    expect(said).toHaveLength(1);
    expect(run.limited).toHaveLength(3);
    expect(run.sent).toBe(6);
    expect(Math.max(...slept)).toBe(500);
  });

  it('is not waited for any longer once the user stops', async () => {
    const { run, sendAll, sent, now } = runOf({
      answer: () => limited,
      stopReason: (at) => (at >= 1500 ? 'stopped by SIGINT' : null),
    });
    await sendAll(requestOf('a'));
    expect([sent, now()]).toEqual([['a'], 1500]);
    expect(run.stopped).toBe('stopped by SIGINT');
  });
});

describe('the end of a check', () => {
  it('is after four minutes, and what was not sent by then is left out', async () => {
    const { run, sendAll, sent } = runOf({ took: 120_000 });
    await sendAll(...['a', 'b', 'c', 'd'].map((id) => requestOf(id, { isSerial: true })));
    // The second answer comes at four minutes, which is not yet too late.
    expect(sent).toEqual(['a', 'b', 'c']);
    expect(run.stopped).toBe('the suite took longer than 4 minutes');
  });

  it('keeps the first reason', async () => {
    let reason: string | null = 'first';
    const { run, sendAll, sent } = runOf({ stopReason: () => reason });
    await sendAll(requestOf('a'));
    reason = 'second';
    await sendAll(requestOf('b'));
    expect([sent, run.stopped, run.isAnswered]).toEqual([[], 'first', false]);
  });

  it('has an answer if one came with a status, or a stream was hung up on', async () => {
    const { run, sendAll } = runOf({
      answer: (id) => (id === 'a' ? { status: null, failure: broken('connect-refused') } : {}),
    });
    expect(run.isAnswered).toBe(false);
    await sendAll(requestOf('a'));
    expect(run.isAnswered).toBe(false);
    run.hangUps = {} as never;
    expect(run.isAnswered).toBe(true);
    run.hangUps = undefined;
    await sendAll(requestOf('b'));
    expect(run.isAnswered).toBe(true);
    expect([run.sent, run.waits, run.hungUp]).toEqual([2, 0, { input: 0, output: 0 }]);
  });
});
