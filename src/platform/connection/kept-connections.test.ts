import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Instant, instant } from '../../model/quantity.ts';
import { type KeptConnection, KeptConnections } from './kept-connections.ts';
import { ReuseRule } from './reuse-rule.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

class FakeConnection implements KeptConnection {
  isOpen = true;
  readonly idleUntil = instant(1000);
  readonly answers: number;
  readonly isChunked = false;
  readonly answeredAt: Instant = instant(0);

  constructor(answers = 1) {
    this.answers = answers;
  }

  destroy(): void {
    this.isOpen = false;
  }
}

const trustedRule = (): ReuseRule => {
  const rule = new ReuseRule({});
  for (let n = 0; n < 3; n += 1) rule.endsOf(new FakeConnection(1)).onReused(1);
  return rule;
};
const now = instant(0);

const kept = (rule: ReuseRule) => {
  const connections = new KeptConnections<FakeConnection>(rule, { now: () => now });
  const keep = (answers = 1): FakeConnection => {
    const connection = new FakeConnection(answers);
    connections.keep(connection);
    return connection;
  };
  return { connections, keep };
};

describe('connections of a server that keeps them', () => {
  it('can be used at once, the latest first', () => {
    const { connections, keep } = kept(trustedRule());
    const [first, second] = [keep(), keep()];
    expect(connections.countUsable(now)).toBe(2);
    expect([connections.take(now), connections.take(now), connections.take(now)]).toEqual([
      second,
      first,
      null,
    ]);
  });

  it('are forgotten once the server has ended them', () => {
    const { connections, keep } = kept(trustedRule());
    const [first, second, third] = [keep(), keep(), keep()];
    connections.forget(second);
    connections.onEnded(third, instant(5));
    expect(connections.countUsable(now)).toBe(1);
    expect([connections.take(now), connections.take(now)]).toEqual([first, null]);
  });

  it('are forgotten one by one, the oldest too, and none for one that is not kept', () => {
    const { connections, keep } = kept(trustedRule());
    const [first, second, third] = [keep(), keep(), keep()];
    connections.forget(new FakeConnection());
    expect(connections.countUsable(now)).toBe(3);
    connections.forget(first);
    expect([1, 2, 3].map(() => connections.take(now))).toEqual([third, second, null]);
  });

  it('are not used once closed, or idle for too long', () => {
    const { connections, keep } = kept(trustedRule());
    keep().isOpen = false;
    expect(connections.take(now)).toBeNull();
    const late = keep();
    expect(connections.take(instant(1000))).toBeNull();
    expect(late.isOpen).toBe(false);
  });
});

describe('connections of a server of which nothing is known', () => {
  it('are left alone after their answer, and then go to who waits for them', () => {
    const { connections, keep } = kept(new ReuseRule({}));
    const [first, second] = [keep(), keep()];
    const given: (FakeConnection | null)[] = [];
    expect(connections.take(now)).toBeNull();
    expect(connections.countUsable(now)).toBe(2);
    expect(
      connections.awaitRested({ isFinished: false }, (connection) => given.push(connection)),
    ).toBe(true);
    expect(connections.countUsable(now)).toBe(1);
    vi.runAllTimers();
    expect(given).toEqual([first]);
    expect(connections.take(now)).toBe(second);
  });

  it('rest one by one, each for its own time', () => {
    const rule = new ReuseRule({});
    rule.endsOf(new FakeConnection(2)).onEnded(2, 1);
    const { connections, keep } = kept(rule);
    const [suspect, other] = [keep(2), keep(1)];
    vi.advanceTimersByTime(10);
    expect(connections.take(now)).toBe(other);
    expect(connections.take(now)).toBeNull();
    vi.advanceTimersByTime(20);
    expect(connections.take(now)).toBe(suspect);
  });

  it('rest for longer when another one ends meanwhile after as many answers', () => {
    const { connections, keep } = kept(new ReuseRule({}));
    const [first, second] = [keep(), keep()];
    vi.advanceTimersByTime(1);
    connections.onEnded(first, now);
    vi.advanceTimersByTime(10);
    expect(connections.take(now)).toBeNull();
    vi.advanceTimersByTime(20);
    expect(connections.take(now)).toBe(second);
  });

  it('are awaited by one request each', () => {
    const { connections, keep } = kept(new ReuseRule({}));
    expect(connections.awaitRested({ isFinished: false }, () => undefined)).toBe(false);
    keep();
    expect(connections.awaitRested({ isFinished: false }, () => undefined)).toBe(true);
    expect(connections.awaitRested({ isFinished: false }, () => undefined)).toBe(false);
    connections.close();
  });

  it('are not used if they end meanwhile: who waits gets none', () => {
    const { connections, keep } = kept(new ReuseRule({}));
    const [first] = [keep(), keep()];
    const given: (FakeConnection | null)[] = [];
    connections.awaitRested({ isFinished: false }, (connection) => given.push(connection));
    connections.awaitRested({ isFinished: false }, (connection) => given.push(connection));
    connections.onEnded(first, now);
    expect(given).toEqual([null]);
    connections.close();
    expect(given).toEqual([null, null]);
  });
});

