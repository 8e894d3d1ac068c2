import { describe, expect, it } from 'vitest';
import { instant, milliseconds } from '../../../model/quantity.ts';
import { trueLimiters } from '../../../judge/limits/facts/true-limiters.fixture.ts';
import {
  type ChatSender,
  evenPause,
  forgettingTime,
  idleTime,
  longestAnswer,
  sendUntilRefused,
  sleepUntilPhase,
} from './chat-sender.ts';
import {
  burstSize,
  maxBurstSize,
  maxProvocationRequests,
  maxSustainedRequests,
  provokeLimiter,
  releaseTogether,
  sustainLoad,
  usualProvocationRequests,
  usualSustainedRequests,
  usualSustainedWindows,
  watchRefill,
} from './overload.ts';
import { openVirtualWorld } from './tokens/virtual-world.fixture.ts';

const rule = { limit: 20, window: milliseconds(10_000) };

interface Asked {
  readonly sent: number;
  readonly admitted: boolean;
}

/** Sends chats to a limiter in virtual time, each of which takes `took` ms; returns what was sent and came of it. */
const asked = async (
  decide: (now: number) => boolean,
  ask: (sender: ChatSender) => Promise<unknown>,
  took = 40,
): Promise<readonly Asked[]> => {
  const world = openVirtualWorld();
  const sent: Asked[] = [];
  const sender: ChatSender = {
    now: () => instant(world.now()),
    sleepUntil: (moment) => world.sleepUntil(moment),
    sendChat: () =>
      new Promise((resolve) => {
        const at = world.now();
        world.at(at + took / 2, () => {
          const admitted = decide(world.now());
          sent.push({ sent: at, admitted });
          world.at(at + took, () => resolve(admitted));
        });
      }),
    roundTrip: () => took,
  };
  await world.run(async () => {
    await world.sleepUntil(1000);
    await ask(sender);
  });
  return sent;
};

/** Groups what was sent at once: when, how many, and how many of these were refused. */
const groups = (all: readonly Asked[]): readonly string[] =>
  [...Map.groupBy(all, ({ sent }) => Math.round(sent))].map(
    ([at, group]) =>
      `${at}: ${group.length}, ${group.filter(({ admitted }) => !admitted).length} refused`,
  );

const limiter = (name: string, changes: { limit?: number; window?: number } = {}) =>
  trueLimiters[name]!({ ...rule, tolerance: 0, draws: [0.3, 0.4, 0.5], ...changes });

const always = (): boolean => true;
const never = (): boolean => false;

describe('an overload', () => {
  const provoked = (
    decide: (now: number) => boolean,
    options: { minuteBegin?: number; isFollowed?: boolean; limit?: number } = {},
  ): Promise<readonly Asked[]> =>
    asked(decide, (sender) =>
      provokeLimiter(sender, {
        ...rule,
        limit: options.limit ?? rule.limit,
        minuteBegin: options.minuteBegin === undefined ? null : instant(options.minuteBegin),
        isFollowed: options.isFollowed ?? false,
      }),
    );

  it.each([
    ['windows from the first request', {}],
    ['windows from the first request', { isFollowed: true }],
    ['windows on a grid', { minuteBegin: 950 }],
    ['a log', {}],
    ['a full bucket', {}],
    ['a log that counts refusals', {}],
  ] as const)('of %s has two groups late in the same window: %j', async (name, options) => {
    expect(groups(await provoked(limiter(name), options))).toMatchSnapshot();
  });

  it('ends at twice the limit if nothing is refused, and after more than a window if all is', async () => {
    expect(groups(await provoked(always))).toMatchSnapshot('nothing refused');
    expect(groups(await provoked(never))).toMatchSnapshot('all refused');
    expect(groups(await provoked(always, { limit: 1 }))).toMatchSnapshot('a limit of one');
  });

  it('starts between the boundaries of the server’s clock', async () => {
    const begin = async (minuteBegin: number): Promise<number> =>
      Math.round((await provoked(always, { minuteBegin }))[0]!.sent);
    // It is 1 s; a part of 0.12 to 0.88 of the window has passed since its begin.
    expect(await Promise.all([-200, -201, -7800, -7801, 1000, 9000].map(begin))).toEqual([
      1000, 1000, 1000, 3399, 2200, 1000,
    ]);
  });
});

