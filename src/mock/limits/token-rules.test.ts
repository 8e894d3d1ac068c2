import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { mockLimitsSchema, resolveMockLimits } from '../../model/gateway/mock-limits.ts';
import { openMeter } from './meters.ts';
import { openTokenLimiter } from './token-limiter.ts';
import {
  type ChargedChat,
  type ChatUse,
  expectedCost,
  noChat,
  tokenRulesOf,
  usedCost,
} from './token-rules.ts';

type Limits = z.input<typeof mockLimitsSchema>;
type Bug = NonNullable<Limits['bugs']>[number];
const resolved = (limits: Limits) => resolveMockLimits(mockLimitsSchema.parse(limits));
const rulesOf = (limits: Limits = {}, declared = 1000) => tokenRulesOf(resolved(limits), declared);
const charging = (fields: NonNullable<Limits['charging']>) => rulesOf({ charging: fields });

const chat: ChargedChat = {
  promptTokens: 100,
  promptBytes: 601,
  maxTokens: 50,
  choices: 3,
  isStream: false,
  asksForUsage: false,
};
const stream = { ...chat, isStream: true };
const use: ChatUse = { cachedTokens: 40, written: 71, whole: 90, isCut: false };

describe('the rules of a token limit', () => {
  it('are those of the settings', () => {
    const { charging: _, weigh: __, ...rules } = rulesOf({ window: 60_000 });
    expect(rules).toEqual({
      limit: 1000,
      window: 60_000,
      isEnforced: true,
      replicas: 1,
      delay: 0,
      lockout: 0,
      randomRefusals: 0,
      hangUp: 'written',
      showsUse: true,
    });
  });

  it.each<readonly [Bug, object]>([
    ['tokensNeverRefused', { isEnforced: false }],
    ['tokenLimitPlus100', { limit: 2006 }],
    ['tokenLimitPlus20', { limit: 1204 }],
    ['tokenLimitMinus20', { limit: 802 }],
    ['tokenLimitMinus30', { limit: 702 }],
    ['tokenReplicas', { replicas: 3 }],
    ['doubleTokenWindow', { window: 120_000 }],
    ['lateTokens', { delay: 10_500 }],
    ['tokenLockout', { lockout: 60_000 }],
    ['randomTokenRefusals', { randomRefusals: 0.05 }],
    ['hangUpWhole', { hangUp: 'whole' }],
    ['hangUpFree', { hangUp: 'free' }],
    ['frozenTokenRest', { showsUse: false }],
    ['wrongLimitName', {}],
    ['resetFromNow', {}],
  ])('with the fault %s differ in that', (bug, differing) => {
    const settings = { window: 60_000, charging: { delay: 500 } };
    const { weigh: _, ...plain } = rulesOf(settings, 1003);
    const { weigh: __, ...wrong } = rulesOf({ ...settings, bugs: [bug] }, 1003);
    expect(wrong).toEqual({ ...plain, ...differing });
  });

  it('with several faults have all of them, and a limit of at least one', () => {
    const { limit, replicas } = rulesOf({ bugs: ['tokenLimitMinus30', 'tokenReplicas'] }, 1);
    expect([limit, replicas]).toEqual([1, 3]);
    const both = rulesOf({ window: 60_000, bugs: ['doubleTokenWindow', 'lateTokens'] });
    expect(both.delay).toBe(20_000);
  });
});

