import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { milliseconds } from '../model/quantity.ts';
import type { TraceSelection } from '../model/workload/trace.ts';
import { readTrace } from './read-trace.ts';

const newSha256 = () => createHash('sha256');

const whole: TraceSelection = {
  file: 't.csv',
  speed: 1,
  from: milliseconds(0),
  until: null,
  maxInputTokens: null,
  maxOutputTokens: null,
};

const bytesOf = (text: string): Uint8Array[] => [Buffer.from(text)];

const read = (text: string, cut: Partial<TraceSelection> = {}, parts = bytesOf(text)) => {
  const found = readTrace({ ...whole, ...cut }, parts, newSha256);
  if (!found.ok) throw new Error(found.problem);
  const { trace, facts } = found.value;
  const all = <T>(of: (index: number) => T): T[] =>
    Array.from({ length: trace.count }, (_, index) => of(index));
  return {
    facts,
    dues: all(trace.dueAt),
    inputs: all(trace.inputTokens),
    outputs: all(trace.outputTokens),
    blocks: all(trace.blocksOf),
  };
};

const problem = (text: string, cut: Partial<TraceSelection> = {}): string => {
  const found = readTrace({ ...whole, ...cut }, bytesOf(text), newSha256);
  return found.ok ? 'no problem' : found.problem;
};

// As published: seven digits, CRLF line ends, no line end after the last line.
const azure2023 = [
  'TIMESTAMP,ContextTokens,GeneratedTokens',
  '2023-11-16 23:59:58.6805900,374,44',
  '2023-11-16 23:59:58.6805901,396,109',
  '2023-11-17 00:00:00.0000001,879,55',
  '2023-11-17 00:01:00,91,16',
].join('\r\n');

const azure2024 = `TIMESTAMP,ContextTokens,GeneratedTokens
2024-05-10 00:00:00.009930+00:00,2162,5
2024-05-10 00:00:00.017335+00:00,2399,6
2024-05-10 00:00:10+00:00,76,15
`;

const burst = `Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type
5,ChatGPT,472,18,490,Conversation log
45,ChatGPT,1087,230,1317,Conversation log
118,GPT-4,417,0,417,API log
`;

const burst2 = `Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log Type
19440110.0,1722ac82-0a46,43,GPT-4,906,446,1352,Conversation log
19440161.5,,,ChatGPT,36,29,65,API log
`;

const mooncake = `{"timestamp": 27482, "input_length": 1200, "output_length": 52, "hash_ids": [46, 47, 48]}
{"timestamp": 27482, "input_length": 600, "output_length": 26, "hash_ids": [46, 49]}
{"timestamp": 30535, "input_length": 672, "output_length": 1}
`;

/** As published, with fewer ids of blocks. */
const bailian = `{"chat_id": 1, "parent_chat_id": -1, "timestamp": 0.0, "input_length": 20, "output_length": 20, "type": "text", "turn": 1, "hash_ids": [1, 2]}
{"chat_id": 2, "parent_chat_id": 1, "timestamp": 12.5, "input_length": 40, "output_length": 30, "type": "text", "turn": 2, "hash_ids": [1, 2, 3]}
{"chat_id": 4, "parent_chat_id": 3, "timestamp": 118.002, "input_length": 700, "output_length": 12, "type": "search", "turn": 2, "hash_ids": [30, 31, 32]}
`;

/** As GuideLLM replays them. */
const guidellm = `{"timestamp": 0.0, "input_length": 10, "output_length": 5, "hash_ids": [0]}
{"timestamp": 0.2, "input_length": 20, "output_length": 8, "hash_ids": [0]}
{"timestamp": 30.4, "input_length": 15, "output_length": 6, "hash_ids": [2]}
`;

const rowsAt = (...times: readonly (number | string)[]): string =>
  times.map((time) => `{"timestamp": ${time}, "input_length": 20, "output_length": 8}`).join('\n');

