import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { judgeTrust } from '../../judge/trust/judge-trust.ts';
import type { Result } from '../../model/result/result.ts';
import { sumOutcomes } from '../../model/measures/outcome-counts.ts';
import { refusals } from '../capacity/shedding-server.fixture.ts';
import { exitOf, readObservations, resultIn, skipIfInvalid } from '../harness/run-files.fixture.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import {
  startWeir,
  tempFile,
  tempFolder,
  cleanUpAfterEach,
} from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

const scenario = (duration: string, mock = ''): string => `
name: flat out
traffic:
  - { kind: chat, model: weir/small, weight: 3, maxTokens: 5 }
  - { kind: models, weight: 1 }
load: { kind: saturate, connections: 20, duration: ${duration} }
objectives: ["errorRate < 50%"]
mock:
  ttft: 0ms
  gap: 0ms
  limits: { requestsPerMinute: none, tokensPerMinute: none }
  ${mock}
`;

const dueIn = ({ timeline }: Result): number => timeline.reduce((sum, { due }) => sum + due, 0);

it('a saturating load counts what the gateway counts, and writes every report', async (context) => {
  const out = await tempFolder();
  const observations = join(out, 'seen.jsonl');
  const { code, stdout, stderr } = await weir([
    'run',
    await tempFile('s.yaml', scenario('2s')),
    '--out',
    out,
    '--observations',
    observations,
  ]);
  const result = await resultIn(out);
  const { completed, ...others } = sumOutcomes(result.groups);
  expect(Object.entries(others).filter(([, count]) => count > 0)).toEqual([]);
  expect(completed).toBeGreaterThan(200);
  expect(result.gatewayCounters).toMatchObject({ completed, limited: 0 });
  expect(dueIn(result)).toBe(completed);
  expect(result.groups.map(({ labels }) => labels.traffic).toSorted()).toEqual(['chat', 'models']);
  expect(result.notes.join(' ')).toContain(
    'autocannon sent the next request on each of 20 connections as soon as the last was answered',
  );
  expect((await readFile(observations, 'utf8')).trim().split('\n')).toHaveLength(completed + 1);
  expect(stdout).toContain('20 connections flat out for 2 s');
  expect(code, stderr).toBe(exitOf(result, 0));
  expect(await readFile(join(out, 'report.html'), 'utf8')).toContain('HTTP/1.1 by autocannon');
  skipIfInvalid(context, result);
  // The client is busy by design: that alone does not make the run invalid.
  const loop = judgeTrust(result).evidence.find(({ signal }) => signal === 'event loop');
  expect(loop).toMatchObject({ level: 'valid' });
});

it('Ctrl-C leaves a report of the requests until then', async () => {
  const out = await tempFolder();
  const path = await tempFile('s.yaml', scenario('60s'));
  const { child, ended, waitForOutput } = startWeir(['run', path, '--out', out]);
  await waitForOutput('Ctrl-C ends it early');
  child.kill('SIGINT');
  expect((await ended).code).toBe(130);
  const result = await resultIn(out);
  expect(result.partial).toContain('SIGINT');
  expect(result.scheduled).toBeLessThan(60_000);
  const { completed, broken } = sumOutcomes(result.groups);
  expect(result.gatewayCounters).toMatchObject({ completed });
  expect(broken).toBe(0);
  expect((await readdir(out)).toSorted()).toEqual(['report.html', 'result.json']);
});

it('a saturating load counts errors of every kind, and exits with 10 for a broken objective', async (context) => {
  const out = await tempFolder();
  const faults = `faults:
    - { fault: status-503, routes: [chat], probability: 0.4 }
    - { fault: reset-before-head, routes: [chat], probability: 0.3 }
    - { fault: fin-mid-body, routes: [chat], probability: 0.2 }
    - { fault: html-200, routes: [models], probability: 0.5 }`;
  const { code } = await weir([
    'run',
    await tempFile('s.yaml', scenario('3s', faults)),
    '--out',
    out,
  ]);
  const result = await resultIn(out);
  const { refused, broken, malformed, completed } = sumOutcomes(result.groups);
  const faulted = (...names: readonly string[]): number =>
    names.reduce((sum, name) => sum + (result.gatewayCounters?.[`faulted.${name}`] ?? 0), 0);
  expect(refused).toBe(faulted('status-503'));
  expect(malformed).toBe(faulted('html-200'));
  expect(broken).toBe(faulted('reset-before-head', 'fin-mid-body'));
  expect(Math.min(refused, broken, malformed, completed)).toBeGreaterThan(5);
  expect(dueIn(result)).toBe(refused + broken + malformed + completed);
  const [verdict] = result.verdicts ?? [];
  expect(verdict?.text).toBe('errorRate < 50%');
  const isInvalid = exitOf(result, 10) === 12;
  expect([code, verdict?.ruling]).toEqual(isInvalid ? [12, 'inconclusive'] : [10, 'fail']);
  skipIfInvalid(context, result);
});

