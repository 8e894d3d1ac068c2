import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type SimulatedAttempt,
  simulatePace,
  type SimulatedRequest,
} from './pace-simulation.fixture.ts';
import { Pacer, BurstProbe, type PaceRule } from './pacer.ts';

const most = { requests: 5, tokens: 60 };
const window = 40;
const free = { window, margin: 0, charged: 'ended' } as const;
const wish: fc.Arbitrary<SimulatedRequest> = fc
  .record({
    after: fc.oneof(fc.constant(0), fc.nat(30)),
    reserved: fc.integer({ min: 1, max: 60 }),
    share: fc.constantFrom(0.5, 1, 1),
    delay: fc.oneof(fc.constant(0), fc.nat(12), fc.constant(null)),
    duration: fc.oneof(fc.constant(0), fc.nat(50)),
    preferred: fc.nat(1),
  })
  .map(({ after, share, ...rest }) => ({
    ...rest,
    ready: after,
    used: Math.round(share * rest.reserved),
  }));
/** In the order in which they are due. */
const wishes = fc.array(wish, { minLength: 1, maxLength: 40 }).map((list) => {
  let now = 0;
  return list.map((each) => {
    now += each.ready;
    return { ...each, ready: now };
  });
});
const limits = fc.constantFrom(
  most,
  { ...most, tokens: null },
  { ...most, requests: null },
  { requests: 1, tokens: 60 },
);
const keys = fc.integer({ min: 1, max: 2 });

const sum = (amounts: readonly number[]): number => amounts.reduce((a, b) => a + b, 0);

/** The most in any window. A window that starts between two uses holds no more than one that starts at the second. */
const mostInAny = (uses: readonly { readonly at: number; readonly amount: number }[]): number =>
  Math.max(
    0,
    ...uses.map(({ at: begin }) =>
      sum(uses.filter(({ at }) => at >= begin && at < begin + window).map(({ amount }) => amount)),
    ),
  );

const byKey = (gone: readonly SimulatedAttempt[]): readonly (readonly SimulatedAttempt[])[] =>
  [0, 1].map((key) => gone.filter((each) => each.key === key));

