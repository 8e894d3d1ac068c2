import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { defineScenario, judge, readResult, run, WeirError } from '../../library/library.ts';
import { loadOptional } from '../../platform/optional-package.ts';
import { withWeirErrors } from '../../run/input/library-host.ts';
import { cleanUpAfterEach, tempFolder } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

const scenario = defineScenario({
  name: 'library',
  traffic: [{ kind: 'chat', model: 'weir/small', maxTokens: 5 }],
  load: { kind: 'constant', rate: '20/s', duration: '2s' },
  mock: { ttft: '5ms', gap: '1ms', limits: { requestsPerMinute: 'none' } },
  objectives: ['errorRate < 1%', 'endToEnd.p50 > 1h'],
});

const environment = { WEIR_HISTORY: 'off' };

/** What a run could change in the process around it. */
const processState = (): unknown => [
  process.exitCode,
  ...['SIGINT', 'SIGTERM', 'SIGHUP', 'uncaughtException'].map((name) =>
    process.listenerCount(name),
  ),
];

describe('the library', () => {
  it('runs a scenario, reports plain numbers and verdicts, and stores what it reads again', async () => {
    const before = processState();
    const out = await tempFolder();
    const elapsed: number[] = [];
    const states: unknown[] = [];
    const report = await run(scenario, {
      out,
      environment,
      onProgress: (progress) => {
        elapsed.push(progress.elapsed);
        states.push(processState());
      },
    });
    expect(report.summary.counts).toMatchObject({ due: 40, sent: 40, completed: 40, failed: 0 });
    expect(report.summary.rates).toMatchObject({
      offeredRate: 20,
      completedRate: expect.any(Number),
    });
    const { p50, p95, p99, unit, n } = report.summary.kinds.chat!.endToEnd!;
    expect([unit, n]).toEqual(['ms', 40]);
    expect(p50).toBeGreaterThan(5);
    expect(p95).toBeGreaterThanOrEqual(p50);
    expect(p99).toBeGreaterThanOrEqual(p95);
    expect(report.result.gatewayCounters).toMatchObject({ completed: 40 });
    if (report.verdicts.trust.level !== 'invalid') {
      expect(report.verdicts.overall).toBe('fail');
      expect(report.verdicts.objectives).toMatchObject([
        { objective: 'errorRate < 1%', verdict: 'pass', observed: 0, unit: '%' },
        { objective: 'endToEnd.p50 > 1h', verdict: 'fail', observed: p50, unit: 'ms' },
      ]);
      const { objectives } = await judge(await readResult(out), { objectives: ['sent < 1'] });
      expect(objectives).toMatchObject([{ objective: 'sent < 1', reason: 'broken' }]);
    }
    expect(elapsed.length).toBeGreaterThanOrEqual(1);
    expect(elapsed[0]).toBeGreaterThan(950);
    expect([...states, processState()]).toEqual([...states.map(() => before), before]);
    expect((await readdir(out)).toSorted()).toEqual(['report.html', 'result.json']);
    expect(await readResult(out)).toEqual(await readResult(join(out, 'result.json')));
    const stored = await readResult(out);
    expect(stored.summary).toEqual(report.summary);
    expect(stored.result.groups).toEqual(report.result.groups);
  });

  it('judges a report by other objectives', async () => {
    const report = await run(scenario, { environment });
    const { objectives } = await judge(report, { objectives: ['due >= 1', 'due < 1'] });
    const isHealthy = report.verdicts.trust.level !== 'invalid';
    expect(objectives).toMatchObject([
      { objective: 'due >= 1', observed: 40, verdict: isHealthy ? 'pass' : 'inconclusive' },
      { objective: 'due < 1', observed: 40, verdict: isHealthy ? 'fail' : 'inconclusive' },
    ]);
    expect((await judge(report)).objectives).toEqual(report.verdicts.objectives);
    await expect(judge(report, { objectives: ['ttfb.p95 < 1s'] })).rejects.toThrow(
      /^objective ttfb\.p95 < 1s: "ttfb" is neither a measure/,
    );
    await expect(judge(report, { objectives: ['due{stage=mian} < 1'] })).rejects.toThrow(
      'the plan has no stage "mian": expected one of main',
    );
  });

  it('stops the run and rejects with an error that the caller’s own function throws', async () => {
    const failure = new Error('of the caller');
    const dues: number[] = [];
    const onProgress = ({ due }: { readonly due: number }): never => {
      dues.push(due);
      throw failure;
    };
    await expect(run(scenario, { environment, onProgress })).rejects.toBe(failure);
    expect(dues[0]).toBeGreaterThan(0);
  });

  it('ends a run early when it is aborted, keeps the report, and writes no files by default', async () => {
    const folder = await tempFolder();
    const before = process.cwd();
    process.chdir(folder);
    const stdout = vi.spyOn(process.stdout, 'write');
    const stderr = vi.spyOn(process.stderr, 'write');
    try {
      const controller = new AbortController();
      const report = await run(scenario, {
        signal: controller.signal,
        environment,
        set: ['load.duration=1m'],
        onProgress: () => controller.abort(),
      });
      expect(report.result.partial).toBe('stopped by AbortSignal before the load had ended');
      expect(report.summary.counts.completed).toBeGreaterThan(10);
      expect(report.summary.counts.due).toBeLessThan(200);
      expect(report.verdicts.overall).not.toBe('pass');
      expect(await readdir(folder)).toEqual([]);
      expect([stdout.mock.calls, stderr.mock.calls]).toEqual([[], []]);
    } finally {
      stdout.mockRestore();
      stderr.mockRestore();
      process.chdir(before);
    }
  });

  it.each([
    ['a file that is missing', 'none.yaml', 'the scenario file none.yaml does not exist'],
    [
      'a scenario with a wrong rate',
      { ...scenario, load: { kind: 'constant', rate: '5', duration: '1s' } } as const,
      'scenario: load.rate: expected a rate such as 20/s',
    ],
  ])('rejects %s as `weir` does', async (_, wrong, message) => {
    const failure = await run(wrong, { environment }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(WeirError);
    expect((failure as WeirError).message).toContain(message);
    expect((failure as WeirError).code).toBe('scenario');
  });

  it.each([
    ['scenario', { set: ['load.rate=x'] }],
    ['key', { target: 'http://127.0.0.1:9/v1', set: ['keys=${command:false}'], environment: {} }],
    ['target', { target: 'http://127.0.0.1:9/v1', environment: { WEIR_API_KEY: 'sk' } }],
    ['budget', { set: ['budget.requests=1'] }],
    ['output', { out: '/dev/null/folder' }],
  ])('gives a failure the code %s', async (code, options) => {
    const failed = run(scenario, { environment, ...options });
    await expect(failed).rejects.toMatchObject({ name: 'WeirError', code });
  });

  it('gives a missing package and an unknown error separate codes', async () => {
    const missingPackage: string = 'no-such-package';
    const load = () => import(missingPackage) as Promise<unknown>;
    const missing = withWeirErrors(() => loadOptional(load, 'a load', ['autocannon']));
    await expect(missing).rejects.toMatchObject({ name: 'WeirError', code: 'package' });
    await expect(readResult('reports/none.json')).rejects.toMatchObject({ code: 'configuration' });
  });

  it('rejects with the reason of a signal that is already aborted', async () => {
    const signal = AbortSignal.abort(new Error('too late'));
    await expect(run(scenario, { signal, environment })).rejects.toThrow('too late');
  });

  it('rejects a missing result', async () => {
    await expect(readResult('reports/none.json')).rejects.toThrow(WeirError);
  });
});