describe('a burst at once', () => {
  const released = async (
    options: { firstBurst?: number; isRepeated?: boolean; minuteBegin?: number },
    took = 40,
  ): Promise<readonly string[]> =>
    groups(
      await asked(
        always,
        (sender) =>
          releaseTogether(sender, rule, {
            firstBurst: options.firstBurst === undefined ? null : instant(options.firstBurst),
            isRepeated: options.isRepeated ?? false,
            minuteBegin: options.minuteBegin === undefined ? null : instant(options.minuteBegin),
          }),
        took,
      ),
    );

  it('comes at once, or at a phase that is far from that of the first', async () => {
    expect(await released({})).toEqual(['1000: 28, 0 refused']);
    const begins = (isRepeated: boolean) =>
      Promise.all(
        [0, -1700, -2200, -2600, -2900, -3500, -4000, -4500, -4950, -6000, -6400, -8500, -9000].map(
          async (firstBurst) => (await released({ firstBurst, isRepeated }))[0],
        ),
      );
    expect(await begins(false)).toMatchSnapshot('another burst');
    expect(await begins(true)).toMatchSnapshot('a third burst');
  });

  it('avoids the boundaries of the server’s clock', async () => {
    const first = async (minuteBegin: number): Promise<readonly string[]> =>
      released({ firstBurst: 0, minuteBegin });
    expect(await Promise.all([0, 2110, 2100, 2101, 3300, 3301, 2700, 12_700].map(first)))
      .toMatchInlineSnapshot(`
      [
        [
          "2700: 28, 0 refused",
        ],
        [
          "3500: 28, 0 refused",
        ],
        [
          "2700: 28, 0 refused",
        ],
        [
          "3500: 28, 0 refused",
        ],
        [
          "2700: 28, 0 refused",
        ],
        [
          "2700: 28, 0 refused",
        ],
        [
          "3500: 28, 0 refused",
        ],
        [
          "3500: 28, 0 refused",
        ],
      ]
    `);
  });

  it('is larger where answers take longer', () => {
    expect([0, 40, 1000, 4000, 9000, 60_000].map((took) => burstSize(rule, took)))
      .toMatchInlineSnapshot(`
      [
        28,
        28,
        31,
        42,
        56,
        56,
      ]
    `);
    expect(maxBurstSize(rule)).toBe(56);
    expect(maxBurstSize({ ...rule, limit: 1000 })).toBe(2240);
    expect([1, 60, 100].map((limit) => burstSize({ ...rule, limit }, 0))).toMatchInlineSnapshot(`
      [
        9,
        77,
        127,
      ]
    `);
  });

  it('is followed by as many requests as a bucket regains, and by three that empty it', async () => {
    const watched = async (decide: (now: number) => boolean) =>
      groups(await asked(decide, (sender) => watchRefill(sender, rule)));
    expect(await watched(never)).toEqual([
      '1600: 1, 1 refused',
      '2240: 1, 1 refused',
      '2880: 1, 1 refused',
    ]);
    expect(await watched(always)).toEqual([
      '1600: 1, 0 refused',
      '2240: 1, 0 refused',
      '2880: 1, 0 refused',
      '2920: 1, 0 refused',
      '2960: 1, 0 refused',
      '3000: 1, 0 refused',
    ]);
    expect(await watched((now) => now < 2930)).toHaveLength(4);
  });
});

describe('a load above the limit', () => {
  const loaded = (
    decide: (now: number) => boolean,
    windows: number,
    took = 40,
  ): Promise<readonly Asked[]> =>
    asked(decide, (sender) => sustainLoad(sender, rule, windows), took);
  const summary = (all: readonly Asked[]): string =>
    `${all.length} until ${Math.round(all.at(-1)!.sent)}, ${all.filter(({ admitted }) => admitted).length} admitted; ${all
      .slice(0, 5)
      .map(({ sent }) => Math.round(sent))
      .join(', ')}`;

  it.each([
    ['a full bucket', 3],
    ['a log', 3],
    ['a log', 6],
    ['windows on a grid', 1],
    ['a log that counts refusals', 4],
    ['a weighted counter that floors', 2],
  ] as const)('of %s for %i windows ends when it is decided', async (name, windows) => {
    expect(summary(await loaded(limiter(name), windows))).toMatchSnapshot();
  });

  it('lasts longer if hardly anything is refused, and ends if nothing is admitted', async () => {
    expect(summary(await loaded(always, 3))).toMatchSnapshot('nothing refused');
    expect(summary(await loaded(never, 3))).toMatchSnapshot('all refused');
    expect(summary(await loaded(always, 3, 9000))).toMatchSnapshot('slowly');
    let count = 0;
    const now = (): boolean => (count += 1) % 12 > 0;
    expect(summary(await loaded(now, 3))).toMatchSnapshot('one of twelve refused');
  });

  it('ends with the error of a request', async () => {
    await expect(
      loaded(() => {
        throw new Error('no more');
      }, 1),
    ).rejects.toThrow('no more');
  });

  it('ends with the first error, though others were under way, and sends no more', async () => {
    const sent: number[] = [];
    const failing = asked(always, async (sender) => {
      const fails = async (): Promise<boolean> => {
        const at = sender.now();
        sent.push(at);
        await sender.sleepUntil(instant(at + 1000));
        throw new Error(`error of ${Math.round(at)}`);
      };
      await sustainLoad({ ...sender, sendChat: fails }, rule, 3);
    });
    await expect(failing).rejects.toThrow('error of 1000');
    expect(sent.length).toBeGreaterThan(1);
    expect(sent.at(-1)).toBeLessThanOrEqual(2000);
  });
});

