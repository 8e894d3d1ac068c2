import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Problem } from '../../platform/problem.ts';
import { UnreachableRendezvous } from '../../platform/rendezvous/unreachable.ts';
import { fakeHost } from '../../run/fake-host.fixture.ts';
import { followStops } from '../../run/input/follow-stops.ts';
import { persist, reachRendezvous } from './reach-rendezvous.ts';

describe('a rendezvous whose server does not answer', () => {
  const reach = (wait: number, rendezvous = 'nats://127.0.0.1:9') => {
    const fake = fakeHost();
    const stops = followStops(fake.host.onStop, () => undefined);
    onTestFinished(() => stops.release());
    return { ...fake, reached: reachRendezvous({ rendezvous, wait }, fake.host, stops) };
  };

  it('is tried once if there is no time to wait', async () => {
    const { reached, said } = reach(0);
    await expect(reached).rejects.toThrow(UnreachableRendezvous);
    expect(said).toEqual([]);
  });

  it('is waited for until the user stops, and that is said', async () => {
    const { reached, said, stop } = reach(60_000);
    const ending = reached.catch((error: unknown) => String(error));
    await vi.waitFor(() => expect(said).toHaveLength(1), { interval: 2 });
    stop('SIGINT');
    expect(await ending).toMatch(/stopped by SIGINT before the load began$/);
    expect(said[0]).toMatch(/^Trying again each second: .*127\.0\.0\.1:9/);
  });

  it('is not waited for if its address is wrong', async () => {
    const { reached, said } = reach(60_000, 'http://host/');
    await expect(reached).rejects.toThrow(/expected nats:\/\/HOST:4222/);
    expect(said).toEqual([]);
  });
});

describe('an operation on a rendezvous', () => {
  /** Fails with these errors in turn, and then succeeds. */
  const failing = (...errors: readonly Error[]) => {
    let calls = 0;
    const work = (): Promise<string> => {
      const error = errors[calls];
      calls += 1;
      return error === undefined ? Promise.resolve('done') : Promise.reject(error);
    };
    return { work, calls: () => calls };
  };
  const away = new Problem('away');

  it('is repeated until it succeeds', async () => {
    const { work, calls } = failing(away);
    expect(await persist(60_000, work)).toBe('done');
    expect(calls()).toBe(2);
  });

  it('fails once the patience is over, or at once if it is a bug', async () => {
    const late = failing(away);
    await expect(persist(0, late.work)).rejects.toBe(away);
    expect(late.calls()).toBe(1);
    const bug = failing(new TypeError('bug'));
    await expect(persist(60_000, bug.work)).rejects.toThrow('bug');
    expect(bug.calls()).toBe(1);
  });
});
