// @long 40 s
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import {
  type FairnessReport,
  fairnessReportSchema,
} from '../../verbs/fairness/model/fairness-report.ts';
import { chatEvent } from '../harness/chat-body.fixture.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import {
  cleanUpAfterEach,
  startWeir,
  tempFile,
  tempFolder,
} from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();
vi.setConfig({ testTimeout: 240_000 });

const workers = 4;
const work = 40;

/** A server of four workers of 40 ms for each key. */
const openServer = async (): Promise<string> => {
  const lines = new Map<string, { busy: number; waiting: (() => void)[] }>();
  const serve = async (key: string, response: http.ServerResponse): Promise<void> => {
    const line = lines.get(key) ?? { busy: 0, waiting: [] };
    lines.set(key, line);
    if (line.busy >= workers) await new Promise<void>((begin) => line.waiting.push(begin));
    else line.busy += 1;
    response.write(chatEvent({ role: 'assistant', content: 'a' }));
    await setTimeout(work);
    response.end(`${chatEvent({}, 'stop')}data: [DONE]\n\n`);
    const next = line.waiting.shift();
    if (next === undefined) line.busy -= 1;
    else next();
  };
  const server = http.createServer((request, response) => {
    if (request.method !== 'POST') {
      response.setHeader('content-type', 'application/json');
      response.end('{"object":"list","data":[{"id":"m","object":"model"}]}');
      return;
    }
    request.resume();
    request.on('end', () => {
      response.setHeader('content-type', 'text/event-stream');
      void serve(request.headers.authorization ?? '', response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
};

const scenario = (target: string): string =>
  JSON.stringify({
    target,
    traffic: [{ kind: 'chat-stream', model: 'm', prompt: 'hi', maxTokens: 4 }],
    limits: 'none',
    prices: { m: { input: 1, output: 1 } },
    populations: [
      { name: 'b', keys: '${env:B}', load: { kind: 'poisson', rate: '40/s', duration: '10s' } },
      { name: 'a', keys: '${env:A}', load: { kind: 'closed', users: 24, duration: '10s' } },
    ],
  });

const keys = { A: 'key-a', B: 'key-b' };

const examined = async (target: string, ...words: readonly string[]) => {
  const out = join(await tempFolder(), 'out');
  const file = await tempFile('neighbours.json', scenario(target));
  const args = [
    'fairness',
    file,
    '--yes',
    '--out',
    out,
    '--block',
    '4s',
    '--settle',
    '1s',
    '--pairs',
    '3',
  ];
  const ended = await weir([...args, ...words], keys);
  const report = JSON.parse(await readFile(join(out, 'fairness.json'), 'utf8')) as FairnessReport;
  expect(fairnessReportSchema.parse(report)).toEqual(report);
  expect(await readFile(join(out, 'fairness.html'), 'utf8')).toContain('b beside a on');
  expect(await readFile(join(out, 'run', 'result.json'), 'utf8')).toContain('"a/1"');
  return { ...ended, report };
};

it('keeps its budget, and reports what it knows when it is spent or stopped', async () => {
  const target = await openServer();
  const { code, report } = await examined(target, '--requests', '600');
  expect(code).toBe(3);
  expect(report).toMatchObject({ verdict: 'unknown', moved: null });
  expect(report.partial).toContain('budget.requests');
  expect(report.spent.requests).toBeLessThanOrEqual(600);
  const out = join(await tempFolder(), 'out');
  const file = await tempFile('stopped.json', scenario(target));
  const running = startWeir(['fairness', file, '--yes', '--out', out], keys);
  await running.waitForOutput('b with and without');
  await setTimeout(3000);
  running.child.kill('SIGINT');
  expect((await running.ended).code).toBe(130);
  const stopped = JSON.parse(await readFile(join(out, 'fairness.json'), 'utf8')) as FairnessReport;
  expect(stopped).toMatchObject({ verdict: 'unknown', moved: null });
});

it.each([
  [['--noisy', 'c'], '--noisy: expected a population of the scenario (b and a); got c'],
  [['--pairs', '2'], '--pairs: expected a whole number of at least 3; got 2'],
  [['--figure', 'ttft'], '--figure: expected ttft or endToEnd with p50'],
  [['--times', '1'], '--times: expected a whole number of at least 2; got 1'],
  [['--set', 'populations.0.load.kind=stairs'], 'populations'],
])('refuses %j before it sends anything', async (words, message) => {
  const file = await tempFile('refused.json', scenario('http://127.0.0.1:9/v1'));
  const { code, stderr } = await weir(['fairness', file, '--yes', ...words], keys);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});

it('asks for its budget where any of several targets is an address', async () => {
  const { target: _, ...common } = JSON.parse(scenario('mock')) as Record<string, unknown>;
  const [b, a] = common['populations'] as readonly object[];
  const text = JSON.stringify({
    ...common,
    targets: { own: 'mock', far: 'http://127.0.0.1:9/v1' },
    populations: [
      { ...b, target: 'own' },
      { ...a, target: 'far' },
    ],
  });
  const { code, stderr } = await weir(['fairness', await tempFile('targets.json', text)], keys);
  expect(stderr).toContain('this budget needs a confirmation');
  expect(stderr).toContain('b sends to own and a to far: what is found is what these two share');
  expect(code).toBe(2);
});
