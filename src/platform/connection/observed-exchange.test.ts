import { describe, expect, it } from 'vitest';
import type { Clock } from '../../model/clock.ts';
import type { ExchangeObserver } from '../../model/observation/exchange.ts';
import { instant } from '../../model/quantity.ts';
import { ObservedExchange } from './observed-exchange.ts';
import { cutShort } from './refused-request.ts';

/** An exchange on a clock that a test sets, and a log of its calls; the observer throws in the call `failing`. */
const exchangeThat = (failing: keyof ExchangeObserver | null = null) => {
  const log: string[] = [];
  const defects: unknown[] = [];
  const time = { now: 0 };
  const note =
    (name: keyof ExchangeObserver) =>
    (...words: readonly unknown[]): void => {
      log.push([name, ...words].join(' '));
      if (name === failing) throw new Error(`no ${name}`);
    };
  const observer = {
    onConnected: note('onConnected'),
    onReconnect: note('onReconnect'),
    onSent: note('onSent'),
    onHeaders: note('onHeaders'),
    onChunk: note('onChunk'),
    onEnd: note('onEnd'),
    onFailure: note('onFailure'),
  } as unknown as ExchangeObserver;
  const clock = { now: () => instant(time.now) } as unknown as Clock;
  class Kept extends ObservedExchange {
    protected override release(reusableFor: number): void {
      log.push(`release ${reusableFor}`);
    }
    protected override resend(): void {
      log.push('resend');
    }
    chunk(at: number): void {
      this.notifyChunk(instant(at), Buffer.from('x'));
    }
  }
  const exchange = new Kept(clock, observer, (error) => defects.push((error as Error).message));
  return { exchange, log, defects, time };
};

const at = instant;
const reset = (): Error => Object.assign(new Error('reset'), { code: 'ECONNRESET' });

describe('an exchange', () => {
  it('gives its connection back, once, before it reports its end', () => {
    const { exchange, log } = exchangeThat();
    exchange.connected(at(1), 'new');
    exchange.sent(at(2));
    exchange.chunk(3);
    expect(exchange.isFinished).toBe(false);
    exchange.complete(at(4), 500);
    expect(exchange.isFinished).toBe(true);
    exchange.complete(at(5), 500);
    exchange.abort('aborted', 'late');
    exchange.fail(reset(), true);
    exchange.chunk(6);
    exchange.connected(at(7), 'new');
    expect(log).toEqual(['onConnected 1 new', 'onSent 2', 'onChunk 3 x', 'release 500', 'onEnd 4']);
  });

  it('that is aborted gives back no connection that could be used again', () => {
    const { exchange, log, time } = exchangeThat();
    time.now = 9;
    exchange.abort('deadline-idle', 'nothing came');
    expect(log).toEqual(['release 0', 'onFailure 9 deadline-idle nothing came']);
  });

  it('fails by what had happened: connecting, or a race for a kept connection, or a reset', () => {
    const failed = (
      prepare: (exchange: ReturnType<typeof exchangeThat>['exchange']) => void,
      { now = 0, hasResponse = false } = {},
    ): string => {
      const { exchange, log, time } = exchangeThat();
      prepare(exchange);
      time.now = now;
      exchange.fail(reset(), hasResponse);
      return log.at(-1)!;
    };
    expect(failed(() => undefined)).toBe('onFailure 0 connect-reset reset (ECONNRESET)');
    const kept = (exchange: ReturnType<typeof exchangeThat>['exchange']): void => {
      exchange.connected(at(0), 'reused');
      exchange.sent(at(100));
    };
    expect(failed(kept, { now: 1100 })).toContain('onFailure 1100 closed-on-reuse');
    expect(failed(kept, { now: 1101 })).toContain('onFailure 1101 reset');
    expect(failed(kept, { now: 200, hasResponse: true })).toContain('onFailure 200 reset');
    // While another connection is opened, errors are those of connecting.
    const again = (exchange: ReturnType<typeof exchangeThat>['exchange']): void => {
      kept(exchange);
      exchange.connecting();
    };
    expect(failed(again, { now: 200 })).toContain('connect-reset');
  });
});

describe('a request that was certainly not read', () => {
  const sentOver = (connection: 'new' | 'reused' | 'ahead') => {
    const found = exchangeThat();
    found.exchange.connected(at(1), connection);
    found.exchange.sent(at(2));
    found.log.length = 0;
    found.time.now = 5;
    return found;
  };

  it.each(['reused', 'ahead'] as const)('is sent once more if its connection was %s', (kind) => {
    const { exchange, log } = sentOver(kind);
    exchange.fail(cutShort(), false);
    expect(log).toEqual(['onReconnect 5', 'resend']);
    expect(exchange.isFinished).toBe(false);
    exchange.connected(at(6), 'reused');
    exchange.sent(at(7));
    exchange.fail(cutShort(), false);
    expect(log.slice(2)).toEqual([
      'onConnected 6 reused',
      'onSent 7',
      'release 0',
      expect.stringMatching(/^onFailure 5 closed-on-reuse /),
    ]);
  });

  it('is not sent again over a new connection, after an answer, or for another error', () => {
    const fresh = sentOver('new');
    fresh.exchange.fail(cutShort(), false);
    expect(fresh.log.at(-1)).toMatch(/^onFailure 5 reset /);
    const answered = sentOver('reused');
    answered.exchange.fail(cutShort(), true);
    expect(answered.log).not.toContain('resend');
    const other = sentOver('reused');
    other.exchange.fail(reset(), false);
    expect(other.log).not.toContain('resend');
  });

  it('may move only while it is under way and was sent', () => {
    const { exchange } = exchangeThat();
    expect(exchange.mayMove(false)).toBe(false);
    exchange.connected(at(1), 'reused');
    expect(exchange.mayMove(false)).toBe(false);
    exchange.sent(at(2));
    expect([exchange.mayMove(false), exchange.mayMove(true)]).toEqual([true, false]);
    exchange.complete(at(3), 0);
    expect(exchange.mayMove(false)).toBe(false);
  });
});

describe('an observer that throws', () => {
  it.each(['onConnected', 'onSent', 'onChunk'] as const)('in %s ends its exchange', (name) => {
    const { exchange, log, defects } = exchangeThat(name);
    exchange.connected(at(1), 'new');
    if (!exchange.isFinished) exchange.sent(at(2));
    if (!exchange.isFinished) exchange.chunk(3);
    expect(exchange.isFinished).toBe(true);
    expect(log.at(-1)).toBe('release 0');
    expect(defects).toEqual([`no ${name}`]);
  });

  it('at the end has given its connection back already', () => {
    const { exchange, log, defects } = exchangeThat('onEnd');
    exchange.complete(at(1), 7);
    expect([log, defects]).toEqual([['release 7', 'onEnd 1'], ['no onEnd']]);
  });

  it('before a request is sent again ends it instead', () => {
    const { exchange, log, defects } = exchangeThat('onReconnect');
    exchange.connected(at(1), 'reused');
    exchange.sent(at(2));
    exchange.fail(cutShort(), false);
    expect(log.slice(2)).toEqual(['onReconnect 0', 'release 0']);
    expect(defects).toEqual(['no onReconnect']);
  });
});