describe('the unit of the times of a trace', () => {
  it('is the second for Qwen-Bailian, whose blocks have 16 tokens', () => {
    const { dues, facts } = read(bailian);
    expect(dues).toEqual([0, 12_500, 118_002]);
    expect(facts).toMatchObject({ format: 'bailian', unit: 's', busiestSecond: 1 });
    const found = readTrace(whole, bytesOf(bailian), newSha256);
    expect(found.ok && found.value.trace.blockTokens).toBe(16);
  });

  it('is the second for GuideLLM, which writes fractions', () => {
    const { dues, facts } = read(guidellm);
    expect(dues).toEqual([0, 200, 30_400]);
    expect(facts).toMatchObject({ format: 'guidellm', unit: 's', busiestSecond: 2 });
  });

  it('shows in the magnitude of times since 1970', () => {
    expect(read(rowsAt(1_753_780_607, 1_753_780_609)).dues).toEqual([0, 2000]);
    expect(read(rowsAt(1_753_780_607_550, 1_753_780_609_551)).dues).toEqual([0, 2001]);
    const nanoseconds = rowsAt('"1753780607550317897"', '"1753780607551317897"');
    expect(read(nanoseconds).dues).toEqual([0, 1]);
    expect(read(nanoseconds).facts.unit).toBe('ns');
  });

  it('is the millisecond for fractions that are too large for seconds', () => {
    const { dues, facts } = read(rowsAt('0.0', '250.5', '900.25'));
    expect(dues).toEqual([0, 250.5, 900.25]);
    expect(facts).toMatchObject({ format: 'mooncake', unit: 'ms' });
  });

  it('is asked for if all requests would come within a millisecond of each other', () => {
    const seconds = rowsAt(0, 0, 1, 2, 2, 3);
    expect(problem(seconds)).toMatch(/6 requests .* within 4 ms .* milliseconds; which unit/);
    expect(read(seconds, { unit: 's' }).dues).toEqual([0, 0, 1000, 2000, 2000, 3000]);
    expect(read(seconds, { unit: 'ms' }).dues).toEqual([0, 0, 1, 2, 2, 3]);
    expect(problem(seconds, { speed: 0.001 })).toContain('which unit');
    expect(read(rowsAt(0, 0, 0)).dues).toEqual([0, 0, 0]);
  });

  it('is asked for if more than 100 requests a second would come on average', () => {
    expect(problem(rowsAt(0, 1, 3, 7, 30))).toMatch(/5 requests .* within 31 ms .* which unit/);
    expect(read(rowsAt(0, 110, 200, 510)).dues).toEqual([0, 110, 200, 510]);
    const evenly = (apart: number) => rowsAt(...Array.from({ length: 501 }, (_, i) => i * apart));
    expect(problem(evenly(10))).toContain('which unit');
    expect(read(evenly(11)).dues.at(-1)).toBe(5500);
    expect(read(rowsAt(0, 1, 3, 7, 30), { unit: 'ms' }).dues).toEqual([0, 1, 3, 7, 30]);
  });

  it.each([
    [20.4, null],
    [20.6, '21'],
    [21.4, '21'],
    [1500, '1,500'],
  ])('is asked for if requests would come more than 20 minutes apart: %f', (minutes, said) => {
    const times = [0, 1, 2].map((n) => n * Math.round(minutes * 60_000));
    if (said === null) return expect(problem(rowsAt(...times))).toContain('20 minutes apart');
    return expect(problem(rowsAt(...times))).toMatch(
      new RegExp(`3 requests would come ${said} minutes apart on average`),
    );
  });

  it('is asked for if the whole recording would last less than half a second', () => {
    expect(problem(rowsAt(0, 30, 90))).toMatch(/3 requests .* within 91 ms .* which unit/);
    expect(problem(rowsAt(0, 20, 41, 62, 80))).toContain('for example unit: s');
    expect(read(rowsAt(0, 30, 90, 5000), { until: milliseconds(91) }).dues).toEqual([0, 30, 90]);
    expect(read(rowsAt(0, 30)).dues).toEqual([0, 30]);
  });

  it('is asked for if an hour in seconds looks like seconds full of requests', () => {
    const hour = Array.from({ length: 200 }, (_, i) => i * 18);
    expect(problem(rowsAt(...hour))).toMatch(/200 requests .* within 3583 ms .* which unit/);
    expect(read(rowsAt(...hour), { unit: 's' }).facts.duration).toBe(3_582_001);
    expect(read(rowsAt(...hour.map((at) => 2 * at))).facts.unit).toBe('ms');
    expect(read(rowsAt(...hour.map((at) => at / 18)), { unit: 'ms' }).facts.unit).toBe('ms');
  });

  it('is asked for if requests would come more than 20 minutes apart', () => {
    const slow = /3 requests would come 25 minutes apart .* milliseconds; which unit .* unit: ms/;
    expect(problem(rowsAt(0, 1_500_000, 3_000_000))).toMatch(slow);
    const chats = bailian.replace('12.5', '12500').replace('118.002', '118002000');
    expect(problem(chats)).toMatch(/would come \S+ minutes apart .* seconds; which unit/);
    expect(read(rowsAt(0, 1_500_000, 3_000_000), { unit: 'us' }).dues).toEqual([0, 1500, 3000]);
  });

  it('is what the scenario says, if it says it', () => {
    expect(read(bailian, { unit: 'ms' }).dues).toEqual([0, 12.5, 118.002]);
    expect(read(burst, { unit: 'ms' }).dues).toEqual([0, 40, 113]);
  });

  it('does not change the size of blocks, which their number shows', () => {
    const row = (at: number, input: number, ids: number) =>
      JSON.stringify({
        timestamp: at,
        input_length: input,
        output_length: 1,
        hash_ids: Array.from({ length: ids }, (_, id) => id),
      });
    const blocksIn = (...rows: readonly string[]) => {
      const found = readTrace(whole, bytesOf(rows.join('\n')), newSha256);
      return found.ok && found.value.trace.blockTokens;
    };
    expect(blocksIn(row(0, 130, 3), row(100, 64, 1), row(2500, 65, 2))).toBe(64);
    expect(blocksIn(row(0, 1200, 3), row(10, 512, 1))).toBe(512);
    expect(blocksIn(row(0, 1200, 7), row(10, 512, 1))).toBe(512);
  });
});

