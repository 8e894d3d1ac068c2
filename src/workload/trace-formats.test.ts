import { describe, expect, it } from 'vitest';
import type { TraceUnit } from '../model/workload/trace.ts';
import { recogniseTrace } from './trace-formats.ts';

const azure = 'TIMESTAMP,ContextTokens,GeneratedTokens';
const burst = 'Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type';
const rowOf = (header: string, line: string, unit?: TraceUnit) =>
  recogniseTrace([header, line], unit)!.read(line);
const timeOf = (text: string) => {
  const row = rowOf(azure, `${text},1,2`);
  return typeof row === 'string' ? null : [row.at.seconds, row.at.ticks];
};
const json = (timestamp: string, more = ''): string =>
  `{"timestamp": ${timestamp}, "input_length": 5, "output_length": 6${more}}`;

describe('a date and time', () => {
  it.each([
    ['1970-01-01 00:00:00', [0, 0]],
    ['1970-01-02T03:04:05.5', [97_445, 5_000_000]],
    ['1970-01-01 00:00:00.123456789', [0, 1_234_567]],
    ['1970-01-01 00:00:01Z', [1, 0]],
    ['1970-01-01 02:30:00+02:30', [0, 0]],
    ['1970-01-01 00:00:00-0130', [5400, 0]],
    ['1970-12-31 23:59:59', [31_535_999, 0]],
  ])('%s is the seconds and ticks %j', (text, at) => {
    expect(timeOf(text)).toEqual(at);
  });

  it.each([
    '1970-00-01 00:00:00',
    '1970-13-01 00:00:00',
    '1970-01-00 00:00:00',
    '1970-01-32 00:00:00',
    '1970-01-01 24:00:00',
    '1970-01-01 00:60:00',
    '1970-01-01 00:00:60',
    '1970-01-01 00:00:00.1234567890',
    '1970-1-1 00:00:00',
    '5',
  ])('%s is none', (text) => {
    expect(rowOf(azure, `${text},1,2`)).toBe(
      'expected a "TIMESTAMP" such as 2023-11-16 18:15:46.6805900',
    );
  });
});

describe('a number of a time', () => {
  it.each([
    ['45', 's', [45, 0]],
    ['45.', 's', [45, 0]],
    ['1.23456784', 's', [1, 2_345_678]],
    ['1.23456785', 's', [1, 2_345_679]],
    ['1500', 'ms', [1, 5_000_000]],
    ['7', 'ms', [0, 70_000]],
    ['7', 'us', [0, 70]],
    ['1234567890123456789', 'ns', [1_234_567_890, 1_234_568]],
  ] as const)('%s in %s is exact', (text, unit, at) => {
    const row = rowOf(burst, `${text},m,1,2,3,x`, unit);
    expect(typeof row === 'string' ? row : [row.at.seconds, row.at.ticks]).toEqual(at);
  });

  it('has at most 25 digits, and no more seconds than a number counts', () => {
    const wrong = 'expected a "Timestamp" such as 45.0, in seconds';
    expect(rowOf(burst, '-1,m,1,2,3,x')).toBe(wrong);
    expect(rowOf(burst, '9007199254740992,m,1,2,3,x')).toBe(wrong);
    expect(rowOf(burst, '9007199254740991,m,1,2,3,x')).not.toBe(wrong);
    expect(rowOf(burst, `${'0'.repeat(25)},m,1,2,3,x`)).not.toBe(wrong);
    expect(rowOf(burst, `${'0'.repeat(26)},m,1,2,3,x`)).toBe(wrong);
  });

  it.each([
    [['999999999'], 'ms'],
    [['1000000000'], 's'],
    [['3999999999'], 's'],
    [['4000000000'], 'ms'],
    [['1000000000000'], 'ms'],
    [['1000000000000000'], 'us'],
    [['1000000000000000000'], 'ns'],
    [['0.0', '60.0'], 's'],
    [['0.0', '60.5'], 'ms'],
    [['0.0', '1.5', '120.0'], 's'],
    [['0', '60'], 'ms'],
    [['0.0'], 's'],
  ] as const)('%j shows its unit, %s', (times, unit) => {
    const found = recogniseTrace(
      times.map((time) => json(time)),
      undefined,
    );
    expect([found?.unit, found?.format]).toEqual([unit, unit === 's' ? 'guidellm' : 'mooncake']);
  });

  it('has the unit that is given, whatever it shows', () => {
    expect(recogniseTrace([json('0.0')], 'us')).toMatchObject({ unit: 'us', format: 'guidellm' });
    expect(recogniseTrace([json('5', ', "chat_id": 1')], undefined)).toMatchObject({
      format: 'bailian',
      unit: 's',
      blockTokens: 16,
    });
    expect(recogniseTrace([json('5', ', "parent_chat_id": 1')], 'ms')?.unit).toBe('ms');
    expect(recogniseTrace([azure], 'ms')).toMatchObject({ unit: null, headerless: false });
    expect(recogniseTrace(['{"timestamp": 5}'], undefined)).toBeNull();
    expect(recogniseTrace(['TIMESTAMP,ContextTokens'], undefined)).toBeNull();
  });
});