it('the requests of an overload and of a load are forecast', () => {
  expect(
    [1, 2, 20, 60, 1000].map((limit) => {
      const each = { ...rule, limit };
      return [
        limit,
        maxProvocationRequests(each, true),
        maxProvocationRequests(each, false),
        usualProvocationRequests(each, true),
        usualProvocationRequests(each, false),
        maxSustainedRequests(each, 3),
        usualSustainedRequests(each, 3),
      ].join(' ');
    }),
  ).toMatchInlineSnapshot(`
    [
      "1 93 20 16 16 10 3",
      "2 97 22 18 18 17 6",
      "20 173 61 54 47 145 51",
      "60 343 149 134 113 431 152",
      "1000 4337 2217 2014 1664 7142 2520",
    ]
  `);
  expect([1, 2, 2.5, 3, 10].map(usualSustainedWindows)).toEqual([1, 1.5, 1.5, 1.8, 8.8]);
});

describe('the sender', () => {
  it('pauses for the even rate, and until a key is forgotten', () => {
    expect(evenPause(rule)).toBeCloseTo(11_000 / 19 + 2, 9);
    expect(evenPause({ ...rule, limit: 1 })).toBeCloseTo(22_002, 9);
    expect(idleTime(rule)).toBeCloseTo(11_000 + 10_000 / 60, 9);
    expect(forgettingTime(rule)).toBeCloseTo(22_000 + 10_000 / 60, 9);
    const took = (sent: number, answered: number) => ({
      sent: instant(sent),
      answered: instant(answered),
    });
    expect(longestAnswer([took(0, 5), took(10, 30)])).toBe(20);
    expect(longestAnswer([])).toBe(0);
  });

  it('sends together until one is refused, fewer where a refusal is expected', async () => {
    const until = async (
      decide: (now: number) => boolean,
      maxRequests: number,
      together: number,
      expected: number,
    ): Promise<readonly number[]> => {
      const all = await asked(decide, (sender) =>
        sendUntilRefused(sender, { maxRequests, together, expected }),
      );
      return [...Map.groupBy(all, ({ sent }) => sent).values()].map(({ length }) => length);
    };
    expect(await until(always, 20, 4, 10)).toEqual([4, 4, 2, 3, 4, 3]);
    expect(await until(always, 12, 2, 4)).toEqual([2, 2, 2, 2, 2, 2]);
    expect(await until(always, 5, 8, 10)).toEqual([5]);
    expect(await until(never, 20, 4, 10)).toEqual([4]);
    expect(await until((now) => now < 1050, 20, 4, 10)).toEqual([4, 4]);
    expect(await until(always, 0, 4, 10)).toEqual([]);
  });

  it('sleeps until the next of some phases', async () => {
    const at = async (origin: number): Promise<number> => {
      let woken = 0;
      await asked(always, async (sender) => {
        await sleepUntilPhase(sender, instant(origin), 1000, [
          [0.2, 0.3],
          [0.6, 0.7],
        ]);
        woken = sender.now();
      });
      return Math.round(woken);
    };
    expect(await Promise.all([1000, 800, 750, 701, 699, 400, 300, 250, 5250].map(at))).toEqual([
      1200, 1000, 1000, 1000, 1299, 1000, 1000, 1450, 1450,
    ]);
  });
});
