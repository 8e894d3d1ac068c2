// @gate 5 s
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { realClock } from '../mock/clock/real-clock.ts';
import { type Mock, startMock } from '../mock/gateway/start.ts';
import { testKey } from '../mock/settings/settings.ts';
import { sumOutcomes } from '../model/measures/outcome-counts.ts';
import { milliseconds } from '../model/quantity.ts';
import { resultSchema } from '../model/result/result.ts';
import type { RunRequest } from './input/run-request.ts';
import { fakeHost, runRequest } from './fake-host.fixture.ts';
import { runOnce } from './run.ts';

/** Whole runs in this process: the gateway listens in it, and the self-test, which has a process, is off. */

let mock: Mock;
let folder: string;
beforeAll(async () => {
  const at = milliseconds(1);
  const limits = { requestsPerMinute: null, tokensPerMinute: null };
  mock = await startMock({ ttft: at, gap: at, limits }, realClock());
  folder = await mkdtemp(join(tmpdir(), 'weir-run-'));
});
afterAll(async () => {
  await mock.close();
  await rm(folder, { recursive: true });
});

const chat = { kind: 'chat', model: 'weir/small', maxTokens: 5 };
const scenario = {
  name: 'inside',
  traffic: [chat],
  load: { kind: 'constant', rate: '40/s', duration: '500ms' },
  grace: '5s',
  canary: false,
};
const key = testKey(0);
const environment = { WEIR_API_KEY: key };

const run = async (changes: object, more: Partial<RunRequest> = {}) => {
  const fake = fakeHost(environment);
  const request = runRequest({ ...scenario, ...changes }, mock.url, more);
  const finished = await runOnce(request, fake.host);
  return { ...fake, finished, outcomes: sumOutcomes(finished.result.groups) };
};

const long = { load: { kind: 'constant', rate: '40/s', duration: '30s' } };
const rowsIn = async (name: string): Promise<readonly string[]> =>
  (await readFile(join(folder, name), 'utf8')).trim().split('\n');