describe('a published trace', () => {
  it('from Azure, 2023, is exact to the tick of 100 ns, across midnight', () => {
    const { dues, inputs, outputs, facts } = read(azure2023);
    expect(dues).toEqual([0, 0.0001, 1319.4101, 61_319.41]);
    expect(inputs).toEqual([374, 396, 879, 91]);
    expect(outputs).toEqual([44, 109, 55, 16]);
    expect(facts).toMatchObject({ format: 'azure', requests: 4, inputTokens: 1740 });
    expect(facts).toMatchObject({ outputTokens: 224, duration: 61_320 });
  });

  it('from Azure, 2024, has its time zone after the time', () => {
    expect(read(azure2024).dues).toEqual([0, 7.405, 9990.07]);
    const elsewhere = azure2024.replace('00:00:10+00:00', '02:00:10+02:00');
    expect(read(elsewhere).dues).toEqual([0, 7.405, 9990.07]);
  });

  it.each([
    ['quotes', (text: string) => text.replaceAll(/[^,\r\n]+/g, '"$&"')],
    ['semicolons', (text: string) => text.replaceAll(',', ';')],
    ['tabs', (text: string) => text.replaceAll(',', '\t')],
    ['other capitals', (text: string) => text.replace(/^.*/, (header) => header.toLowerCase())],
    ['a comma within quotes', (text: string) => text.replaceAll(/^(?=\w)/gm, '"GPT, 4",')],
  ])('from Azure may have %s, as a spreadsheet writes it', (_, changed) => {
    expect(read(changed(azure2023)).dues).toEqual(read(azure2023).dues);
    expect(read(changed(azure2023)).outputs).toEqual([44, 109, 55, 16]);
  });

  it('may have separators within quotes, in one part or several, and cells without any beside them', () => {
    const quoted = azure2023
      .replaceAll(/^(?=\d)/gm, '"a, 7, c",')
      .replace('TIMESTAMP', '"a note, or more",TIMESTAMP')
      .replace(',91,', ',"91",');
    expect(read(quoted).inputs).toEqual([374, 396, 879, 91]);
    expect(read(quoted).outputs).toEqual([44, 109, 55, 16]);
  });

  it('may have a quote without an end in a cell, which joins no others', () => {
    const odd = azure2023.replaceAll(/^(?=\w)/gm, '5" screen,');
    expect(read(odd).outputs).toEqual([44, 109, 55, 16]);
  });

  it('is refused at once if it is a long line of JSON', () => {
    const prompts = JSON.stringify(Array.from({ length: 50_000 }, (_, n) => ({ prompt: `p${n}` })));
    expect(problem(prompts)).toContain('t.csv:1: expected a Mooncake trace');
  });

  it('from BurstGPT is read by the names of its columns, in either release', () => {
    expect(read(burst)).toMatchObject({ dues: [0, 40_000, 113_000], inputs: [472, 1087, 417] });
    expect(read(burst2)).toMatchObject({ dues: [0, 51_500], outputs: [446, 29] });
    expect(read(burst2).facts.format).toBe('burstgpt');
  });

  it('from BurstGPT has failed requests: an empty answer becomes one token and is counted', () => {
    const { outputs, facts } = read(burst);
    expect(outputs).toEqual([18, 230, 1]);
    expect(facts.clipped).toEqual({ outside: 0, inputs: 0, outputs: 0, raised: 1 });
  });

  it('from Mooncake counts milliseconds and has the blocks of each prompt', () => {
    const { dues, inputs, blocks, facts } = read(mooncake);
    expect(dues).toEqual([0, 0, 3053]);
    expect(inputs).toEqual([1200, 600, 672]);
    expect(blocks).toEqual([[46, 47, 48], [46, 49], []]);
    expect(facts.format).toBe('mooncake');
  });

  it('is the same however its bytes are split, and is identified by their hash', () => {
    const bytes = Buffer.from(`\uFEFF${azure2023}`);
    const once = read('', {}, [bytes]);
    expect(once.facts.sha256).toMatch(/^[0-9a-f]{64}$/);
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length)), (cuts) => {
        const at = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
        const parts = at.slice(1).map((end, i) => bytes.subarray(at[i], end));
        expect(read('', {}, parts)).toEqual(once);
      }),
      { numRuns: 50 },
    );
  });
});