describe('a connection that rests', () => {
  it('is still awaited after another one is forgotten', () => {
    const { connections, keep } = kept(new ReuseRule({}));
    const rested = keep();
    const given: (FakeConnection | null)[] = [];
    connections.awaitRested({ isFinished: false }, (connection) => given.push(connection));
    connections.forget(new FakeConnection());
    expect(given).toEqual([]);
    vi.runAllTimers();
    expect(given).toEqual([rested]);
  });

  it('is kept if the request that awaits it has ended', () => {
    const { connections, keep } = kept(new ReuseRule({}));
    const rested = keep();
    const given: (FakeConnection | null)[] = [];
    connections.awaitRested({ isFinished: true }, (connection) => given.push(connection));
    vi.runAllTimers();
    expect(given).toEqual([]);
    expect(connections.take(now)).toBe(rested);
  });

  it('is given to nobody if it was closed meanwhile', () => {
    const { connections, keep } = kept(new ReuseRule({}));
    const [first, second] = [keep(), keep()];
    const given: (FakeConnection | null)[] = [];
    connections.awaitRested({ isFinished: false }, (connection) => given.push(connection));
    first.isOpen = false;
    second.isOpen = false;
    vi.runAllTimers();
    expect([given, connections.take(now), connections.countUsable(now)]).toEqual([[null], null, 0]);
  });

  it('leaves no timer behind when all are closed', () => {
    const { connections, keep } = kept(new ReuseRule({}));
    keep();
    keep();
    expect(vi.getTimerCount()).toBe(1);
    connections.close();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('connections of a server that is known to close them', () => {
  const ruleOfTwoAnswers = (): ReuseRule => {
    const rule = new ReuseRule({});
    for (let n = 0; n < 3; n += 1) rule.endsOf(new FakeConnection(2)).onEnded(2, 1);
    return rule;
  };

  it('are closed after the number of answers that the server allows, except one that is watched', () => {
    const { connections, keep } = kept(ruleOfTwoAnswers());
    const [watched, other] = [keep(2), keep(2)];
    expect([watched.isOpen, other.isOpen]).toEqual([true, false]);
    expect(connections.take(now)).toBeNull();
    connections.close();
  });

  it('are used again once the watched one was not closed', () => {
    const rule = ruleOfTwoAnswers();
    const watched = kept(rule).keep(2);
    vi.runAllTimers();
    expect(rule.allowsReuse(new FakeConnection(2))).toBe(true);
    expect(watched.isOpen).toBe(false);
  });

  it('are still not used after the server has closed the watched one', () => {
    const rule = ruleOfTwoAnswers();
    const { connections, keep } = kept(rule);
    connections.onEnded(keep(2), now);
    vi.runAllTimers();
    expect(rule.allowsReuse(new FakeConnection(2))).toBe(false);
  });

  it('are watched one at a time, and only five seconds after the one before', () => {
    let time = 0;
    const connections = new KeptConnections<FakeConnection>(ruleOfTwoAnswers(), {
      now: () => instant(time),
    });
    const keepNext = (): FakeConnection | null => {
      const connection = new FakeConnection(2);
      connections.keep(connection);
      return connection.isOpen ? connection : null;
    };
    const first = keepNext();
    expect(first).not.toBeNull();
    time = 4000;
    expect(keepNext()).toBeNull();
    time = 4999;
    connections.onEnded(first!, instant(1));
    expect(keepNext()).toBeNull();
    time = 5000;
    vi.advanceTimersByTime(5000);
    expect(keepNext()).not.toBeNull();
    connections.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('are used again once the watched one was not closed, whichever others were', () => {
    const rule = ruleOfTwoAnswers();
    const { connections, keep } = kept(rule);
    keep(2);
    connections.forget(new FakeConnection(2));
    vi.runAllTimers();
    expect(rule.allowsReuse(new FakeConnection(2))).toBe(true);
  });
});
