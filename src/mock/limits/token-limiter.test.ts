// @gate 1 s
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { mockLimitsSchema, resolveMockLimits } from '../../model/gateway/mock-limits.ts';
import { tries } from '../../model/tries.fixture.ts';
import { openKeyLimiter } from './key-limiter.ts';
import type { TokenCharge } from './token-limiter.ts';
import type { ChargedChat, ChatUse } from './token-rules.ts';

type Limits = z.input<typeof mockLimitsSchema>;
type Charging = NonNullable<Limits['charging']>;
type Bug = NonNullable<Limits['bugs']>[number];

const open = (limits: Limits, seed?: number) =>
  openKeyLimiter(resolveMockLimits(mockLimitsSchema.parse(limits)), 0, seed);

const size: ChargedChat = {
  promptTokens: 100,
  promptBytes: 600,
  maxTokens: 50,
  choices: 2,
  isStream: false,
  asksForUsage: false,
};
const stream = { isStream: true };
const use: ChatUse = { cachedTokens: 40, written: 71, whole: 71, isCut: false };
const cut = { written: 31, isCut: true };

interface ChargedCase {
  readonly chat?: Partial<ChargedChat>;
  readonly used?: Partial<ChatUse>;
  readonly firstToken?: number | null;
}

/** The charges of one chat that is admitted at 0, has its first token at 10 and ends at 20: times and parts. */
const chargesOf = (
  limits: Limits,
  { chat = {}, used = {}, firstToken = 10 }: ChargedCase = {},
): string[] => {
  const charges: TokenCharge[] = [];
  const permit = open(limits).admit(0, (charge) => charges.push(charge));
  if (!permit.admitted) throw new Error('expected to be admitted');
  permit.reserve(0, { ...size, ...chat });
  if (firstToken !== null) permit.firstToken(firstToken, use.cachedTokens);
  permit.charge(20, { ...use, ...used });
  return charges.map(({ at, tokens, parts }) => {
    const list = Object.entries(parts);
    expect(list.reduce((sum, [, part]) => sum + part, 0)).toBe(tokens);
    return `${at}: ${list.map(([name, part]) => `${name} ${part}`).join(', ')}`;
  });
};