it('a saturating load in which nothing succeeds exits with 15', async () => {
  const out = await tempFolder();
  const faults = 'faults: [{ fault: reset-before-head, probability: 1 }]';
  const { code } = await weir([
    'run',
    await tempFile('s.yaml', scenario('3s', faults)),
    '--out',
    out,
  ]);
  expect(code).toBe(exitOf(await resultIn(out), 15));
  const { completed, broken } = sumOutcomes((await resultIn(out)).groups);
  expect(completed).toBe(0);
  expect(broken).toBeGreaterThan(20);
});

it.each([
  [['--capture', 'all'], /--capture reads Weir’s own transports/],
  [['--slice', '0/2', '--run-id', 'r'], /"saturate" has no shares/],
  [['--workers', '2'], /"workers" cannot be combined with a load of the kind "saturate"/],
  [['--set', 'traffic.0.kind=chat-stream'], /"saturate" sends chat and models only/],
])('a saturating load refuses %j before the load', async (words, sentence) => {
  const out = join(await tempFolder(), 'out');
  const path = await tempFile('s.yaml', scenario('60s'));
  const { code, stderr } = await weir(['run', path, '--out', out, ...words]);
  expect(stderr).toMatch(sentence);
  expect(code).toBe(2);
  await expect(readdir(out)).rejects.toThrow('ENOENT');
});

/** Faults of answers that are not streamed. The rest of an answer that is too long affects the next request, too. */
const faults = [
  'status-500',
  'html-502',
  'json-error-200',
  'reset-before-head',
  'fin-before-head',
  'no-answer',
  'dribble',
  'reset-mid-body',
  'fin-mid-body',
  'stall-mid-body',
  'wrong-content-type',
  'length-too-long',
  'gzip-body',
] as const;

/** At its own pace, a dribbled head is complete after about 300 ms: just when the deadline passes. */
const settings: Partial<Record<(typeof faults)[number], string>> = { dribble: ', delay: 5ms' };

it('one saturating connection has the same outcome for every fault as the transport socket', async () => {
  const outcomes = async (load: string): Promise<readonly string[]> => {
    const seen = join(await tempFolder(), 'seen.jsonl');
    const text = `
traffic: [{ kind: chat, model: weir/small, maxTokens: 5 }]
load: ${load}
deadlines: { firstToken: 300ms, idle: 300ms }
mock:
  ttft: 1ms
  limits: { requestsPerMinute: none, tokensPerMinute: none }
  faults:
${faults.map((fault, index) => `    - { fault: ${fault}, nth: ${2 * index + 1}${settings[fault] ?? ''} }`).join('\n')}
`;
    await weir([
      'run',
      await tempFile('s.yaml', text),
      '--out',
      await tempFolder(),
      '--observations',
      seen,
    ]);
    const observations = await readObservations(seen);
    return observations.slice(0, 2 * faults.length).map(({ outcome }) => {
      const why = 'cause' in outcome ? outcome.cause : '';
      return `${outcome.kind} ${outcome.kind === 'malformed' ? outcome.issue : why}`;
    });
  };
  const [flatOut, socket] = await Promise.all([
    outcomes('{ kind: saturate, connections: 1, duration: 4s }'),
    outcomes('{ kind: closed, users: 1, duration: 4s }'),
  ]);
  expect(flatOut).toHaveLength(2 * faults.length);
  expect(new Set(flatOut).size).toBeGreaterThan(6);
  expect(flatOut).toEqual(socket);
});

it.each(['aborts in a 200 without a token', 'has an error in the choice of a 200'] as const)(
  'a saturating load completes nothing at a server that %s',
  async (kind) => {
    const server = createServer((request, response) => {
      request.resume();
      const models = { object: 'list', data: [{ id: 'm', object: 'model', created: 1 }] };
      const body = request.method === 'GET' ? models : refusals[kind].body;
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const file = await tempFile(
      's.yaml',
      `limits: none
target: http://127.0.0.1:${port}/v1
traffic: [{ kind: chat, model: m, prompt: Hi., maxTokens: 5 }]
load: { kind: saturate, connections: 2, duration: 1s }
`,
    );
    const out = await tempFolder();
    await weir(['run', file, '--out', out], { WEIR_API_KEY: 'sk-weir-test' });
    const { completed, malformed } = sumOutcomes((await resultIn(out)).groups);
    expect(completed).toBe(0);
    expect(malformed).toBeGreaterThan(10);
  },
);
