import type { WireRequest } from '../../../model/observation/exchange.ts';
import type { HeldStream } from '../reading/hang-up-facts.ts';
import type { HangUpPorts } from './hang-ups.ts';

/** Test support: a server in virtual time that a client hangs up on. */

const request = (path: string): WireRequest => ({ method: 'POST', path, headers: {}, body: null });
export const requests = { long: request('/long'), short: request('/short') };

export interface HangUpServer {
  /** Whether it ends an answer when its client hangs up. */
  readonly stops: boolean;
  readonly slots: number;
  /** The tokens of a long answer, and the time between two of them, in ms. */
  readonly events?: number;
  readonly gap?: number;
  /** How long a request of somebody else runs that comes with the hang-up of this number, in ms. */
  readonly others?: Readonly<Record<number, number>>;
  /** The tokens that somebody else uses in each second, from this time on. */
  readonly use?: { readonly from: number; readonly perSecond: number };
}

/** A server in virtual time, whose key has a limit of tokens that are charged as they are generated. */
export const serveHangUps = ({
  stops,
  slots,
  events = 400,
  gap = 10,
  others = {},
  use,
}: HangUpServer): HangUpPorts => {
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
