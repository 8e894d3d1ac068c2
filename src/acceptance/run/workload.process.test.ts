import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { weir } from '../harness/weir-command.fixture.ts';
import { tempFile, cleanUpAfterEach } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

const lineSchema = z.object({
  index: z.int(),
  due: z.number(),
  outcome: z.object({
    kind: z.literal('completed'),
    answer: z.object({ tokens: z.object({ input: z.int(), output: z.int() }) }),
  }),
});

/** Runs a scenario with a file in its folder; the tokens of each request as the gateway counted them, by index. */
const runWith = async (scenario: string, name: string, text: string) => {
  const path = await tempFile('s.yaml', scenario);
  const folder = dirname(path);
  await writeFile(join(folder, name), text);
  const observations = join(folder, 'observations.jsonl');
  const words = ['run', path, '--out', join(folder, 'out'), '--observations', observations];
  const { stderr } = await weir(words);
  const lines = (await readFile(observations, 'utf8')).trim().split('\n').slice(1);
  const requests = lines
    .map((line) => lineSchema.parse(JSON.parse(line)))
    .toSorted((a, b) => a.index - b.index)
    .map(({ index, due, outcome }) => ({ index, due, ...outcome.answer.tokens }));
  const files = await Promise.all(
    ['result.json', 'report.html'].map((file) => readFile(join(folder, 'out', file), 'utf8')),
  );
  return { stderr, requests, written: [...files, lines.join('\n')].join('\n') };
};

const quick = 'mock: { ttft: 5ms, gap: 1ms }';

const azure = `TIMESTAMP,ContextTokens,GeneratedTokens
2023-11-16 18:15:46.6805900,374,44
2023-11-16 18:15:48.2951690,396,109
2023-11-16 18:15:48.2951691,2879,5
`;
const burst = `Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type
5,ChatGPT,472,18,490,Conversation log
6.5,GPT-4,417,0,417,API log
`;
const mooncake = `{"timestamp": 0, "input_length": 1200, "output_length": 12, "hash_ids": [0, 1, 2]}
{"timestamp": 300, "input_length": 600, "output_length": 7, "hash_ids": [0, 3]}
`;

describe('a trace that weir run replays', () => {
  it.each([
    [
      'azure.csv',
      azure,
      [
        { due: 0, input: 374, output: 44 },
        { due: 161.457_9, input: 396, output: 109 },
        { due: 161.457_91, input: 2879, output: 5 },
      ],
    ],
    [
      'burst.csv',
      burst,
      [
        { due: 0, input: 472, output: 18 },
        { due: 150, input: 417, output: 1 },
      ],
    ],
    [
      'moon.jsonl',
      mooncake,
      [
        { due: 0, input: 1200, output: 12 },
        { due: 30, input: 600, output: 7 },
      ],
    ],
  ])(
    'sends the requests of %s at their times, and first reports what it needs',
    async (...given) => {
      const [file, text, expected] = given;
      const scenario = `traffic: [{ kind: chat, model: weir/small }]
load: { kind: trace, file: ${file}, speed: 10 }
${quick}
`;
      const { requests, stderr } = await runWith(scenario, file, text);
      expect(requests.map(({ due, input, output }) => ({ due, input, output }))).toEqual(expected);
      expect(stderr).toMatch(
        /it needs [\d,]+ requests, [\d,]+ input and [\d,]+ output tokens in all, within less than a minute/,
      );
      expect(stderr.indexOf('it needs')).toBeLessThan(stderr.indexOf('Ctrl-C'));
    },
  );

  it('is described by validate, and refused with its line if it is invalid', async () => {
    const path = await tempFile(
      's.yaml',
      'traffic: [{ kind: chat, model: m }]\nload: { kind: trace, file: t.csv }\n',
    );
    const trace = join(dirname(path), 't.csv');
    await writeFile(trace, burst);
    const { code, stdout } = await weir(['validate', path]);
    expect(code).toBe(0);
    expect(stdout).toContain('the burstgpt trace t.csv: 2 requests in 1.5 s');
    await writeFile(trace, burst.replace('6.5', 'soon'));
    const refused = await weir(['validate', path]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('s.yaml:2:28: t.csv:3: expected a "Timestamp"');
  });
});

describe('prompts that weir run generates or reads', () => {
  const load = 'load: { kind: iterations, users: 4, iterations: 12 }';

  it('have exactly the tokens that the scenario asks for, as the gateway counts them', async () => {
    const prompt = '{ tokens: 777, prefix: { tokens: 300, pool: 2 } }';
    const scenario = `traffic: [{ kind: chat, model: weir/small, prompt: ${prompt}, maxTokens: 3 }]
${load}
${quick}
`;
    const { requests } = await runWith(scenario, 'unused', '');
    expect(requests.map(({ input, output }) => [input, output])).toEqual(
      Array.from({ length: 12 }, () => [777, 3]),
    );
  });

  it('are compared with the tokens that the server counts, with a calibration that corrects them', async () => {
    const prompt = '{ tokens: 100, calibration: 2 }';
    const scenario = `traffic: [{ kind: chat, model: weir/small, prompt: ${prompt}, maxTokens: 3 }]
${load}
${quick}
`;
    const { requests, written } = await runWith(scenario, 'unused', '');
    expect(new Set(requests.map(({ input }) => input))).toEqual(new Set([50]));
    expect(written).toContain(
      'weir/small: requested 100 input tokens, the server counted 50.0 (−50.0 %;',
    );
    expect(written).toContain('calibration: 1</code>');
  });

  it('continue each user’s conversation turn by turn, with think time', async () => {
    const prompt = '{ tokens: 50, turns: { count: 3, answer: 100 } }';
    const scenario = `traffic: [{ kind: chat, model: weir/small, prompt: ${prompt}, maxTokens: 2 }]
load: { kind: closed, users: 2, thinkTime: 10ms, duration: 400ms }
${quick}
`;
    const { requests } = await runWith(scenario, 'unused', '');
    expect(requests.length).toBeGreaterThan(7);
    for (const { index, input } of requests) {
      expect(input).toBe([50, 200, 350][Math.floor(index / 2) % 3]);
    }
  });

  it('come from a file, and no report holds them', async () => {
    const lines = [
      { prompt: 'secretword alpha beta', max_tokens: 2 },
      { messages: [{ role: 'user', content: 'secretword gamma' }], max_tokens: 4 },
    ];
    const text = lines.map((line) => JSON.stringify(line)).join('\n');
    const scenario = `traffic: [{ kind: chat, model: weir/small, prompt: { file: p.jsonl } }]
${load}
${quick}
`;
    const { requests, written } = await runWith(scenario, 'p.jsonl', text);
    const kinds = new Set(requests.map(({ input, output }) => `${input} ${output}`));
    expect([...kinds].toSorted()).toEqual(['2 4', '3 2']);
    expect(written).not.toContain('secretword');
    expect(written).toContain('one of 2 prompts from p.jsonl');
  });
});
