import { describe, expect, it } from 'vitest';
import { laterUsage, readUsage } from './read-usage.ts';

describe('the tokens of a prompt that came from a cache', () => {
  it('are read under the names of the interface, the Anthropic API and DeepSeek', () => {
    const plain = { prompt_tokens: 100, completion_tokens: 2 };
    const cachedOf = (fields: object) => readUsage({ usage: { ...plain, ...fields } })?.cached;
    expect(cachedOf({ prompt_tokens_details: { cached_tokens: 90 } })).toBe(90);
    expect(cachedOf({ input_tokens_details: { cached_tokens: 80 } })).toBe(80);
    expect(cachedOf({ cache_read_input_tokens: 70 })).toBe(70);
    expect(cachedOf({ prompt_cache_hit_tokens: 60 })).toBe(60);
    expect(cachedOf({ prompt_tokens_details: null })).toBeUndefined();
    expect(cachedOf({ prompt_tokens_details: { cached_tokens: 0 } })).toBeUndefined();
  });

  it('keep an answer from being learned, since a learned form reads no such count', () => {
    const usage = { prompt_tokens: 100, completion_tokens: 2 };
    expect(readUsage({ usage })?.isPlain).toBe(true);
    const details = { prompt_tokens_details: { cached_tokens: 1 } };
    expect(readUsage({ usage: { ...usage, ...details } })?.isPlain).toBe(false);
  });

  it('are those of the last event that names them', () => {
    const first = { input: 100, output: 1, cached: 64, isOdd: false, isPlain: false };
    const last = { input: 100, output: 2, isOdd: false, isPlain: true };
    expect(laterUsage(first, last)).toMatchObject({ output: 2, cached: 64 });
  });
});