/** They mostly wait, so they do it at the same time. */
describe.concurrent('a run in this process', () => {
  it('sends what is due, and prints and writes every file that was asked for', async () => {
    const path = (name: string): string => join(folder, name);
    const { finished, outcomes, printed, listed, said, warned } = await run(
      { objectives: ['errorRate < 50%'], capture: undefined },
      {
        out: path('run'),
        observations: path('observations.jsonl'),
        requests: path('requests.csv'),
        capture: 'all',
        history: path('history.sqlite'),
        extraReports: {
          junit: path('junit.xml'),
          csv: path('figures.csv'),
          summary: path('summary.md'),
          jobSummary: path('job.md'),
        },
      },
    );
    expect(outcomes).toMatchObject({ completed: 20, limited: 0, broken: 0 });
    expect(finished.result.partial).toBeNull();
    expect((await readdir(path('run'))).toSorted()).toEqual([
      'capture.jsonl',
      'report.html',
      'result.json',
    ]);
    const stored = resultSchema.parse(JSON.parse(await readFile(finished.file, 'utf8')));
    expect(stored).toEqual(finished.result);
    expect(JSON.parse(printed[0]!.json!)).toEqual(stored);
    expect(finished.page).toBe(path('run/report.html'));
    expect(await readFile(path('run/report.html'), 'utf8')).toContain('<html');
    expect(await rowsIn('observations.jsonl')).toHaveLength(1 + 20);
    expect(await rowsIn('requests.csv')).toHaveLength(1 + 20);
    expect(await rowsIn('run/capture.jsonl')).toHaveLength(20);
    expect(await readFile(path('junit.xml'), 'utf8')).toContain('errorRate &lt; 50%');
    expect(await rowsIn('figures.csv')).toHaveLength(2);
    expect(await readFile(path('job.md'), 'utf8')).toBe(await readFile(path('summary.md'), 'utf8'));
    for (const name of ['run/report.html', 'run/result.json', 'junit.xml', 'summary.md'])
      expect(listed.join('\n')).toContain(path(name));
    expect(said).toContain(
      `inside: 500 ms against ${mock.url}. Ctrl-C ends it early and keeps the report.`,
    );
    expect(warned).toEqual([]);
    for (const name of ['run/result.json', 'run/report.html', 'run/capture.jsonl', 'summary.md'])
      expect(await readFile(path(name), 'utf8')).not.toContain(key);
  });

  it('ends when it is stopped, says so once, and is partial', async () => {
    const fake = fakeHost(environment);
    const running = runOnce(runRequest({ ...scenario, ...long }, mock.url), fake.host, () => ({
      onSecond: undefined,
      onObservation: ({ index }) => {
        if (index === 4) fake.stop('SIGTERM');
      },
    }));
    const { result, exit } = await running;
    expect(exit).toBe('terminated');
    expect(result.partial).toBe('stopped by SIGTERM before the load had ended');
    expect(sumOutcomes(result.groups).completed).toBeLessThan(600);
    expect(fake.said.filter((text) => text.startsWith('stopping:'))).toEqual([
      'stopping: waiting up to 2 s for requests in flight; press Ctrl-C again to abort them',
    ]);
  });

  it('ends at a broken objective that ends it, and names it', async () => {
    const broken = {
      ...long,
      traffic: [{ ...chat, model: 'none' }],
      objectives: [{ objective: 'errorRate < 10%', abort: { after: '1s' } }],
    };
    const { finished, said } = await run(broken, { preflight: false });
    expect(finished.result.partial).toMatch(
      /^ended after \d.* s, since the objective errorRate < 10% was broken$/,
    );
    expect(said).toContain('ending: the objective errorRate < 10% is broken');
    expect(['empty', 'invalid', 'incomplete']).toContain(finished.exit);
  });

  it('ends before it would pass its budget', async () => {
    const { finished, outcomes } = await run({
      budget: { requests: 7 },
      load: { kind: 'closed', users: 2, duration: '30s' },
    });
    expect(outcomes.completed).toBe(7);
    expect(finished.result.partial).toMatch(
      /^ended after .*, since the next request might have passed budget\.requests$/,
    );
  });

  it('opens nothing for a plan that does not fit its budget, or whose keys are refused', async () => {
    await expect(run({ budget: { requests: 7 } })).rejects.toThrow(
      'budget.requests is 7, and the plan needs 20 requests: raise it or send less',
    );
    const { host } = fakeHost({ WEIR_API_KEY: 'sk-wrong' });
    const request = runRequest(scenario, mock.url, { out: join(folder, 'refused') });
    await expect(runOnce(request, host)).rejects.toThrow(
      `${mock.url} answered 401 to a list of models with the key`,
    );
    expect(await readdir(folder)).not.toContain('refused');
  });

  it('sends no load with a model that the target neither lists nor answers', async () => {
    const unknown = { traffic: [{ ...chat, model: 'weir/none' }] };
    await expect(run(unknown)).rejects.toThrow(
      `${mock.url} does not know the model weir/none. It lists weir/small`,
    );
    const { outcomes } = await run(unknown, { preflight: false });
    expect(outcomes).toMatchObject({ completed: 0 });
  });

  it('sends nothing once its lease is over, and says why', async () => {
    const lease = new Float64Array(new SharedArrayBuffer(8));
    const { finished, outcomes } = await run(long, { lease, isRetry: true });
    expect(outcomes.completed).toBe(0);
    expect(finished.result.partial).toMatch(/^ended after .*, since the coordinator was silent$/);
    expect(finished.exit).not.toBe('pass');
  });

  it('shares its load among workers, and merges what they send', async () => {
    const { finished, outcomes } = await run({ workers: 2 });
    expect(outcomes).toMatchObject({ completed: 20, limited: 0, broken: 0 });
    expect(finished.result.slices).toHaveLength(2);
    expect(finished.result.partial).toBeNull();
  });

  it('reads the server’s metrics beside the load, and goes on if it cannot', async () => {
    const server = (metrics: string) => ({ server: { metrics, every: '100ms' } });
    const { said, warned, outcomes } = await run(server(`${mock.controlUrl}/nothing`));
    // Alone: a reading that is still under way at the end does not count.
    const { finished } = await run(server(new URL('/metrics', mock.url).href));
    expect(finished.result.server).toMatchObject({ failed: 0, lastFailure: null });
    expect(finished.result.server!.scrapes).toBeGreaterThan(0);
    expect([...said, ...warned].join('\n')).toContain(
      `The server’s metrics at ${mock.controlUrl}/nothing could not be read: `,
    );
    expect(outcomes.completed).toBe(20);
  });

  it('refuses to saturate with what only its own transports have', async () => {
    const saturating = { load: { kind: 'saturate', connections: 2, duration: '1s' } };
    await expect(run(saturating, { capture: 'all' })).rejects.toThrow('Leave --capture out');
    await expect(run(saturating, { slice: { index: 0, count: 2 } })).rejects.toThrow(
      '--slice: a load of the kind "saturate" has no shares',
    );
  });

  it('has an id of its plan if none was given', async () => {
    const { finished } = await run({ load: { ...scenario.load, duration: '100ms' } });
    expect(finished.result.runId).toBe(`weir-${finished.result.planHash.slice(0, 8)}`);
    const named = await run({ load: { ...scenario.load, duration: '100ms' } }, { runId: 'mine' });
    expect(named.finished.result.runId).toBe('mine');
  });

  it('sends nothing after the start that was agreed', async () => {
    await expect(run({}, { startAt: Date.now() - 5000 })).rejects.toThrow(
      'was 5 s ago by this machine’s clock',
    );
  });
});
