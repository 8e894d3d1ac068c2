import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maskedMessage } from './masked-message.ts';

/** Texts that the masks look for, and halves of surrogate pairs. */
const troublesome = fc.constantFrom(
  ...Array.from('019afxz-:.,/\'"` TZ'),
  '\ud83d',
  '\ude00',
  '2026-07-01',
);

describe('a masked message', () => {
  it.each([
    ['limit 60, remaining 0', 'limit #, remaining #'],
    ['connect ECONNREFUSED 127.0.0.1:8080', 'connect ECONNREFUSED #'],
    ['took 12.5ms of 1,000', 'took #ms of #'],
    ['resets at: 2026-07-01 10:20:30 UTC', 'resets at: <time>'],
    ['at 2026-07-01T10:20:30.123Z, not 10:21:00', 'at <time>, not <time>'],
    ['id 550e8400-e29b-41d4-a716-446655440000', 'id <id>'],
    ['api_key: 8f3a9bc01d22e at 0xdeadbeef', 'api_key: <id> at <id>'],
    ['chatcmpl-9xYz12ab34cd failed', 'chatcmpl-<id> failed'],
    ['voice "x1.wav" and \'y2\' and `z3`', 'voice "x1.wav" and \'y2\' and `z3`'],
    ['model gpt-4o is not here', 'model gpt-4o is not here'],
    ['`meta/Llama-3.3-70B:free`, o3 or 01-ai', '`meta/Llama-3.3-70B:free`, o3 or 01-ai'],
    ['claude-3-5-sonnet-20241022 and r1:70b', 'claude-3-5-sonnet-20241022 and r1:70b'],
    ['try again in 6m0.5s, 20MB, 3/min', 'try again in #m#s, #MB, #/min'],
    ['max_tokens=4096 (10-20), code:429.', 'max_tokens=# (#-#), code:#.'],
    ['batch-1718822334 and "12"', 'batch-# and "#"'],
    ['at 0x1f', 'at <id>'],
    ['a decoded facade, effaced', 'a decoded facade, effaced'],
    ['the "voice" isn’t "known"', 'the "voice" isn’t "known"'],
    ['  two\n\tlines ', 'two lines'],
    ['', ''],
  ])('of %j is %j', (text, masked) => {
    expect(maskedMessage(text)).toBe(masked);
  });

  it('is equal for messages that differ only in their numbers', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (a, b) => {
        expect(maskedMessage(`waited ${a} s`)).toBe(maskedMessage(`waited ${b} s`));
      }),
    );
  });

  it('is bounded and well formed, contains no bare number, and does not change when masked again', () => {
    fc.assert(
      fc.property(fc.string({ unit: troublesome, maxLength: 300 }), (text) => {
        const masked = maskedMessage(text);
        expect(masked.length).toBeLessThanOrEqual(200);
        expect(masked.isWellFormed()).toBe(true);
        expect(masked).not.toMatch(/(?<![^\s'"`/])\d+(?:[.,:]\d+)*(?![^\s'"`/])/);
        expect(maskedMessage(masked)).toBe(masked);
      }),
    );
  });
});
