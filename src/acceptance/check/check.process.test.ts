import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { testKey } from '../../mock/settings/settings.ts';
import { type CheckReport, checkReportSchema } from '../../verbs/check/model/check-report.ts';
import { countersOf, openMock } from '../harness/open-mock.fixture.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import { cleanUpAfterEach, tempFile, tempFolder } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

const reportIn = async (folder: string): Promise<CheckReport> =>
  checkReportSchema.parse(JSON.parse(await readFile(join(folder, 'check.json'), 'utf8')));

it('weir check finds nothing wrong with the reference gateway, in under a minute', async () => {
  const out = await tempFolder();
  const { code, stdout, stderr } = await weir(['check', '--target', 'mock', '--yes', '--out', out]);
  expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/^✓ The interface is kept: \d+ as specified/);
  expect(stdout.split('\n').length).toBeLessThan(10);
  expect(code).toBe(0);
  const report = await reportIn(out);
  const findings = report.rows.filter(
    ({ outcome }) => !['pass', 'open', 'unchecked'].includes(outcome),
  );
  expect(findings).toEqual([]);
  const unchecked = report.rows.filter(({ outcome }) => outcome === 'unchecked');
  expect(unchecked.map(({ id }) => id)).toEqual(['error-body.429', 'error-body.402']);
  expect(report.took).toBeLessThan(60_000);
  expect(report.spent).toMatchObject({ waits: 0 });
  // What was spent is no more than was said before.
  const [, most = ''] = /Budget: (\d+) requests, .* at most ([\d,]+) tokens/.exec(stderr) ?? [];
  expect(report.spent.requests).toBeLessThanOrEqual(Number(most));
  // An independent reader takes the file by the published schema.
  const schema: unknown = JSON.parse(await readFile('reports/check.schema.json', 'utf8'));
  const isValid = new Ajv2020({ strict: false }).compile(schema as object);
  expect([
    isValid(JSON.parse(await readFile(join(out, 'check.json'), 'utf8'))),
    isValid.errors,
  ]).toEqual([true, null]);
  expect(isValid({ ...report, rows: [{ ...report.rows[0], outcome: 'fine' }] })).toBe(false);
});

it('the budget is printed first, and nothing but the model list is requested without a consent', async () => {
  const mock = await openMock({});
  const { code, stderr } = await weir(['check', '--target', mock.url], {
    WEIR_API_KEY: testKey(0),
  });
  expect(code).toBe(2);
  expect(stderr).toMatch(
    /Budget: 67 requests, .* tokens of chats.* characters of speech; .* s of audio; .* add --yes/s,
  );
  // The first look at the target, and the list that names the models.
  expect(await countersOf(mock)).toMatchObject({
    received: 1,
    'admitted.models': 1,
    preflights: 1,
  });
});

it('--model, --voice and the models for audio name what the list does not show', async () => {
  const mock = await openMock({ models: ['a/one', 'a/two'] });
  const out = await tempFolder();
  const names = [
    '--model',
    'a/two',
    '--voice',
    'Nobody.wav',
    '--only',
    'models,chat-answers,speech',
  ];
  const { code } = await weir(['check', '--target', mock.url, '--yes', '--out', out, ...names], {
    WEIR_API_KEY: testKey(0),
  });
  expect(code).toBe(10);
  const { models, rows } = await reportIn(out);
  expect(models).toMatchObject({ chat: 'a/two', voice: 'Nobody.wav' });
  const outcomes = new Map(rows.map(({ id, outcome }) => [id, outcome]));
  expect([
    outcomes.get('chat'),
    outcomes.get('chat.model-used'),
    outcomes.get('speech-wav'),
  ]).toEqual(['pass', 'pass', 'violation']);
  expect(new Set(rows.map(({ topic }) => topic))).toEqual(
    new Set(['models', 'chat-answers', 'speech']),
  );
});