describe('due instants', () => {
  it('are exact for any ticks and speed', () => {
    const ticks = fc.array(fc.bigInt({ min: 0n, max: 80_000_000_000_000n }), { minLength: 1 });
    const speeds = fc.constantFrom(1, 2, 10, 0.5, 3);
    fc.assert(
      fc.property(ticks, speeds, (some, speed) => {
        const sorted = [0n, ...some].toSorted((a, b) => Number(a - b));
        const lines = sorted.map((tick) => {
          const fraction = String(tick % 10_000_000n).padStart(7, '0');
          return `${1_000_000n + tick / 10_000_000n}.${fraction},5,5`;
        });
        const { dues } = read(['Timestamp,Request tokens,Response tokens', ...lines].join('\n'), {
          speed,
        });
        expect(dues).toEqual(sorted.map((tick) => Number(tick) / (10_000 * speed)));
      }),
      { numRuns: 100 },
    );
  });

  it('are in order even if the file’s lines are not', () => {
    const shuffled = `Timestamp,Request tokens,Response tokens\n1,1,1\n9,9,1\n4,4,1\n9,8,1\n`;
    expect(read(shuffled)).toMatchObject({ dues: [0, 3000, 8000, 8000], inputs: [1, 4, 9, 8] });
  });
});

describe('a cut', () => {
  it('contains the requests between its ends, counted from the first request, at its speed', () => {
    const cut = { from: milliseconds(40_000), until: milliseconds(113_000), speed: 4 };
    const { dues, inputs, facts } = read(`${burst}119,GPT-4,5,5,10,API log\n`, cut);
    expect(dues).toEqual([0]);
    expect(inputs).toEqual([1087]);
    expect(facts.clipped.outside).toBe(3);
    const longer = read(burst, { from: milliseconds(30_000), speed: 4 });
    expect(longer.dues).toEqual([2500, 20_750]);
    expect(longer.facts.duration).toBe(20_751);
  });

  it('clips long prompts and answers, and counts them', () => {
    const { inputs, outputs, facts } = read(azure2023, {
      maxInputTokens: 380,
      maxOutputTokens: 50,
    });
    expect(inputs).toEqual([374, 380, 380, 91]);
    expect(outputs).toEqual([44, 50, 50, 16]);
    expect(facts.clipped).toEqual({ outside: 0, inputs: 2, outputs: 2, raised: 0 });
  });

  it('without any request is an error', () => {
    expect(problem(burst, { from: milliseconds(9e9) })).toMatch(/^t\.csv: none of its 3 requests/);
  });
});

