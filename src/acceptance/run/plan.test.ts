// @gate 1 s
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { weir } from '../harness/weir-command.fixture.ts';
import { tempFile, tempFolder, cleanUpAfterEach } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

describe('weir plan', () => {
  it('says which limit binds, how many keys are enough, and which objectives get enough samples', async () => {
    const path = await tempFile(
      's.yaml',
      `traffic: [{ kind: chat-stream, model: m, prompt: { tokens: 40000 }, maxTokens: 2000 }]
keys: [{ name: blue, key: '\${env:B}', weight: 5 }, { name: green, key: '\${env:G}' }]
load: { kind: constant, rate: 1/s, duration: 100s }
objectives: [ttft.p50 < 1s, ttft.p95 < 1s, 'gap.p99{key=green} < 1s', failed <= 0]
budget: { requests: 99, cost: 1 }
`,
    );
    const { code, stdout } = await weir(['plan', path]);
    expect(code).toBe(0);
    for (const line of [
      'a key is allowed 60 requests and 2,000,000',
      'The limit of tokens is reached first: it needs 2 keys, and the plan has 2.',
      'expect 429s with the key blue.',
      '✓ ttft.p50 < 1s: needs 20 samples, can have 100',
      '✗ ttft.p95 < 1s: needs 200 samples, can have 100',
      '✓ gap.p99{key=green} < 1s: needs 1,000 samples, can have',
      '✓ failed <= 0: needs no samples',
      '✗ requests: allowed 99, needed 100 requests',
      '✗ cost: allowed 1.000000, needed unknown',
    ]) {
      expect(stdout.replaceAll(/\s+/g, ' ')).toContain(line);
    }
  });

  it('says of a key without limits, beside one that has some, that it has no limit', async () => {
    const path = await tempFile(
      's.yaml',
      `traffic: [{ kind: models }]
keys: [{ name: blue, key: '\${env:B}' }, { name: green, key: '\${env:G}', limits: none }]
load: { kind: constant, rate: 1/s, duration: 10s }
`,
    );
    const { stdout } = await weir(['plan', path]);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      'blue 60 requests and 2,000,000 tokens, green no limit.',
    );
  });
});

const capped = `
traffic: [{ kind: chat, model: weir/small, prompt: { tokens: 100 }, maxTokens: 20 }]
prices: { weir/small: { input: 1, output: 2 } }
load: { kind: constant, rate: 40/s, duration: 2s }
mock: { ttft: 5ms, gap: 1ms, limits: { requestsPerMinute: none } }
`;

describe('weir run', () => {
  it('refuses a plan that may exceed its budget, and sends nothing', async () => {
    const path = await tempFile('s.yaml', capped);
    const out = join(await tempFolder(), 'out');
    const refused = async (budget: string): Promise<string> => {
      const words = ['run', path, '--out', out, '--set', `budget=${budget}`];
      const { code, stderr } = await weir(words);
      expect(code).toBe(2);
      return stderr;
    };
    expect(await refused('{requests: 79}')).toContain('the plan needs 80 requests');
    expect(await refused('{cost: 0.011199}')).toContain('the plan needs at most 0.011200');
  });

  it('refuses a plan that its pace cannot send in time', async () => {
    const path = await tempFile('s.yaml', `${capped}pace: { requests: 60/min }\n`);
    const { code, stderr } = await weir(['run', path, '--out', await tempFolder()]);
    expect(code).toBe(2);
    expect(stderr).toContain('pace allows 60 requests before the run ends');
  });
});

describe('weir plan --slices', () => {
  const users = `
name: many
traffic: [{ kind: chat-stream, model: weir/small, maxTokens: 200 }]
load: { kind: closed, users: 3000, duration: 1m }
limits: none
`;
  const error = { n: 9, p50: 0.1, p99: 0.2, max: 0.3 };
  const calibration = {
    format: 'calibration/1',
    weir: '0.1.0',
    calibratedAt: '2026-11-25T12:00:00.000Z',
    machine: { node: 'v24.0.0', platform: 'linux', cpu: 'x', cores: 2 },
    cells: [
      {
        streams: 1000,
        tokensPerSecond: 50,
        transport: 'socket',
        workers: 1,
        answers: 9,
        trust: 'valid',
        complaints: [],
        errors: { ttft: error, gap: error, endToEnd: error },
      },
    ],
  };

  it('says what each of the slices needs that this machine’s calibration asks for', async () => {
    const folder = await tempFolder();
    const path = await tempFile('s.yaml', users);
    const environment = { WEIR_HISTORY: join(folder, 'history.jsonl') };
    const words = ['plan', path, '--slices', 'auto', '--answer-time', '20s'];
    const before = await weir(words, environment);
    expect(before).toMatchObject({ code: 2, stderr: expect.stringContaining('weir calibrate') });
    await writeFile(join(folder, 'calibration.json'), JSON.stringify(calibration));
    const { stdout, stderr } = await weir([...words, '--json'], environment);
    expect(stderr).toBe('');
    // 3000 users, 150 requests a second of 200 chunks and the cost of ten.
    const { slices } = JSON.parse(stdout) as { readonly slices: unknown };
    expect(slices).toMatchObject({
      slices: 3,
      streams: 1000,
      sockets: 1000,
      chunksPerSecond: 10_500,
    });
    const given = await weir(['plan', path, '--slices', '6', '--answer-time', '20s']);
    expect(given.stdout.replaceAll(/\s+/g, ' ')).toContain(
      '6 slices, each at its peak with about 500 requests in flight',
    );
  });
});

it('weir validate says that a run ends before it looks whether its objectives are sure', async () => {
  const validate = async (atMost: string): Promise<string> => {
    const path = await tempFile(
      's.yaml',
      `target: mock
traffic: [{ kind: chat, model: weir/small, prompt: x }]
objectives: [errorRate < 5%]
load: { kind: constant, rate: 5/s, duration: 1s }
until: decided
atMost: ${atMost}
`,
    );
    return (await weir(['validate', path])).stdout;
  };
  expect(await validate('12s')).toMatch(/is valid: plan.*\n.*The run cannot end early/s);
  expect(await validate('1h')).not.toContain('cannot end early');
});