it('known deviations fail only with --strict, and a profile hides nothing else', async () => {
  const headers = '--set=mock.limits.profile=litellm';
  const check = ['check', '--target', 'mock', '--yes', '--only', 'limits,streams', headers];
  const broken = '--set=mock.faults=[{"fault":"no-done","routes":["chat"],"every":1}]';
  const codeOf = async (...words: readonly string[]): Promise<number | null> =>
    (await weir([...check, '--out', await tempFolder(), ...words])).code;
  expect(await codeOf()).toBe(0);
  expect(await codeOf('--strict')).toBe(10);
  expect(await codeOf('--strict', '--profile', 'litellm')).toBe(0);
  expect(await codeOf('--profile', 'litellm', broken)).toBe(10);
});

it('weir compare says what changed between two checks', async () => {
  const [before, after, out] = [await tempFolder(), await tempFolder(), await tempFolder()];
  const check = ['check', '--target', 'mock', '--yes', '--only', 'models,streams'];
  const headers = '--set=mock.faults=[{"fault":"no-done","routes":["chat"],"every":1}]';
  await weir([...check, '--out', before]);
  expect((await weir([...check, headers, '--out', after])).code).toBe(10);
  const worse = await weir(['compare', before, after, '--out', out]);
  expect(worse.stdout).toContain('REGRESSION: 1 worse');
  expect(worse.stdout).toContain('stream.done');
  expect(worse.code).toBe(11);
  const better = await weir(['compare', after, before, '--out', out]);
  expect(better.stdout).toContain('1 better');
  expect(better.code).toBe(0);
  const mixed = await weir(['compare', before, 'reports/sample', '--out', out]);
  expect(mixed.stderr).toContain('checks are compared in pairs');
  expect(mixed.code).toBe(2);
});

it('--no-cost sends nothing that is paid for, and --only and --skip choose checks', async () => {
  const out = await tempFolder();
  const words = [
    'check',
    '--target',
    'mock',
    '--yes',
    '--out',
    out,
    '--no-cost',
    '--skip',
    'speech',
  ];
  const { code } = await weir(words);
  expect(code).toBe(0);
  const report = await reportIn(out);
  expect(report.spent).toMatchObject({ outputTokens: 0, characters: 0, audioSeconds: 0 });
  expect(report.rows.some(({ topic }) => topic === 'speech')).toBe(false);
  expect(report.rows.some(({ id }) => id === 'temperature-above')).toBe(true);
});

it('finish reasons that fail answers in the scenario fail checks, too, but not the length that the suite sets', async () => {
  const text = `traffic: [{ kind: chat, model: weir/small, prompt: Say yes. }]
load: { kind: constant, rate: 1/s, duration: 1s }
fails: [finish: stop, finish: length]
`;
  const path = await tempFile('fails.yaml', text);
  const out = await tempFolder();
  const { code } = await weir([
    'check',
    path,
    '--target',
    'mock',
    '--out',
    out,
    '--only',
    'chat,minimal',
  ]);
  expect(code).toBe(10);
  const found = (await reportIn(out)).rows.filter(({ outcome }) => outcome === 'violation');
  expect(found).toMatchObject([
    { id: 'minimal', observed: 'status 200 with the finish reason "stop"' },
  ]);
});

it('the reference gateway, which costs nothing, is checked without a consent', async () => {
  const out = await tempFolder();
  const words = ['check', '--target', 'mock', '--only', 'models', '--out', out];
  expect((await weir(words)).code).toBe(0);
});

it('a missing key and a profile that does not exist end with exit 2', async () => {
  const keyless = await weir(['check', '--target', 'http://127.0.0.1:9/v1']);
  expect(keyless).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/WEIR_API_KEY is not set; .* another variable \(--key NAME\)/),
  });
  const unknown = await weir(['check', '--target', 'mock', '--profile', 'vlm']);
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean') });
});

it('an address without its version, and a key that is not known, end with advice', async () => {
  const mock = await openMock({});
  const check = ['check', '--yes', '--target'];
  const key = { WEIR_API_KEY: testKey(0) };
  const bare = await weir([...check, mock.url.replace(/\/v1$/, '')], key);
  expect(bare).toMatchObject({ code: 2, stderr: expect.stringContaining(`write ${mock.url}.`) });
  const wrong = await weir([...check, mock.url], { WEIR_API_KEY: 'sk-nobody' });
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('check the key') });
});
