import { describe, expect, it } from 'vitest';
import { milliseconds } from '../../model/quantity.ts';
import { batchingSchema } from '../../model/gateway/mock-latency.ts';
import { manualMockClock } from '../clock/manual-mock-clock.fixture.ts';
import { settingsSchema } from '../settings/settings.ts';
import { openPrefixCache, openServing } from './serving.ts';

/** A cache with these settings, on a clock that stands where `time.now` is. */
const openCache = (settings: Partial<Parameters<typeof openPrefixCache>[0]> = {}) => {
  const time = { now: 0 };
  const cache = { keeps: null, tokens: 6_400_000, ...settings };
  return { time, uncached: openPrefixCache(cache, { now: () => time.now }) };
};

const text = (seed: string, blocks: number): string => seed.repeat(256 * blocks);

it('recognises the beginning that a prompt shares with an earlier one, in whole blocks', () => {
  const { uncached } = openCache();
  const ask = (prompt: string, model = 'a') =>
    uncached({ model, prompt: [prompt], promptTokens: 400 });
  const shared = text('s', 3);
  expect(ask(shared + text('x', 1))).toBe(400);
  expect(ask(shared + text('y', 1))).toBe(100);
  expect(ask(shared + text('y', 1))).toBe(0);
  // The same text elsewhere than at the beginning is no prefix.
  expect(ask(text('z', 1) + shared)).toBe(400);
  expect(ask(shared + text('x', 1), 'b')).toBe(400);
});

it('does not cache a prompt that is shorter than a block', () => {
  const { uncached } = openCache();
  const job = { model: 'a', prompt: ['hello there'], promptTokens: 2 };
  expect([uncached(job), uncached(job)]).toEqual([2, 2]);
});

it('keeps a beginning for a time after its last use', () => {
  const { time, uncached } = openCache({ keeps: milliseconds(1000) });
  const ask = (now: number): number => {
    time.now = now;
    return uncached({ model: 'a', prompt: [text('s', 4)], promptTokens: 400 });
  };
  expect([0, 900, 1900, 2901, 3000].map(ask)).toEqual([400, 0, 0, 400, 0]);
});

it('keeps as many tokens as it has room for, those that were used last', () => {
  const { uncached } = openCache({ tokens: 64 * 8 });
  const ask = (name: string): number =>
    uncached({ model: 'a', prompt: [text(name, 4)], promptTokens: 400 });
  expect(['s', 't', 's', 't', 'u', 't', 'u', 's'].map(ask)).toEqual([
    400, 400, 0, 0, 400, 0, 0, 400,
  ]);
});

/** A gateway's server on a clock that a test moves, with its figures of the model `a`. */
const servingWith = (latency: object | 'fixed') => {
  const clock = manualMockClock(0);
  const settings = settingsSchema.parse({ latency, ttft: 10, gap: 5 });
  const serving = openServing(settings, clock);
  const ask = (job: object = {}) => {
    const tokens: number[] = [];
    const given = { model: 'a', prompt: ['x'], promptTokens: 7, uncached: 4, steps: 3, ...job };
    const emit = (from: number, to: number): void => void tokens.push(to - from);
    return { tokens, leave: serving.serve(given, { emit }) };
  };
  return { clock, serving, ask, levels: () => serving.levels().get('a') };
};

describe('the figures of a model', () => {
  it('count its requests, their tokens and what of their prompts was cached', () => {
    const { clock, serving, ask, levels } = servingWith('fixed');
    expect(levels()).toBeUndefined();
    ask();
    const begun = {
      running: 1,
      waiting: 0,
      promptTokens: 0,
      generatedTokens: 0,
      prefixQueries: 7,
      prefixHits: 3,
      queueTime: 0,
      queued: 1,
    };
    expect(levels()).toEqual(begun);
    const { leave } = ask({ promptTokens: 100, uncached: 100, steps: 50 });
    ask({ model: 'b' });
    clock.advance(10);
    expect(levels()).toEqual({
      ...begun,
      running: 2,
      promptTokens: 107,
      generatedTokens: 2,
      prefixQueries: 107,
      queued: 2,
    });
    clock.advance(10);
    expect(levels()).toMatchObject({ running: 1, generatedTokens: 6 });
    leave();
    leave();
    clock.advance(1000);
    expect(levels()).toMatchObject({ running: 0, waiting: 0, generatedTokens: 6 });
    expect(serving.levels().get('b')).toMatchObject({ running: 0, generatedTokens: 3 });
  });

  it('count who waits for a place, and for how long', () => {
    const latency = batchingSchema.parse({
      batch: 1,
      overhead: 10,
      perPromptToken: 1,
      step: 4,
      stepPerRequest: 0,
      stepPerThousandTokens: 0,
    });
    const { clock, ask, levels } = servingWith(latency);
    ask();
    const others = [ask(), ask()];
    // The first is read until 14, its other two tokens until 22.
    expect(levels()).toMatchObject({ running: 1, waiting: 2, queued: 1, queueTime: 0 });
    others[1]!.leave();
    expect(levels()).toMatchObject({ running: 1, waiting: 1 });
    clock.advance(21);
    expect(levels()).toMatchObject({ running: 1, waiting: 1, generatedTokens: 2 });
    clock.advance(1);
    expect(levels()).toMatchObject({ running: 1, waiting: 0, queued: 2, queueTime: 22 });
    clock.advance(1000);
    expect(levels()).toMatchObject({ running: 0, waiting: 0, queued: 2, generatedTokens: 6 });
    expect(others.map(({ tokens }) => tokens)).toEqual([[1, 1, 1], []]);
  });
});
