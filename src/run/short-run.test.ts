import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { realClock } from '../mock/clock/real-clock.ts';
import { startMock } from '../mock/gateway/start.ts';
import { resultSchema } from '../model/result/result.ts';
import type { RunRequest } from './input/run-request.ts';
import { fakeHost, runRequest } from './fake-host.fixture.ts';
import { type Inside, insideKeys, insideScenario, openInside } from './runs-inside.fixture.ts';
import { runOnce } from './run.ts';

/** Short runs in this process: the gateway listens in it, and the self-test, which has a process, is off. */

let inside: Inside;
beforeAll(async () => {
  inside = await openInside();
});
afterAll(() => inside.close());

const scenario = {
  ...insideScenario,
  load: { kind: 'constant', rate: '50/s', duration: '100ms' },
};
const run = (changes: object, more: Partial<RunRequest> = {}) =>
  inside.run({ ...scenario, ...changes }, more);

const rowsIn = async (name: string): Promise<readonly string[]> =>
  (await readFile(join(inside.folder, name), 'utf8')).trim().split('\n');

describe.concurrent('a short run in this process', () => {
  it('sends what is due, and prints and writes every file that was asked for', async () => {
    const path = (name: string): string => join(inside.folder, name);
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
    expect(outcomes).toMatchObject({ completed: 5, limited: 0, broken: 0 });
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
    expect(await rowsIn('observations.jsonl')).toHaveLength(1 + 5);
    expect(await rowsIn('requests.csv')).toHaveLength(1 + 5);
    expect(await rowsIn('run/capture.jsonl')).toHaveLength(5);
    expect(await readFile(path('junit.xml'), 'utf8')).toContain('errorRate &lt; 50%');
    expect(await rowsIn('figures.csv')).toHaveLength(2);
    expect(await readFile(path('job.md'), 'utf8')).toBe(await readFile(path('summary.md'), 'utf8'));
    for (const name of ['run/report.html', 'run/result.json', 'junit.xml', 'summary.md'])
      expect(listed.join('\n')).toContain(path(name));
    expect(said).toContain(
      `inside: 100 ms against ${inside.mock.url}. Ctrl-C ends it early and keeps the report.`,
    );
    expect(warned).toEqual([]);
    for (const name of ['run/result.json', 'run/report.html', 'run/capture.jsonl', 'summary.md'])
      expect(await readFile(path(name), 'utf8')).not.toContain(insideKeys.WEIR_API_KEY);
  });

  it('refuses to saturate with what only its own transports have', async () => {
    const saturating = { load: { kind: 'saturate', connections: 2, duration: '1s' } };
    await expect(run(saturating, { capture: 'all' })).rejects.toThrow('Leave --capture out');
    await expect(run(saturating, { slice: { index: 0, count: 2 } })).rejects.toThrow(
      '--slice: a load of the kind "saturate" has no shares',
    );
  });

  it('sends nothing after the start that was agreed', async () => {
    await expect(run({}, { startAt: Date.now() - 5000 })).rejects.toThrow(
      'was 5 s ago by this machine’s clock',
    );
  });

  it('opens nothing for a plan that does not fit its budget, or whose keys are refused', async () => {
    await expect(run({ budget: { requests: 4 } })).rejects.toThrow(
      'budget.requests is 4, and the plan needs 5 requests: raise it or send less',
    );
    const { host } = fakeHost({ WEIR_API_KEY: 'sk-wrong' });
    const request = runRequest(scenario, inside.mock.url, { out: join(inside.folder, 'refused') });
    await expect(runOnce(request, host)).rejects.toThrow(
      `${inside.mock.url} answered 401 to a list of models with the key`,
    );
    expect(await readdir(inside.folder)).not.toContain('refused');
  });

  it('says which limits its target declares differently', async ({ onTestFinished }) => {
    const limits = { requestsPerMinute: 1000, tokensPerMinute: 9000 };
    const limited = await startMock({ limits }, realClock());
    onTestFinished(() => limited.close());
    const fake = fakeHost(insideKeys);
    const declared = { requestsPerMinute: 90, tokensPerMinute: 9000 };
    await runOnce(runRequest({ ...scenario, limits: declared }, limited.url), fake.host);
    expect(fake.said.filter((line) => line.includes('declares'))).toEqual([
      'The gateway declares a limit of 1,000 requests a minute, and the scenario 90 (limits.requestsPerMinute).',
    ]);
  });

  it('has an id of its plan if none was given', async () => {
    const { finished } = await run({});
    expect(finished.result.runId).toBe(`weir-${finished.result.planHash.slice(0, 8)}`);
    const named = await run({}, { runId: 'mine' });
    expect(named.finished.result.runId).toBe('mine');
  });
});
