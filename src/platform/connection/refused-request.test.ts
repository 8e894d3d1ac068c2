import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  cutShort,
  hasUnwritten,
  isUnwritten,
  keepWritable,
  lookForRefusal,
} from './refused-request.ts';

const errorOf = (fields: object): Error => Object.assign(new Error('x'), fields);

it('a request was not written if writing it failed, and only then', () => {
  expect(isUnwritten(cutShort())).toBe(true);
  expect(isUnwritten(errorOf({ syscall: 'write', code: 'ECONNRESET' }))).toBe(true);
  for (const other of [
    { syscall: 'read', code: 'ECONNRESET' },
    { syscall: 'write', code: 'ETIMEDOUT' },
    { code: 'EPIPE' },
    {},
  ])
    expect(isUnwritten(errorOf(other))).toBe(false);
});

it('what is left to write of a request is known but for TLS', () => {
  const of = (socket: object): boolean => hasUnwritten(socket as Socket);
  expect([of({ writableLength: 1 }), of({ writableLength: 0 })]).toEqual([true, false]);
  expect(of({ writableLength: 1, encrypted: true })).toBe(false);
  const socket = { allowHalfOpen: false };
  keepWritable(socket as Socket);
  expect(socket.allowHalfOpen).toBe(true);
});

describe('looking for a refusal', () => {
  beforeEach(
    () => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }),
  );
  afterEach(() => void vi.useRealTimers());

  /** Looks at a socket that took `openedIn` ms to open. */
  const looking = (openedIn: number, more: object = {}) => {
    const seen = { writes: 0, none: 0 };
    const socket = { writable: true, write: () => (seen.writes += 1), ...more };
    const stop = lookForRefusal(socket as unknown as Socket, openedIn, () => (seen.none += 1));
    return { seen, socket, stop };
  };

  it.each([
    [0, 50],
    [10, 90],
    [1000, 1000],
  ])('at a connection opened in %i ms takes some %i ms, and ends once', (openedIn, wait) => {
    const { seen } = looking(openedIn);
    expect(seen).toEqual({ writes: 1, none: 0 });
    vi.advanceTimersByTime(wait / 2);
    expect(seen.none).toBe(0);
    vi.advanceTimersByTime(2 * wait);
    expect(seen.none).toBe(1);
    // Each pause is twice as long as the one before.
    expect(seen.writes).toBeLessThanOrEqual(2 + Math.log2(wait));
    const { writes } = seen;
    vi.advanceTimersByTime(10_000);
    expect(seen).toEqual({ writes, none: 1 });
  });

  it('looks soon, since a refusal comes after one round trip', () => {
    const { seen } = looking(0);
    vi.advanceTimersByTime(4);
    expect(seen.writes).toBeGreaterThanOrEqual(2);
  });

  it('ends when it is stopped, or when nothing can be written', () => {
    const stopped = looking(100);
    stopped.stop();
    vi.advanceTimersByTime(5000);
    expect(stopped.seen).toEqual({ writes: 1, none: 0 });
    const closed = looking(100);
    closed.socket.writable = false;
    vi.advanceTimersByTime(2);
    expect(closed.seen).toEqual({ writes: 1, none: 1 });
  });

  it('does not happen over TLS', () => {
    const { seen, stop } = looking(100, { encrypted: true });
    stop();
    expect(seen).toEqual({ writes: 0, none: 1 });
  });
});