describe('a chat of 100 tokens in 600 bytes, two choices of at most 50, and 71 tokens of answers is charged', () => {
  it.each<[string, Limits, string[]]>([
    ['all of it at its end', {}, ['20: prompt 100, completion 71']],
    [
      'its estimate at admission, never corrected',
      { accounting: 'reserve' },
      ['0: prompt 150, reservation 100'],
    ],
    [
      'its estimate, corrected to its usage at the end',
      { accounting: 'reserve-reconcile' },
      ['0: prompt 150, reservation 100', '20: prompt -50, completion 71, reservation -100'],
    ],
    [
      'its prompt at admission and its answers at the end',
      { charging: { promptAt: 'admission' } },
      ['0: prompt 100', '20: completion 71'],
    ],
    [
      'its prompt at the first token',
      { charging: { promptAt: 'first-token' } },
      ['10: prompt 100', '20: completion 71'],
    ],
    [
      'an estimated prompt that is corrected',
      { charging: { promptAt: 'admission', bytesPerToken: 3 } },
      ['0: prompt 200', '20: prompt -100, completion 71'],
    ],
    [
      'an estimated prompt that is never corrected',
      { charging: { bytesPerToken: 3, settles: false } },
      ['20: prompt 200, completion 71'],
    ],
    [
      'max_tokens, and its prompt at the end',
      { charging: { reserves: true, settles: false } },
      ['0: reservation 100', '20: prompt 100'],
    ],
    ['no cached prompt', { charging: { cachedShare: 0 } }, ['20: prompt 60, completion 71']],
    [
      'a tenth of the cached prompt, known at the first token',
      { charging: { cachedShare: 0.1, promptAt: 'first-token' } },
      ['10: prompt 64', '20: completion 71'],
    ],
    [
      'a cached prompt only until the correction',
      { charging: { cachedShare: 0, promptAt: 'admission' } },
      ['0: prompt 100', '20: prompt -40, completion 71'],
    ],
    [
      'the prompt for each choice',
      { charging: { choices: 'prompt-each' } },
      ['20: prompt 200, completion 71'],
    ],
    ['one choice', { charging: { choices: 'one' } }, ['20: prompt 100, completion 36']],
    ['later', { charging: { delay: 7 } }, ['27: prompt 100, completion 71']],
    ['a sixth of a window late', { bugs: ['lateTokens'] }, ['10020: prompt 100, completion 71']],
    ['only its answers', { bugs: ['freePrompts'] }, ['20: completion 71']],
    [
      'only its answers, in reservations too',
      { accounting: 'reserve', bugs: ['freePrompts'] },
      ['0: reservation 100'],
    ],
    ['its prompt twice', { bugs: ['doublePrompts'] }, ['20: prompt 200, completion 71']],
    [
      'by two faults at once',
      { bugs: ['doublePrompts', 'lateTokens'] },
      ['10020: prompt 200, completion 71'],
    ],
  ])('%s', (_, limits, expected) => {
    expect(chargesOf(limits)).toEqual(expected);
  });

  it.each<[string, Limits, Partial<ChargedChat>, string[]]>([
    ['like any other', {}, stream, ['20: prompt 100, completion 71']],
    ['nothing', { bugs: ['freeStreams'] }, stream, []],
    ['all, if it is no stream', { bugs: ['freeStreams'] }, {}, ['20: prompt 100, completion 71']],
    ['nothing without its usage', { charging: { streams: 'with-usage' } }, stream, []],
    [
      'all with its usage',
      { charging: { streams: 'with-usage' } },
      { ...stream, asksForUsage: true },
      ['20: prompt 100, completion 71'],
    ],
  ])('as a stream: %s', (_, limits, chat, expected) => {
    expect(chargesOf(limits, { chat })).toEqual(expected);
  });

  it.each<[string, Limits, string[]]>([
    ['what was written', {}, ['20: prompt 100, completion 31']],
    ['the whole answer', { bugs: ['hangUpWhole'] }, ['20: prompt 100, completion 71']],
    ['nothing', { bugs: ['hangUpFree'] }, []],
    [
      'nothing, and its reservation is given back',
      { bugs: ['hangUpFree'], accounting: 'reserve-reconcile' },
      ['0: prompt 150, reservation 100', '20: prompt -150, reservation -100'],
    ],
    [
      'its reservation, if that is never corrected',
      { accounting: 'reserve' },
      ['0: prompt 150, reservation 100'],
    ],
  ])('when its client hangs up: %s', (_, limits, expected) => {
    expect(chargesOf(limits, { used: cut })).toEqual(expected);
  });

  it('its prompt alone when it is refused, if the gateway charges for that', () => {
    const charges: string[] = [];
    const limits: Limits = { tokensPerMinute: 60, requestsPerMinute: 1 };
    const key = open({ ...limits, accounting: 'reserve', charging: { chargesRefused: true } });
    const permit = key.admit(3, ({ at, parts }) => charges.push(`${at} ${JSON.stringify(parts)}`));
    if (!permit.admitted) throw new Error('expected to be admitted');
    expect(permit.reserve(3, size)).toMatchObject({ cause: 'tokens', fitsAt: 60_003 });
    expect(charges).toEqual(['3 {"prompt":150}']);
    expect(key.admit(4).admitted).toBe(true);
  });

  it('nothing when its client hangs up before the first token at which the prompt is due', () => {
    const charging: Charging = { promptAt: 'first-token' };
    const used = { written: 0, isCut: true };
    expect(chargesOf({ charging }, { used, firstToken: null })).toEqual([]);
  });
});

const declared = 1000;
const window = 600;

/** What each fault changes of a limiter, once more: the true limit, windows, processes, lateness and lockout. */
const flaws: Partial<
  Record<Bug, { limit?: number; length?: number; processes?: number; late?: number; lock?: number }>
> = {
  tokensNeverRefused: { limit: Number.POSITIVE_INFINITY },
  tokenLimitPlus100: { limit: 2000 },
  tokenLimitPlus20: { limit: 1200 },
  tokenLimitMinus20: { limit: 800 },
  tokenLimitMinus30: { limit: 700 },
  tokenReplicas: { processes: 3 },
  doubleTokenWindow: { length: 1200 },
  lateTokens: { late: 100 },
  tokenLockout: { lock: 600 },
  freeStreams: {},
  doublePrompts: {},
  hangUpFree: {},
};