describe('a line of JSON', () => {
  const read = (line: string) => recogniseTrace([json('5')], undefined)!.read(line);

  it('has counts, blocks and the names of what is not replayed', () => {
    expect(read(json('5', ', "hash_ids": [0, 7], "a": 1, "b": "x", "c": [1]'))).toEqual({
      at: { seconds: 0, ticks: 50_000 },
      input: 5,
      output: 6,
      blocks: [0, 7],
      unread: ['a', 'b', 'c'],
    });
    const silent = ', "a": 0, "b": " ", "c": [], "d": -1, "e": false, "f": null, "g": "-1"';
    expect(read(json('5', silent))).toMatchObject({ blocks: [], unread: [] });
  });

  it.each([
    ['[', 'expected a JSON object'],
    ['5', 'expected a JSON object'],
    [json('-5'), 'expected a "timestamp" in milliseconds'],
    [json('"x"'), 'expected a "timestamp" in milliseconds'],
    [
      '{"timestamp": 1, "input_length": -1, "output_length": 1}',
      'expected a whole number of tokens as "input_length"',
    ],
    [
      '{"timestamp": 1, "input_length": 0, "output_length": 1.5}',
      'expected a whole number of tokens as "output_length"',
    ],
    [json('5', ', "hash_ids": 5'), 'expected a list of whole numbers as "hash_ids"'],
    [json('5', ', "hash_ids": [-1]'), 'expected a list of whole numbers as "hash_ids"'],
  ])('%s is refused', (line, problem) => {
    expect(read(line)).toBe(problem);
  });

  it('may have its time as text, and in another notation', () => {
    const at = (text: string) => (read(json(text)) as { readonly at: object }).at;
    expect(at('"2500.0"')).toEqual({ seconds: 2, ticks: 5_000_000 });
    expect(at('2.5e3')).toEqual({ seconds: 2, ticks: 5_000_000 });
  });

  it.each([
    [512, 1, 512],
    [513, 2, 512],
    [32, 2, 16],
    [33, 2, 32],
    [65, 2, 64],
    [129, 2, 128],
    [257, 2, 256],
    [1025, 2, 1024],
    [1025, 9, 128],
    [1025, 7, 512],
  ])('shows by a prompt of %i tokens in %i blocks that blocks have %i', (input, blocks, size) => {
    const ids = Array.from({ length: blocks }, (_, i) => i);
    const line = JSON.stringify({
      timestamp: 1,
      input_length: input,
      output_length: 1,
      hash_ids: ids,
    });
    expect(recogniseTrace([json('0'), line], undefined)?.blockTokens).toBe(size);
  });
});

describe('a table', () => {
  it('has whole numbers of tokens, as spreadsheets write them', () => {
    const counts = (into: string, out: string) => {
      const row = rowOf(burst, `1,m,${into},${out},3,x`);
      return typeof row === 'string' ? row : [row.input, row.output];
    };
    expect(counts('5.0', '123456789')).toEqual([5, 123_456_789]);
    expect(counts('5.', '0')).toEqual([5, 0]);
    expect(counts('5.5', '0')).toBe('expected a whole number of tokens as "Request tokens"');
    expect(counts('5', '1234567890')).toBe(
      'expected a whole number of tokens as "Response tokens"',
    );
    expect(counts('', '1')).toBe('expected a whole number of tokens as "Request tokens"');
  });

  it('may be separated by semicolons or tabs, and have quotes', () => {
    for (const mark of [';', '\t']) {
      const header = azure.replaceAll(',', mark);
      expect(rowOf(header, ['1970-01-01 00:00:05', '7', '8'].join(mark))).toMatchObject({
        at: { seconds: 5 },
        input: 7,
        output: 8,
      });
    }
    expect(rowOf(`"Note",${azure}`, '"a, b, c",1970-01-01 00:00:05,"7",8')).toMatchObject({
      input: 7,
      output: 8,
      unread: ['Note'],
    });
  });

  it('names the columns with a value that are not replayed, but for sums', () => {
    const unread = (line: string) =>
      (rowOf(burst, line) as { readonly unread: readonly string[] }).unread;
    expect(unread('1,gpt,5,6,11,Chat log')).toEqual(['Model', 'Log Type']);
    expect(unread('1,,5,6,11,0')).toEqual([]);
  });
});
