// @long 30 s
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import {
  type RecoveryReport,
  recoveryReportSchema,
} from '../../verbs/recovery/model/recovery-report.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import { cleanUpAfterEach, tempFile, tempFolder } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();
vi.setConfig({ testTimeout: 240_000 });

const scenario = (target: string, changes: object = {}): string =>
  JSON.stringify({
    target,
    keys: '${env:KEY}',
    traffic: [{ kind: 'chat', model: 'weir/small', prompt: 'hi', maxTokens: 4 }],
    load: { kind: 'constant', rate: '20/s', duration: '10s' },
    retry: { attempts: 3, base: '100ms' },
    limits: 'none',
    mock: {
      latency: 'small',
      limits: { requestsPerMinute: 60, window: '2s', tokensPerMinute: 'none' },
    },
    ...changes,
  });

const keys = { KEY: 'key' };
const short = ['--yes', '--base', '10s', '--overload', '2s', '--watch', '6s', '--pause', '1s'];

it('runs each policy, and writes a page and data that agree', async () => {
  const out = join(await tempFolder(), 'out');
  const file = await tempFile('recovery.json', scenario('mock'));
  const words = ['recovery', file, ...short, '--policies', 'none,backoff', '--out', out];
  const { code, stdout } = await weir(words, keys);
  const report = JSON.parse(await readFile(join(out, 'recovery.json'), 'utf8')) as RecoveryReport;
  expect(recoveryReportSchema.parse(report)).toEqual(report);
  // A busy machine makes the load invalid.
  expect([0, 10, 12, 13]).toContain(code);
  expect(report.policies.map(({ policy }) => policy)).toEqual(['none', 'backoff']);
  const [none, backoff] = report.policies;
  expect(none!.base.due + none!.overload.due + none!.watched.due).toBe(200 + 120 + 120);
  expect(none!.overload.attempts).toBe(1);
  expect(none!.overload.failed).toBeGreaterThan(20);
  expect(backoff!.overload.attempts).toBeGreaterThan(1.2);
  // The limiter names waits, and these clients ignore them.
  expect(backoff!.named).toBe(0);
  const page = await readFile(join(out, 'recovery.html'), 'utf8');
  expect(page).toContain('Does it come back?');
  expect(stdout).toContain('With no retries: ');
  expect(await readFile(join(out, 'run', 'result.json'), 'utf8')).toContain('"ignoresWaits":true');
});

it('reports what it knows when its budget is spent', async () => {
  const out = join(await tempFolder(), 'out');
  const file = await tempFile('recovery.json', scenario('mock'));
  // 440 requests are planned, and the refused ones are sent again.
  const words = ['recovery', file, ...short, '--policies', 'backoff', '--requests', '450'];
  const { code } = await weir([...words, '--out', out], keys);
  const report = JSON.parse(await readFile(join(out, 'recovery.json'), 'utf8')) as RecoveryReport;
  expect(code).toBe(3);
  expect(report.spent.requests).toBeLessThanOrEqual(450);
  expect(report.partial).toContain('budget.requests');
  expect(report.policies[0]).toMatchObject({ state: 'unknown', reason: 'partial' });
});

it.each([
  [['--times', '1'], '--times: expected a number above 1, at most 1000; got 1'],
  [['--policies', 'none,none'], '--policies: expected some of none, retry-after and backoff'],
  [['--policies', 'never'], 'got never'],
  [['--base', '5s'], '--base: expected a length of time'],
  [['--requests', '10'], 'requests, and at most 10 are allowed: raise --requests'],
  [
    ['--set', 'load={kind: closed, users: 3, duration: 10s}'],
    'load: weir recovery expects a scenario with one load',
  ],
  [
    ['--set', 'pace={}', '--set', 'limits={requestsPerMinute: 60000}'],
    'pace: requests that wait for a pace make no overload',
  ],
  [
    ['--set', 'warmUp=auto', '--set', 'load.duration=60s'],
    'warmUp: auto: weir recovery compares with all of the time before',
  ],
])('refuses %j before it sends anything', async (words, message) => {
  const file = await tempFile('refused.json', scenario('http://127.0.0.1:9/v1'));
  const { code, stderr } = await weir(['recovery', file, '--yes', ...words], keys);
  expect(stderr).toContain(message);
  expect(code).toBe(2);
});

it('asks before it sends anything to an address', async () => {
  const file = await tempFile('asked.json', scenario('http://127.0.0.1:9/v1'));
  const { code, stderr } = await weir(['recovery', file], keys);
  expect(stderr).toContain('Budget: at most');
  expect(stderr).toContain('this budget needs a confirmation');
  expect(code).toBe(2);
});
