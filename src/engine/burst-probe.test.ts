import { describe, expect, it } from 'vitest';
import { BurstProbe } from './burst-probe.ts';

const atOnce = Number.NEGATIVE_INFINITY;

/** How many go at once at `at`, when the window has been open for them since `opened`. */
const released = (probe: BurstProbe, at: number, opened = atOnce): number => {
  let count = 0;
  while (count < 1000 && probe.availableAt() <= at - 1) {
    probe.onReleased(at, opened);
    count += 1;
  }
  return count;
};

const answer = (probe: BurstProbe, count: number): void => {
  for (let n = 0; n < count; n += 1) {
    probe.onAdmitted();
    probe.onAnswered();
  }
};

describe('the probe of a burst, for 60 requests in a minute', () => {
  it('begins with a twelfth of the limit and lets a quarter more go with each round that is admitted', () => {
    const probe = new BurstProbe(60, 1000, 60_000);
    const rounds = [0, 10, 20, 30].map((at) => {
      const count = released(probe, at);
      answer(probe, count);
      return count;
    });
    expect(rounds).toEqual([5, 6, 7, 9]);
  });

  it('lets one go each second while nothing is answered', () => {
    const probe = new BurstProbe(60, 1000, 60_000);
    released(probe, 0);
    expect(probe.availableAt()).toBe(1000);
    probe.onReleased(1000, atOnce);
    expect(probe.availableAt()).toBe(2000);
  });

  it('begins again with each window, and trusts the gateway after three of them', () => {
    const probe = new BurstProbe(60, 1000, 60_000);
    const firsts = [0, 1, 2, 3].map((window) => {
      const at = window * 60_000;
      const count = released(probe, at, at);
      answer(probe, count);
      answer(probe, released(probe, at + 10, at));
      return count;
    });
    expect(firsts).toEqual([5, 5, 5, 1000]);
  });

  it('lets one go of a limit of one', () => {
    expect(released(new BurstProbe(1, 60_000, 60_000), 0)).toBe(1);
  });
});