describe('a pace', () => {
  it('never sends more requests than the limit within any window', () => {
    fc.assert(
      fc.property(limits, keys, wishes, (limit, pool, list) => {
        for (const gone of byKey(simulatePace({ ...limit, ...free }, pool, list))) {
          const uses = gone.flatMap(({ sent }) => (sent === null ? [] : [{ at: sent, amount: 1 }]));
          expect(mostInAny(uses)).toBeLessThanOrEqual(limit.requests ?? Infinity);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('never uses more tokens than the limit within any window, wherever between sending and end the server charges them, or within the margin', () => {
    fc.assert(
      fc.property(
        limits,
        keys,
        wishes,
        fc.record({
          margin: fc.nat(12),
          moments: fc.array(fc.constantFrom(0, 0.5, 1), { minLength: 40, maxLength: 40 }),
        }),
        (limit, pool, list, { margin, moments }) => {
          for (const gone of byKey(simulatePace({ ...limit, ...free, margin }, pool, list))) {
            const uses = gone.flatMap(({ sent, endedAt, request: { used } }, i) => {
              if (sent === null) return [];
              const latest = Math.max(endedAt!, sent + margin);
              return [{ at: sent + moments[i]! * (latest - sent), amount: used }];
            });
            expect(mostInAny(uses)).toBeLessThanOrEqual(limit.tokens ?? Infinity);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('frees tokens sooner where they are charged on sending, and never exceeds the limit', () => {
    const at = { ready: 0, reserved: 30, used: 30, delay: 0, duration: 7, preferred: 0 };
    const rule = { requests: null, tokens: 60, ...free };
    const released = (charged: 'sent' | 'ended') =>
      simulatePace({ ...rule, charged }, 1, [at, at, at, at]).map((each) => each.released);
    expect(released('ended')).toEqual([0, 0, window + 7, window + 7]);
    expect(released('sent')).toEqual([0, 0, window, window]);
    fc.assert(
      fc.property(limits, keys, wishes, fc.nat(12), (limit, pool, list, margin) => {
        const sentRule = { ...limit, ...free, charged: 'sent' as const, margin };
        for (const gone of byKey(simulatePace(sentRule, pool, list))) {
          const uses = gone.flatMap(({ sent, request: { used } }, i) =>
            sent === null ? [] : [{ at: sent + (i % 2) * margin, amount: used }],
          );
          expect(mostInAny(uses)).toBeLessThanOrEqual(limit.tokens ?? Infinity);
        }
      }),
    );
  });

  it('waits exactly as long as learned charges need: the prompt from admission, the rest until it is settled', () => {
    const request = { ready: 0, reserved: 30, used: 30, prompt: 20, delay: 0, duration: 7 };
    const list = Array.from({ length: 6 }, () => ({ ...request, preferred: 0 }));
    const rule = { requests: null, tokens: 60, ...free, margin: 2, settle: 3 };
    const released = (charged: PaceRule['charged'], used: Partial<SimulatedRequest> = {}) =>
      simulatePace(
        { ...rule, charged },
        1,
        list.map((each) => ({ ...each, ...used })),
      ).map((each) => each.released);
    const [sent, settled] = [2 + window, 7 + 3 + window];
    expect(released('sent')).toEqual([0, 0, sent, sent, 2 * sent, 2 * sent]);
    expect(released('ended')).toEqual([0, 0, settled, settled, 2 * settled, 2 * settled]);
    // The two prompts of 20 tokens are room for the third, their answers of 10 each for the fourth, and so on.
    expect(released('prompt-sent')).toEqual([0, 0, sent, settled, sent + settled, 2 * settled]);
    expect(released('prompt-sent', { prompt: 30 })).toEqual(released('sent'));
    expect(released('prompt-sent', { prompt: 0 })).toEqual(released('ended'));
  });

  it('never exceeds the limit where charges come as late as was learned', () => {
    fc.assert(
      fc.property(
        limits,
        keys,
        wishes,
        fc.nat(12),
        fc.boolean(),
        (limit, pool, list, settle, isSplit) => {
          const charged = isSplit ? ('prompt-sent' as const) : ('ended' as const);
          const requests = list.map((each) => ({ ...each, prompt: Math.floor(each.used / 2) }));
          const rule = { ...limit, ...free, margin: 0, charged, settle };
          for (const gone of byKey(simulatePace(rule, pool, requests))) {
            const uses = gone.flatMap(({ sent, endedAt, request: { used, prompt = 0 } }, i) => {
              if (sent === null) return [];
              const end = { at: endedAt! + (i % 2) * settle, amount: used };
              return isSplit
                ? [
                    { at: sent, amount: prompt },
                    { ...end, amount: used - prompt },
                  ]
                : [end];
            });
            expect(mostInAny(uses)).toBeLessThanOrEqual(limit.tokens ?? Infinity);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('trusts no learned charging of a key that was refused for tokens', () => {
    const rule = { requests: null, tokens: 60, ...free, settle: 3, charged: 'sent' as const };
    const freedAt = (act: (pacer: Pacer) => void, settle: { settle?: number } = {}): number => {
      const pacer = new Pacer({ ...rule, ...settle }, 1);
      act(pacer);
      const booking = pacer.book(0, 0, 60);
      booking.onSent(0);
      booking.onFinished(9, 60, 60);
      return pacer.earliestRelease(9, 1, 0).at;
    };
    expect(freedAt(() => undefined)).toBe(window);
    expect(freedAt((pacer) => pacer.distrustCharging(0))).toBe(9 + 3 + window);
    expect(freedAt((pacer) => pacer.distrustCharging(0), { settle: undefined as never })).toBe(
      window,
    );
  });

  it('whose burst is the limit never waits while any key has capacity', () => {
    fc.assert(
      fc.property(limits, keys, wishes, (limit, pool, list) => {
        const whole = { ...limit, ...free, burst: limit.requests ?? undefined };
        simulatePace(whole, pool, list, (now, { reserved }, gone) => {
          for (const ofKey of byKey(gone).slice(0, pool)) {
            const requests = ofKey.filter(({ sent, endedAt }) =>
              sent === null ? endedAt === null : sent + window > now,
            ).length;
            const tokens = ofKey.map(({ sent, endedAt, request: { used, reserved: held } }) =>
              endedAt === null ? held : sent !== null && endedAt + window > now ? used : 0,
            );
            const hasRoom =
              requests < (limit.requests ?? Infinity) &&
              sum(tokens) + reserved <= (limit.tokens ?? Infinity);
            expect(hasRoom).toBe(false);
          }
        });
      }),
    );
  });

  it('uses the whole limit: one window’s worth at the start of each window', () => {
    const at = { reserved: 1, used: 1, ready: 0, delay: 0, duration: 0, preferred: 0 };
    const gone = simulatePace(
      { ...most, ...free },
      1,
      Array.from({ length: 23 }, () => at),
    );
    expect(gone.map(({ released }) => released / window)).toEqual(
      Array.from({ length: 23 }, (_, i) => Math.floor(i / most.requests)),
    );
  });

  it('frees places one by one, in the order in which they were taken', () => {
    const at = { reserved: 1, used: 1, delay: 0, duration: 0, preferred: 0 };
    const ready = [0, 1, window, window].map((moment) => ({ ...at, ready: moment }));
    const gone = simulatePace({ requests: 2, tokens: null, ...free }, 1, ready);
    expect(gone.map(({ released }) => released)).toEqual([0, 1, window, window + 1]);
  });

  it('releases unused reservations at the end', () => {
    const at = { ready: 0, reserved: 60, used: 6, delay: 0, duration: 3, preferred: 0 };
    const gone = simulatePace({ requests: null, tokens: 60, ...free }, 1, [
      at,
      { ...at, reserved: 54 },
    ]);
    expect(gone.map(({ released }) => released)).toEqual([0, 3]);
  });
});

describe('a pool of keys', () => {
  const at = { reserved: 1, used: 1, ready: 0, delay: 0, duration: 0 };
  const rule = { requests: 2, tokens: null, ...free };

  it('takes the preferred key if it is free, else the one that is free first', () => {
    const preferring = (...keysWanted: number[]) =>
      simulatePace(
        rule,
        2,
        keysWanted.map((preferred) => ({ ...at, preferred })),
      ).map(({ key, released }) => `${key} at ${released}`);
    expect(preferring(1, 1, 1, 0)).toEqual(['1 at 0', '1 at 0', '0 at 0', '0 at 0']);
    expect(preferring(1, 0, 1, 0, 0)).toEqual(['1 at 0', '0 at 0', '1 at 0', '0 at 0', '0 at 40']);
  });

  it('admits the sum of its keys’ limits', () => {
    const gone = simulatePace(
      rule,
      3,
      Array.from({ length: 12 }, () => ({ ...at, preferred: 0 })),
    );
    expect(gone.map(({ released }) => released)).toEqual([
      ...Array<number>(6).fill(0),
      ...Array<number>(6).fill(window),
    ]);
  });
});

it('a request that needs more than the limit is sent alone, when everything is free', () => {
  const pacer = new Pacer({ requests: null, tokens: 60, ...free }, 1);
  expect(pacer.tokensToReserve(1000)).toBe(60);
  expect(pacer.tokensToReserve(0)).toBe(1);
});

it('each key has its own limits, and a request too large for one key goes with another', () => {
  const rule = { requests: null, tokens: null, ...free };
  const amounts = [
    { requests: 1, tokens: 50 },
    { requests: 3, tokens: 500 },
  ];
  const pacer = new Pacer({ ...rule, burst: 9 }, 2, amounts);
  const sendOne = (tokens: number): readonly [key: number, at: number] => {
    const reserved = pacer.tokensToReserve(tokens);
    const { key, at } = pacer.earliestRelease(0, reserved, 0);
    if (at > 0) return [key, at];
    const booking = pacer.book(0, key, reserved);
    booking.onSent(0);
    booking.onFinished(0, reserved);
    return [key, 0];
  };
  expect(sendOne(51)).toEqual([1, 0]);
  expect([sendOne(10), sendOne(10), sendOne(10)]).toEqual([
    [0, 0],
    [1, 0],
    [1, 0],
  ]);
  // Both keys are used up: each is free again a window later.
  expect(sendOne(1)[1]).toBe(free.window);
  expect(pacer.tokensToReserve(1000)).toBe(500);
});

describe('a pace with a burst', () => {
  const rule = { requests: 60, tokens: null, window: 60_000, margin: 0, charged: 'ended' } as const;

  /** The instants at which a key that always has work sends, each answered at once by `answer`. */
  const sendMany = (
    count: number,
    burst: number | undefined,
    answer: (pacer: Pacer, released: number, n: number) => void = () => undefined,
  ): readonly number[] => {
    const pacer = new Pacer({ ...rule, burst }, 1);
    let now = 0;
    return Array.from({ length: count }, (_, n) => {
      now = Math.max(now, pacer.earliestRelease(now, 0, 0).at);
      const booking = pacer.book(now, 0, 0);
      booking.onSent(now);
      booking.onFinished(now, 0);
      answer(pacer, now, n);
      return now;
    });
  };

  it('sends as many at once, and as many again when the limit allows them', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), (burst) => {
        const expected: number[] = [];
        const since = (n: number) => expected[n] ?? Number.NEGATIVE_INFINITY;
        for (let n = 0; n < 300; n += 1)
          expected.push(Math.max(0, since(n - burst) + burst * 1000, since(n - 60) + 60_000));
        expect(sendMany(300, burst)).toEqual(expected);
      }),
    );
  });

  it('spreads the requests of a key evenly after a refusal, once the wait that it names is over', () => {
    const refused = sendMany(20, undefined, (pacer, released, n) => {
      if (n === 3) pacer.onRefused(0, released, released, 5000);
    });
    expect(refused.slice(0, 7)).toEqual([0, 0, 0, 0, 5000, 6000, 7000]);
  });

  it('waits twice as long after each refusal in a row that names no wait, at most a window, and anew after an admission', () => {
    const sent = sendMany(12, 1, (pacer, released, n) => {
      if (n === 9) pacer.onAdmitted(0, released);
      else pacer.onRefused(0, released, released, null);
    });
    const waits = sent.slice(1).map((at, n) => (at - sent[n]!) / 1000);
    expect(waits.slice(0, 9)).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
    // Refused at an even pace, it goes a little slower.
    for (const wait of waits.slice(9)) expect(wait).toBeCloseTo(1.075, 3);
  });

  it('waits a window and its margin at most', () => {
    const pacer = new Pacer({ ...rule, margin: 1000 }, 1);
    let at = 0;
    const waits = Array.from({ length: 9 }, () => {
      const released = at;
      pacer.onRefused(0, released, released, null);
      at = pacer.earliestRelease(released, 0, 0).at;
      return at - released;
    });
    expect(Math.max(...waits)).toBe(61_000);
  });

  it('learns nothing from requests that were under way at a refusal', () => {
    const pacer = new Pacer(rule, 1);
    for (let n = 0; n < 5; n += 1) pacer.onRefused(0, 0, 100, null);
    expect(pacer.earliestRelease(100, 0, 0).at).toBe(1100);
  });
});

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
    const firsts = [0, 1, 2, 3].map((minute) => {
      const at = minute * 60_000;
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

  it('goes on with a lower limit that the gateway declares: a twelfth of that, as far apart as it demands', () => {
    const probe = new BurstProbe(60, 1000, 60_000);
    probe.lower(36, 1500);
    // One was released before the next window begins with three.
    expect(released(probe, 0)).toBe(3);
    expect(probe.availableAt()).toBe(1500);
    const small = new BurstProbe(60, 1000, 60_000);
    small.lower(5, 9000);
    expect(released(small, 0)).toBe(1);
    // What had grown is cut, too.
    const grown = new BurstProbe(60, 1000, 60_000);
    answer(grown, released(grown, 0));
    grown.lower(36, 1500);
    expect(released(grown, 10)).toBe(3);
  });
});