const chatArbitrary = fc.record({
  gap: fc.oneof(fc.constant(0), fc.nat(60), fc.nat(700)),
  first: fc.nat(90),
  rest: fc.nat(400),
  promptTokens: fc.integer({ min: 1, max: 300 }),
  promptBytes: fc.nat(1500),
  maxTokens: fc.option(fc.integer({ min: 1, max: 200 })),
  choices: fc.integer({ min: 1, max: 3 }),
  isStream: fc.boolean(),
  asksForUsage: fc.boolean(),
  cached: fc.double({ min: 0, max: 1, noNaN: true }),
  written: fc.nat(300),
  isCut: fc.boolean(),
});
type Chat = typeof chatArbitrary extends fc.Arbitrary<infer Each> ? Each : never;

const chargingArbitrary = fc.record({
  algorithm: fc.constant('fixed-aligned' as const),
  admits: fc.constantFrom('below', 'prompt', 'reservation'),
  promptAt: fc.constantFrom('admission', 'first-token', 'end'),
  reserves: fc.boolean(),
  settles: fc.boolean(),
  bytesPerToken: fc.constantFrom(null, 3, 4),
  cachedShare: fc.constantFrom(0, 0.1, 1),
  choices: fc.constantFrom('all', 'prompt-each', 'one'),
  streams: fc.constantFrom('all', 'with-usage'),
  chargesRefused: fc.boolean(),
  delay: fc.constantFrom(0, 5),
});

type Rules = typeof chargingArbitrary extends fc.Arbitrary<infer Each> ? Each : never;

/** What a chat needs to be admitted, or at least costs, as each field of `charging` says it. */
const tokensNeeded = (
  chat: Chat,
  { admits, bytesPerToken, choices, streams }: Rules,
  bug: Bug | null,
): number => {
  const isFree =
    chat.isStream && (bug === 'freeStreams' || (streams === 'with-usage' && !chat.asksForUsage));
  if (admits === 'below' || isFree) return 1;
  const prompt =
    bytesPerToken === null ? chat.promptTokens : Math.ceil(chat.promptBytes / bytesPerToken);
  const times = (choices === 'prompt-each' ? chat.choices : 1) * (bug === 'doublePrompts' ? 2 : 1);
  const answers = (chat.maxTokens ?? 0) * (choices === 'one' ? 1 : chat.choices);
  return Math.max(1, prompt * times + (admits === 'reservation' ? answers : 0));
};

interface Booked extends TokenCharge {
  readonly process: number;
}

