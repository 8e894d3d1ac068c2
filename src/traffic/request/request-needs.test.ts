import { describe, expect, it } from 'vitest';
import { drawFrom } from '../../model/workload/draw.ts';
import type { Traffic } from '../../model/workload/traffic.ts';
import { type NeedsContext, requestNeedsOf } from './request-needs.ts';

const needsOf = (traffic: object, more: Partial<NeedsContext> = {}) =>
  requestNeedsOf(
    { weight: 1, model: 'm', ...traffic } as unknown as Traffic,
    {
      draw: drawFrom(1),
      ordinal: () => 1,
      ask: () => ({ messages: [{ role: 'user', content: 'one two three' }], maxTokens: 7 }),
      clips: { clipsOf: () => [{ seconds: 30 }] },
      ...more,
    } as NeedsContext,
  );

const text = 'word '.repeat(400);
const chat = {
  kind: 'chat',
  conversations: [[{ role: 'user', content: text }]],
  maxTokens: 100,
  body: {},
  price: { input: 1_000_000, output: 2_000_000 },
};

describe('what a chat needs', () => {
  const { input } = needsOf(chat);

  it('is its prompt and the longest answer, at its price', () => {
    expect(input).toBeGreaterThan(300);
    expect(needsOf(chat)).toEqual({
      input,
      isCounted: false,
      output: 100,
      isFixed: false,
      cost: input + 200,
      highestCost: input + 200,
    });
  });

  it('is less or more if parts of the prompt are cached, by their own prices', () => {
    const price = { ...chat.price, cachedInput: 100_000, cacheWrite: 2_000_000 };
    const assumed = { cached: 0.5, written: 0.25 };
    const [cached, written] = [Math.round(input * 0.5), Math.round(input * 0.25)];
    const { cost, highestCost } = needsOf({ ...chat, price }, { assumed });
    expect(cost).toBe(Math.round(input - cached - written + cached * 0.1 + written * 2 + 200));
    // A token may be one that is written to the cache.
    expect(highestCost).toBe(input * 2 + 200);
  });

  it('is unknown without a longest answer or a price', () => {
    expect(needsOf({ ...chat, maxTokens: null })).toMatchObject({
      output: null,
      isFixed: false,
      cost: null,
      highestCost: null,
    });
    expect(needsOf({ ...chat, price: null })).toMatchObject({ cost: null, highestCost: null });
    const short = { ...chat.price, maxInput: 10 };
    expect(needsOf({ ...chat, price: short })).toMatchObject({ cost: null, highestCost: null });
  });

  it('is exact if the answer has a fixed length, or the prompt a drawn one', () => {
    expect(needsOf({ ...chat, body: { ignore_eos: true } }).isFixed).toBe(true);
    expect(needsOf({ ...chat, maxTokens: null, body: { ignore_eos: true } }).isFixed).toBe(false);
    const synthetic = { kind: 'synthetic', system: null };
    const counted = (conversations: object, body = {}) =>
      needsOf({ ...chat, conversations, body }).isCounted;
    expect(counted(synthetic)).toBe(true);
    expect(counted(synthetic, { tools: [] })).toBe(false);
    expect(counted({ ...synthetic, system: 'a text' })).toBe(false);
    expect(counted({ ...synthetic, kind: 'dataset' })).toBe(false);
    // The shorter of two maximum lengths counts.
    expect(needsOf({ ...chat, conversations: synthetic }).output).toBe(7);
  });
});

describe('what other requests need', () => {
  const none = { input: 0, isCounted: true, output: 0, isFixed: true };

  it('is money, by characters, by seconds or nothing', () => {
    const speech = { kind: 'speech', texts: ['abc', 'four'], split: 2 };
    expect(needsOf({ ...speech, price: { perCharacter: 5_000_000 } })).toEqual({
      ...none,
      cost: 20,
      highestCost: 20,
    });
    expect(needsOf({ ...speech, price: { perSecond: 5 } }).cost).toBeNull();
    expect(needsOf({ ...speech, price: null }).cost).toBeNull();
    // By the interface, 0.000015 a character and 0.0001 a second.
    expect(needsOf(speech).cost).toBe(60);
    const transcription = { kind: 'transcription', clips: [{}] };
    expect(needsOf(transcription).cost).toBe(3000);
    expect(needsOf({ ...transcription, price: { perSecond: 2_000_000 } }).cost).toBe(60);
    expect(needsOf({ kind: 'models' })).toEqual({ ...none, cost: 0, highestCost: 0 });
  });
});
