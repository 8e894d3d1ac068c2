import { expect, it } from 'vitest';
import type { WireRequest } from '../../../model/observation/exchange.ts';
import type { HeldStream } from '../reading/hang-up-facts.ts';
import { examineHangUps, type HangUpPorts } from './hang-ups.ts';

const request = (path: string): WireRequest => ({ method: 'POST', path, headers: {}, body: null });
const requests = { long: request('/long'), short: request('/short') };

interface Server {
  /** Whether it ends an answer when its client hangs up. */
  readonly stops: boolean;
  readonly slots: number;
  /** How long a request of somebody else runs that comes with the hang-up of this number, in ms. */
  readonly others?: Readonly<Record<number, number>>;
  /** The tokens that somebody else uses in each second, from this time on. */
  readonly use?: { readonly from: number; readonly perSecond: number };
}

const events = 400;
const gap = 10;

/** A server in virtual time, whose key has a limit of tokens that are charged as they are generated. */
const serve = ({ stops, slots, others = {}, use }: Server): HangUpPorts => {
  let [now, hangUps, ofShort] = [0, 0, 0];
  const runs: { readonly begun: number; end: number; readonly isOurs: boolean }[] = [];
  const running = (): number => runs.filter(({ begun, end }) => begun <= now && now < end).length;
  const generated = (): number =>
    runs.reduce((sum, { begun, end }) => sum + Math.floor((Math.min(now, end) - begun) / gap), 0);
  const charged = (): number => {
    const own = runs.filter(({ isOurs, end }) => isOurs && end <= now);
    const sum = own.reduce((all, { begun, end }) => all + Math.floor((end - begun) / gap), ofShort);
    return sum + (use === undefined ? 0 : (Math.max(0, now - use.from) / 1000) * use.perSecond);
  };
  const headers = (): HeldStream['headers'] => ({
    'x-ratelimit-limit-tokens': '100000',
    'x-ratelimit-remaining-tokens': String(Math.round(100_000 - charged())),
  });
  const refusal = { error: { message: 'Too many concurrent requests.' } };
  const ended = (status: number, text: string): HeldStream => ({
    begun: now,
    status,
    headers: headers(),
    events: 0,
    hasEnded: true,
    text,
    hangUp: () => undefined,
  });
  const open = (asked: WireRequest): HeldStream => {
    if (running() >= slots) return ended(429, JSON.stringify(refusal));
    if (asked === requests.short) {
      ofShort += 20;
      return ended(200, '{"usage":{"prompt_tokens":19,"completion_tokens":1}}');
    }
    const run = { begun: now, end: now + events * gap, isOurs: true };
    runs.push(run);
    let left: number | null = null;
    return {
      begun: now,
      status: 200,
      headers: headers(),
      text: '',
      get events() {
        return Math.floor((Math.min(left ?? now, now, run.end) - run.begun) / gap);
      },
      get hasEnded() {
        return left !== null || now >= run.end;
      },
      hangUp: () => {
        if (left !== null || now >= run.end) return;
        left = now;
        hangUps += 1;
        if (stops) run.end = now;
        const other = others[hangUps];
        if (other !== undefined) runs.push({ begun: now, end: now + other, isOurs: false });
      },
    };
  };
  return {
    now: () => now,
    sleep: (length) => {
      now += length;
      return Promise.resolve();
    },
    open,
    load: () => Promise.resolve({ running: running(), outputTokens: generated() }),
    isStopped: () => false,
  };
};

const examine = (server: Server) => examineHangUps(serve(server), requests);

it('a server that stops is idle at once, and admits again at once', async () => {
  const { slot, generation, charge } = await examine({ stops: true, slots: 3 });
  expect(slot).toMatchObject({ admitted: 3, admittedAfter: 10 });
  expect(generation).toMatchObject({ idleAfter: 20 });
  expect(charge).toMatchObject({ ofHangUp: 6, ofWhole: 400 });
});

it('a server that goes on is busy, and full, as long as the answer would have taken', async () => {
  const { slot, generation, charge } = await examine({ stops: false, slots: 2 });
  const { admittedAfter, naturalRest } = slot as { admittedAfter: number; naturalRest: number };
  expect(admittedAfter / naturalRest).toBeGreaterThan(0.95);
  const { idleAfter, naturalRest: rest } = generation as { idleAfter: number; naturalRest: number };
  expect(idleAfter / rest).toBeGreaterThan(0.95);
  expect(charge).toMatchObject({ ofHangUp: 400, ofWhole: 400 });
});

it.each([500, 3000, 5500, 60_000])(
  'a request of somebody else that comes with the hang-up, for %d ms, accuses nobody',
  async (length) => {
    const { generation } = await examine({ stops: true, slots: 9, others: { 1: length } });
    const { naturalRest = 0, idleAfter = 0 } = generation as unknown as Record<string, number>;
    // Either it is seen, or it ends at a time that tells nothing.
    expect(
      'unseen' in generation || idleAfter < 0.8 * naturalRest,
      JSON.stringify(generation),
    ).toBe(true);
  },
);

it('requests of others that overlap with what was hung up on are seen', async () => {
  const { generation } = await examine({ stops: false, slots: 9, others: { 1: 800 } });
  expect(generation).toEqual({ unseen: '2 requests ran on the server after the hang-up' });
});

it('a place that somebody else took is told from one that is held', async () => {
  const { slot } = await examine({ stops: true, slots: 2, others: { 2: 60_000 } });
  const { admittedAfter, naturalRest } = slot as { admittedAfter: number; naturalRest: number };
  expect(admittedAfter / naturalRest).toBeGreaterThan(0.5);
  expect(admittedAfter / naturalRest).toBeLessThan(0.7);
});

it.each([20, 60, 200])(
  'somebody else’s %d tokens a second are no charge of a hang-up',
  async (perSecond) => {
    const use = { from: 4100, perSecond };
    const { charge } = await examine({ stops: true, slots: 9, use });
    expect(charge).toEqual({ unseen: expect.stringMatching(/^somebody else used the key/) });
  },
);