describe('the cost of a chat', () => {
  it('is expected to be its prompt and max_tokens of each choice', () => {
    expect(expectedCost(chat, charging({}))).toEqual({ prompt: 100, completion: 150 });
    expect(expectedCost({ ...chat, maxTokens: null }, charging({})).completion).toBe(0);
    expect(expectedCost(noChat, charging({}))).toEqual({ prompt: 0, completion: 0 });
    expect(expectedCost(chat, charging({ bytesPerToken: 4 })).prompt).toBe(151);
    expect(expectedCost(chat, charging({ choices: 'prompt-each' }))).toEqual({
      prompt: 300,
      completion: 150,
    });
    expect(expectedCost(chat, charging({ choices: 'one' }))).toEqual({
      prompt: 100,
      completion: 50,
    });
  });

  it('is what was written, with a part of what came from a cache', () => {
    expect(usedCost(chat, use, charging({}))).toEqual({ prompt: 100, completion: 71 });
    expect(usedCost(chat, use, charging({ cachedShare: 0.25 })).prompt).toBe(70);
    expect(usedCost(chat, use, charging({ cachedShare: 0 })).prompt).toBe(60);
    expect(usedCost(noChat, { ...use, cachedTokens: 0 }, charging({ cachedShare: 0 })).prompt).toBe(
      0,
    );
    expect(usedCost(chat, use, charging({ choices: 'one' })).completion).toBe(24);
    const bytes = { bytesPerToken: 4, cachedShare: 0.5 };
    // 151 by bytes, of which a fifth is free.
    expect(usedCost(chat, use, charging({ ...bytes, settles: false })).prompt).toBe(121);
    expect(usedCost(chat, use, charging({ ...bytes, settles: true })).prompt).toBe(80);
  });

  it('of a client that hung up is what was written, all or nothing', () => {
    const cut = { ...use, isCut: true };
    const costWith = (bugs: readonly Bug[], each = cut) =>
      usedCost(chat, each, rulesOf({ bugs: [...bugs] }));
    expect(costWith([])).toEqual({ prompt: 100, completion: 71 });
    expect(costWith(['hangUpWhole'])).toEqual({ prompt: 100, completion: 90 });
    expect(costWith(['hangUpFree'])).toEqual({ prompt: 0, completion: 0 });
    expect(costWith(['hangUpWhole'], use).completion).toBe(71);
    expect(costWith(['hangUpFree'], use).prompt).toBe(100);
  });

  it('of a stream is nothing if only those that ask for usage are charged', () => {
    const rules = charging({ streams: 'with-usage' });
    const none = { prompt: 0, completion: 0 };
    expect(expectedCost(stream, rules)).toEqual(none);
    expect(expectedCost({ ...stream, asksForUsage: true }, rules).prompt).toBe(100);
    expect(expectedCost(chat, rules).prompt).toBe(100);
    expect(expectedCost(stream, charging({ streams: 'all' })).prompt).toBe(100);
    expect(usedCost(stream, use, rulesOf({ bugs: ['freeStreams'] }))).toEqual(none);
    expect(usedCost(chat, use, rulesOf({ bugs: ['freeStreams'] })).prompt).toBe(100);
    expect(usedCost(chat, use, rulesOf({ bugs: ['freePrompts'] }))).toEqual({
      prompt: 0,
      completion: 71,
    });
    expect(usedCost(chat, use, rulesOf({ bugs: ['doublePrompts'] }))).toEqual({
      prompt: 200,
      completion: 71,
    });
  });
});

describe('the remaining tokens that are reported for a key', () => {
  const shown = (bugs: readonly Bug[], used: number): number => {
    const limits = resolved({ tokensPerMinute: 100, bugs: [...bugs] });
    const limiter = openTokenLimiter(limits, 0, { uniform: () => 0.5 } as never)!;
    const account = limiter.open(() => undefined);
    account.end(0, { cachedTokens: 0, written: used, whole: used, isCut: false });
    return limiter.shownLevel(0).remaining;
  };

  it('are those of the declared limit, whatever limit is kept', () => {
    expect(shown([], 30)).toBe(70);
    expect(shown(['tokenLimitPlus100'], 30)).toBe(70);
    expect(shown(['tokenLimitPlus100'], 130)).toBe(0);
    expect(shown(['tokenLimitMinus20'], 30)).toBe(70);
    expect(shown(['frozenTokenRest'], 30)).toBe(100);
  });
});

it('a log of a thousand expired uses still counts the others', () => {
  const meter = openMeter['sliding-log']({ limit: 2000, window: 60, phase: 0, burst: 1, steps: 1 });
  for (let at = 0; at < 1500; at += 1) meter.count(at / 50, 1);
  // The uses until 12.02 have expired at 72.02: 602; nothing is forgotten yet.
  expect(meter.left(72.021)).toBe(2000 - 1500 + 602);
  for (let i = 0; i < 100; i += 1) meter.count(80, 1);
  // Until 29 have expired 1,451, more than half of all, which are forgotten.
  expect(meter.left(89.001)).toBe(2000 - 1600 + 1451);
  expect(meter.left(90)).toBe(2000 - 100);
  expect(meter.level(90)).toEqual({ remaining: 1900, resetAt: 140 });
  meter.count(90, -40);
  expect(meter.left(139)).toBe(1940);
  expect(meter.left(140)).toBe(2000);
});