/** Serves chats in virtual time and compares each decision with what the charges in the trace allow. */
const serve = (chats: readonly Chat[], charging: Rules, bug: Bug | null): number => {
  const {
    limit = declared,
    length = window,
    processes = 1,
    late = 0,
    lock = 0,
  } = (bug === null ? undefined : flaws[bug]) ?? {};
  const key = open({
    requestsPerMinute: null,
    tokensPerMinute: declared,
    window,
    charging,
    bugs: bug === null ? [] : [bug],
  });
  const booked: Booked[] = [];
  const usedAt = (now: number, process: number): number =>
    booked
      .filter((one) => one.process === process && one.at <= now)
      .filter(({ at }) => Math.floor(at / length) === Math.floor(now / length))
      .reduce((used, { tokens }) => Math.max(0, used + tokens), 0);
  let clock = 0;
  const due: { at: number; run: (at: number) => void }[] = [];
  const runUntil = (now: number): void => {
    for (;;) {
      due.sort((a, b) => a.at - b.at);
      if (due.length === 0 || due[0]!.at > now) return;
      const { at, run } = due.shift()!;
      clock = at;
      run(at);
    }
  };
  let [now, refused, lockedUntil] = [0, 0, 0];
  for (const [turn, chat] of chats.entries()) {
    now += chat.gap;
    runUntil(now);
    clock = now;
    const process = turn % processes;
    const used = usedAt(now, process);
    const isLocked = now < lockedUntil;
    const admission = key.admit(now, (charge) => {
      expect(charge.at).toBeCloseTo(clock + late + charging.delay, 6);
      booked.push(Object.assign(charge, { process }));
    });
    const shown = Number(admission.headers['x-ratelimit-api_key-remaining-tokens']);
    if (bug !== 'tokenReplicas') expect(shown).toBe(Math.max(0, declared - used));
    const stopped = admission.admitted ? admission.reserve(now, { ...chat }) : admission;
    const isAdmitted = !isLocked && used + tokensNeeded(chat, charging, bug) <= limit;
    expect([now, used, stopped === null]).toEqual([now, used, isAdmitted]);
    if (stopped !== null) {
      refused += 1;
      if (!isLocked) lockedUntil = now + lock;
      expect(stopped.cause).toBe('tokens');
    } else if (admission.admitted) {
      const cachedTokens = Math.floor(chat.cached * chat.promptTokens);
      const { written, isCut } = chat;
      const at = now + chat.first;
      due.push(
        { at, run: (then) => admission.firstToken(then, cachedTokens) },
        {
          at: at + chat.rest,
          run: (then) => admission.charge(then, { cachedTokens, written, whole: 300, isCut }),
        },
      );
    }
  }
  runUntil(Number.POSITIVE_INFINITY);
  key.levels(1e9);
  const rest = limit === Number.POSITIVE_INFINITY ? declared : limit;
  for (const [i, { at, process, left, tokens }] of booked.entries()) {
    const earlier = booked.slice(0, i).filter((one) => one.process === process);
    const before = earlier
      .filter((one) => Math.floor(one.at / length) === Math.floor(at / length))
      .reduce((used, one) => Math.max(0, used + one.tokens), 0);
    expect(left).toEqual({ before: rest - before, after: rest - Math.max(0, before + tokens) });
  }
  return refused;
};

describe('a token limiter', () => {
  it.each([null, ...(Object.keys(flaws) as Bug[])])(
    'with the fault %s decides by what its trace says was charged, for every charging rule',
    (bug) => {
      let refused = 0;
      fc.assert(
        fc.property(
          fc.array(chatArbitrary, { minLength: 5, maxLength: 40 }),
          chargingArbitrary,
          (chats, charging) => {
            refused += serve(chats, charging, bug);
          },
        ),
        { numRuns: tries(150) },
      );
      // A few tries may happen to need little.
      const least = tries(150) === 150 ? 21 : 0;
      if (bug === 'tokensNeverRefused') expect(refused).toBe(0);
      else expect(refused).toBeGreaterThanOrEqual(least);
    },
  );

  it('with the fault randomTokenRefusals refuses one request in twenty, by its seed', () => {
    const refusedBy = (seed: number): string => {
      const key = open({ requestsPerMinute: null, bugs: ['randomTokenRefusals'] }, seed);
      return Array.from({ length: 10_000 }, () => (key.admit(0).admitted ? '' : 'x')).join(',');
    };
    const refusals = refusedBy(1).replaceAll(',', '').length;
    // Five standard deviations are 109.
    expect(Math.abs(refusals - 500)).toBeLessThan(109);
    expect(refusedBy(1)).toBe(refusedBy(1));
    expect(refusedBy(1)).not.toBe(refusedBy(2));
  });

  it('with the fault frozenTokenRest refuses as it should, and its header never falls', () => {
    const key = open({ tokensPerMinute: 100, bugs: ['frozenTokenRest'] });
    const permit = key.admit(0);
    if (permit.admitted) permit.charge(1, { ...use, written: 200 });
    const refusal = key.admit(2);
    expect(refusal).toMatchObject({ admitted: false, cause: 'tokens' });
    expect(refusal.headers['x-ratelimit-api_key-remaining-tokens']).toBe('100');
  });

  it('says when a locked key is free', () => {
    const key = open({ tokensPerMinute: 100, window: 600, bugs: ['tokenLockout'] });
    const permit = key.admit(0);
    if (permit.admitted) permit.charge(590, { ...use, written: 200 });
    expect(key.admit(595)).toMatchObject({ cause: 'tokens' });
    expect(key.admit(1194)).toMatchObject({ cause: 'tokens', fitsAt: 1195 });
    expect(key.admit(1195).admitted).toBe(true);
  });
});
