import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { capacityReportSchema } from '../../verbs/capacity/model/capacity.ts';
import type { Result } from '../../model/result/result.ts';
import { publishedResult } from '../harness/published-result.fixture.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import { cleanUpAfterEach, tempFile, tempFolder } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();
vi.setConfig({ testTimeout: 240_000 });

const mockWithStep = (step: string) => ({
  limits: { requestsPerMinute: 'none', tokensPerMinute: 'none' },
  latency: {
    batch: 2,
    overhead: '5ms',
    perPromptToken: '0ms',
    step,
    stepPerRequest: '0ms',
    stepPerThousandTokens: '0ms',
  },
});

const scenario = (changes: object): string =>
  JSON.stringify({
    name: 'beside',
    traffic: [{ kind: 'chat', model: 'weir/small', prompt: { tokens: 50 }, maxTokens: 10 }],
    load: { kind: 'closed', users: 6, duration: '4s' },
    limits: 'none',
    server: { metrics: '/metrics', every: '200ms' },
    // Two at a time: of six users four always wait.
    mock: mockWithStep('20ms'),
    ...changes,
  });

const runWith = async (changes: object) => {
  const file = await tempFile('s.yaml', scenario(changes));
  const out = await tempFolder();
  const finished = await weir(['run', file, '--out', out]);
  const text = await readFile(join(out, 'result.json'), 'utf8').catch(() => null);
  const result: Result | null = text === null ? null : publishedResult(text);
  return {
    ...finished,
    result,
    page: await readFile(join(out, 'report.html'), 'utf8').catch(() => ''),
  };
};

describe('the server’s own metrics beside a run', () => {
  it('show the queue of the server, on every report and in objectives', async () => {
    const { result, stdout, stderr, page } = await runWith({
      objectives: ['server.waiting.max < 7', 'server.waiting.mean < 2', 'server.running.max <= 2'],
    });
    const { server, verdicts } = result!;
    expect(server, stderr).toMatchObject({ software: 'vLLM', failed: 0, resets: 0 });
    expect(server!.samples.length).toBeGreaterThanOrEqual(15);
    const busy = server!.samples.filter(({ sent }) => sent > 1000 && sent < 3800);
    for (const { sent, received, values } of busy) {
      expect(received).toBeGreaterThanOrEqual(sent);
      expect(values['running']).toBeLessThanOrEqual(2);
      expect(values['running']! + values['waiting']!).toBeLessThanOrEqual(6);
    }
    const waiting = busy.map(({ values }) => values['waiting']!);
    expect(waiting.reduce((sum, each) => sum + each, 0) / waiting.length).toBeGreaterThan(3);
    expect(verdicts!.map(({ grounds }) => grounds)).toEqual(
      result!.partial === null && result!.summary!.trust !== 'invalid'
        ? ['kept', 'broken', 'kept']
        : ['unfit', 'unfit', 'unfit'],
    );
    expect(stdout).toMatch(/^Server +running /m);
    expect(page).toContain('What did the server say?');
  });

  it('that cannot be read are a finding, and never pass an objective', async () => {
    const dead = { metrics: 'http://127.0.0.1:1/metrics', every: '200ms' };
    const { code, result, stdout, stderr } = await runWith({
      server: dead,
      objectives: ['server.waiting.max < 20'],
    });
    expect([10, 12], stderr).toContain(code);
    expect(result!.server).toMatchObject({ samples: [], lastFailure: 'ECONNREFUSED' });
    expect(result!.server!.failed).toBe(result!.server!.scrapes);
    expect(result!.verdicts![0]!.ruling).not.toBe('pass');
    expect(result!.partial).toBeNull();
    expect(stderr).toMatch(
      /could not be read: ECONNREFUSED. The run goes on, and so do the readings/,
    );
    expect(stdout).toContain('failed, the last with: ECONNREFUSED');
  });

  it('at another host get no key and no header of the run', async () => {
    const seen: string[] = [];
    const server = createServer(({ rawHeaders }, response) => {
      seen.push(rawHeaders.join('\n'));
      response.end('llamacpp:requests_processing 1\n');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    try {
      const { result } = await runWith({
        server: { metrics: `http://127.0.0.1:${port}/metrics`, every: '200ms' },
        headers: { 'x-team': 'very-secret' },
        load: { kind: 'closed', users: 1, duration: '2s' },
      });
      expect(result!.server).toMatchObject({ software: 'llama.cpp' });
      expect(seen.length).toBeGreaterThan(3);
      expect(seen.join('\n')).not.toMatch(/authorization|sk-|very-secret|x-team/i);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it.each([
    [{ objectives: ['server.waitng.max < 5'] }, 'did you mean "waiting"?'],
    [{ objectives: ['server.waiting < 5'] }, 'for example server.waiting.max'],
    [{ objectives: ['server.queueTime.max < 5'] }, 'a number needs its unit'],
    [
      { server: undefined, objectives: ['server.waiting.max < 5'] },
      'add server: {metrics: /metrics}',
    ],
    [
      { objectives: ['server.waiting.max{traffic=chat} < 5'] },
      'a server has no figures by traffic',
    ],
    [{ server: { metrics: 'metrics' } }, 'expected an address such as http://host:8000/metrics'],
    [{ server: { metrics: 'http://u:p@h/metrics' } }, 'must not contain a user name'],
    [{ server: { metrics: '/metrics', every: '1ms' } }, 'expected at least 100ms'],
    [
      { server: { metrics: '/m', figures: [{ name: 'waiting', metric: 'm' }] } },
      'a figure of this name is read already',
    ],
    [
      { objectives: [{ objective: 'server.waiting.max < 5', abort: true }] },
      'judged when the run ends',
    ],
  ])('%j is refused before any request', async (changes, message) => {
    const file = await tempFile('s.yaml', scenario(changes));
    const { code, stderr } = await weir(['validate', file]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe('weir capacity beside a server that speaks of itself', () => {
  it('quotes the queue of the server below and above the highest rate', async () => {
    const file = await tempFile('s.yaml', scenario({ mock: mockWithStep('2ms') }));
    const out = await tempFolder();
    const search = [
      '--start',
      '50/s',
      '--time',
      '100s',
      '--precision',
      '25%',
      '--yes',
      '--out',
      out,
    ];
    const { stdout, stderr } = await weir(['capacity', file, ...search]);
    const text = await readFile(join(out, 'capacity.json'), 'utf8');
    const { steps } = capacityReportSchema.parse(JSON.parse(text));
    const broken = steps.filter(({ verdict }) => verdict === 'broken');
    expect(broken.length, stderr).toBeGreaterThan(0);
    for (const { server } of broken) {
      expect(server!['waiting']).toBeGreaterThan(1);
      expect(server!['running']).toBeCloseTo(2, 0);
    }
    expect(stdout).toMatch(/The server says +at .*waiting/);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('its own queue grows, so it is full');
  });
});
