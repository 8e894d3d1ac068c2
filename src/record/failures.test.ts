import { describe, expect, it } from 'vitest';
import type { Observation } from '../model/observation/observation.ts';
import { instant } from '../model/quantity.ts';
import type { Failure } from '../model/result/result.ts';
import { failureRecorder, type Failures, maskedMessage } from './failures.ts';
import { refusedWith, sampleObservation } from './sample-observations.fixture.ts';

const folded = (observations: readonly Observation[]): Failures => {
  const failures = failureRecorder.restore([]);
  for (const observation of observations) failureRecorder.record(failures, observation);
  return failures;
};
const failuresOf = (observations: readonly Observation[]): readonly Failure[] =>
  failureRecorder.store(folded(observations));
const refused = (message: string, differing = {}): Observation =>
  sampleObservation({ outcome: refusedWith(message, differing) });
const letters = (n: number): string => String.fromCodePoint(0x100 + n);
const total = (rows: readonly Failure[]): number => rows.reduce((sum, row) => sum + row.count, 0);

describe('failures', () => {
  it('that differ only in numbers and ids are one row, with the earliest as its example', () => {
    const at = (ended: number, requestId: string, message: string) => ({
      ...refused(message),
      ended: instant(ended),
      requestId,
    });
    const rows = failuresOf([
      at(900, 'b', 'key 12 is unknown'),
      at(300, 'a', 'key 7 is unknown'),
      at(500, 'c', 'key 99 is unknown'),
    ]);
    expect(rows).toEqual([
      {
        traffic: 'chat',
        outcome: 'refused',
        status: 401,
        cause: 'invalid_api_key',
        message: 'key # is unknown',
        sameText: false,
        count: 3,
        first: 300,
        last: 900,
        example: { requestId: 'a', serverId: 'server-15', text: 'key 7 is unknown' },
      },
    ]);
  });

  it('beyond the causes that are kept share a row, which comes first among those as frequent', () => {
    const rows = failuresOf(
      Array.from({ length: 31 }, (_, i) => refused('no', { code: letters(i) })),
    );
    expect(rows.map(({ count }) => count)).toEqual(Array.from({ length: 31 }, () => 1));
    expect(rows.map(({ status }) => status)).toEqual([
      null,
      ...Array.from({ length: 30 }, () => 401),
    ]);
  });

  it('record whether all messages were the same, however they are divided into parts', () => {
    const [one, other] = [refused('key 7 is unknown'), refused('key 8 is unknown')];
    expect(failuresOf([one, one])).toMatchObject([{ count: 2, sameText: true }]);
    expect(failuresOf([one, other, one])).toMatchObject([{ count: 3, sameText: false }]);
    const { add, store } = failureRecorder;
    const merge = (a: Failures, b: Failures): Failures => {
      add(a, b);
      return a;
    };
    const both = merge(folded([one, one]), folded([other, other]));
    expect(store(both)).toMatchObject([{ count: 4, sameText: false }]);
    expect(store(merge(folded([one]), folded([one])))).toMatchObject([{ sameText: true }]);
  });

  it('keep a code that is a short number', () => {
    const coded = refused('slow down', { code: '429', status: 429 });
    expect(failuresOf([coded])).toMatchObject([{ cause: '429' }]);
  });

  it.each<[string, Observation['outcome'], string | null, number | null]>([
    ['its code', refusedWith(''), 'invalid_api_key', 401],
    ['its type where it has no code', refusedWith('', { code: null }), 'authentication_error', 401],
    [
      'the form of its body where it has neither',
      refusedWith('', { code: null, type: null, form: 'html', status: 502 }),
      'html',
      502,
    ],
    [
      'the issue of a malformed answer',
      { kind: 'malformed', issue: 'not-json', detail: 'got <html>', partial: null },
      'not-json',
      null,
    ],
    [
      'the cause of a broken one',
      { kind: 'broken', cause: 'deadline-idle', detail: '', partial: null },
      'deadline-idle',
      null,
    ],
    ['the reason for dropping it', { kind: 'dropped', cause: 'saturated' }, 'saturated', null],
  ])('are named by %s', (_, outcome, cause, status) => {
    expect(failuresOf([sampleObservation({ outcome })])).toMatchObject([
      { cause, status, count: 1 },
    ]);
  });

  it('explain why an arrival was dropped', () => {
    const outcome = { kind: 'dropped', cause: 'saturated' } as const;
    expect(failuresOf([sampleObservation({ outcome })])[0]?.message).toBe(
      'the cap on requests in flight was reached',
    );
  });

  it('are in order of their count, without completed requests', () => {
    const rows = failuresOf([
      refused('rare'),
      refused('often'),
      refused('often'),
      sampleObservation(),
    ]);
    expect(rows.map(({ message, count }) => [message, count])).toEqual([
      ['often', 2],
      ['rare', 1],
    ]);
  });

  it('keep 20 messages of a family and count the rest in one row', () => {
    const rows = failuresOf(
      Array.from({ length: 50 }, (_, i) => refused(`${letters(i)} is wrong`)),
    );
    expect(rows).toHaveLength(21);
    expect(rows[0]).toMatchObject({
      message: 'other messages',
      cause: 'invalid_api_key',
      count: 30,
    });
  });

  it('keep 30 causes of a kind and count the rest in one row, other kinds untouched', () => {
    const many = Array.from({ length: 50 }, (_, i) => refused('no', { code: letters(i) }));
    const outcome = { kind: 'dropped', cause: 'saturated' } as const;
    const rows = failuresOf([...many, ...many, sampleObservation({ outcome })]);
    expect(rows).toHaveLength(32);
    expect(rows[0]).toMatchObject({ cause: 'other causes', status: null, count: 40 });
    expect(rows.at(-1)).toMatchObject({ cause: 'saturated', count: 1 });
    expect(total(rows)).toBe(101);
  });

  it('stay few and lose no count even if every code and message is new', () => {
    const many = Array.from({ length: 2000 }, (_, i) =>
      refused(letters(i % 83), { code: letters(i % 89) }),
    );
    const rows = failuresOf(many);
    expect(rows.length).toBeLessThanOrEqual(30 * 21 + 1);
    expect(total(rows)).toBe(2000);
  });

  it('truncate the example’s text', () => {
    expect(failuresOf([refused('x'.repeat(5000))])[0]?.example.text).toHaveLength(300);
  });
});

import * as fc from 'fast-check';

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

  it('is of the first thousand characters of a text', () => {
    const blank = ' '.repeat(997);
    expect(maskedMessage(`a${blank}bcdef`)).toBe('a bc');
    expect(maskedMessage(`a${blank}bc`)).toBe('a bc');
    expect(maskedMessage(`a${blank.slice(1)}bcdef`)).toBe('a bcd');
  });

  it('has at most 200 characters, without a number that is cut off', () => {
    expect(maskedMessage('w'.repeat(250))).toHaveLength(200);
    const words = `${'word '.repeat(39)}four`;
    expect(words).toHaveLength(199);
    expect(maskedMessage(words)).toBe(words);
    expect(maskedMessage(`${words} gpt-4o`)).toBe(words);
    // Of "gpt-4o" only "gpt-4" is within the 200.
    expect(maskedMessage(`${'word '.repeat(39)}gpt-4o`)).toBe(`${'word '.repeat(38)}word`);
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