describe('the busiest minute', () => {
  it('is the maximum over minutes that begin at any arrival', () => {
    const row = fc.record({ second: fc.nat(400), input: fc.nat(50), output: fc.nat(50) });
    fc.assert(
      fc.property(fc.array(row, { minLength: 1 }), (rows) => {
        const sorted = rows.toSorted((a, b) => a.second - b.second);
        const lines = sorted.map(({ second, input, output }) => `${second},${input},${output}`);
        const { facts, dues, inputs, outputs } = read(
          ['Timestamp,Request tokens,Response tokens', ...lines].join('\n'),
        );
        const minutes = dues.map((begin) => {
          const held = [...dues.keys()].filter((i) => dues[i]! >= begin && dues[i]! < begin + 6e4);
          const tokens = held.reduce((sum, i) => sum + inputs[i]! + outputs[i]!, 0);
          return { requests: held.length, tokens };
        });
        expect(facts.busiestMinute).toEqual({
          requests: Math.max(...minutes.map(({ requests }) => requests)),
          tokens: Math.max(...minutes.map(({ tokens }) => tokens)),
        });
      }),
      { numRuns: 60 },
    );
  });
});

it.each(['utf16le', 'ucs2'] as const)('a trace in UTF-16 is refused by its encoding', (name) => {
  for (const mark of ['\uFEFF', '']) {
    const bytes = Buffer.from(mark + azure2023, name);
    for (const some of [bytes, Buffer.from(bytes).swap16()]) {
      const found = readTrace(whole, [some], newSha256);
      expect(found.ok ? '' : found.problem).toBe(
        't.csv: it is encoded in UTF-16: save it as UTF-8',
      );
    }
  }
});

describe('a file that cannot be replayed', () => {
  it.each([
    ['is empty', '', /^t\.csv:1: expected a Mooncake trace .*; the file is empty$/],
    ['has no known format', 'time,tokens\n1,2\n', /^t\.csv:1: expected a Mooncake trace/],
    ['has a wrong time', azure2023.replace('00:00:00.', '25:00:00.'), /^t\.csv:4: .*"TIMESTAMP"/],
    ['has no whole tokens', burst.replace('230', '2.5'), /^t\.csv:3: .*as "Response tokens"/],
    ['lacks a cell', burst.replace(',1087,230,1317,Conversation log', ''), /^t\.csv:3: .*"Request/],
    ['is cut off', mooncake.slice(0, 120), /^t\.csv:2: expected a JSON object/],
    ['has bad blocks', mooncake.replace('[46, 49]', '["a"]'), /^t\.csv:2: .*"hash_ids"/],
    ['has negative blocks', mooncake.replace('[46, 49]', '[46, -1]'), /^t\.csv:2: .*"hash_ids"/],
    ['has parts of blocks', mooncake.replace('[46, 49]', '[46, 1.5]'), /^t\.csv:2: .*"hash_ids"/],
    [
      'has no list of blocks',
      mooncake.replace('[46, 49]', '46'),
      /^t\.csv:2: expected a list of whole numbers as "hash_ids"/,
    ],
    ['has negative tokens', mooncake.replace(': 600,', ': -600,'), /^t\.csv:2: .*"input_length"/],
    ['has parts of tokens', mooncake.replace(': 26,', ': 2.6,'), /^t\.csv:2: .*"output_length"/],
    [
      'goes back before its start',
      `${burst}4,ChatGPT,1,1,2,API log`,
      /^t\.csv:5: .*sort the trace/,
    ],
  ])('because it %s is reported with its line', (_, text, words) => {
    expect(problem(text)).toMatch(words);
  });
});

it.each([
  ['without a line', ''],
  ['whose line has no end after a good beginning', `${azure2023}\r\n2023-11-17 00:02:00,1,`],
])('an endless file %s is a problem, after some megabytes', (_, beginning) => {
  let megabytes = 0;
  function* endless(): Generator<Uint8Array, void> {
    yield Buffer.from(beginning);
    for (const part = Buffer.alloc(1024 ** 2); ; megabytes += 1) yield part;
  }
  const found = readTrace(whole, endless(), newSha256);
  expect(found.ok ? '' : found.problem).toMatch(/^t.csv: .* 4 MiB without the end of a line$/);
  expect(megabytes).toBeLessThan(10);
});
