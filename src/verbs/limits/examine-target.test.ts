import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { instant } from '../../model/quantity.ts';
import { weirVersion } from '../../platform/host/machine.ts';
import { oneModelList, startAnswering } from '../../run/answering-server.fixture.ts';
import { fakeHost } from '../../run/fake-host.fixture.ts';
import { targetPlanFor } from '../../run/target/target-plan.ts';
import type { OpenedProbe } from './examination.ts';
import {
  examineTarget,
  examineUntilStopped,
  type ExaminationOutcome,
  runIdOf,
} from './examine-target.ts';
import { sampleTokenReport } from './report/sample-limit-report.fixture.ts';
import { sampleLimitsRequest } from './sample-limits-request.fixture.ts';

const probeAt = (...times: readonly number[]): OpenedProbe => {
  const left = times.map(instant);
  return { session: { clock: { now: () => left.shift()! } } } as never;
};

describe('an examination until it is stopped', () => {
  it('returns its log and its time, and stops listening', async () => {
    const { host, said, stop } = fakeHost();
    const examined = await examineUntilStopped(probeAt(100, 350), host, (stopReason) =>
      Promise.resolve(stopReason()),
    );
    expect(examined).toEqual({ log: null, stoppedBy: null, took: 250 });
    stop('SIGINT');
    expect(said).toEqual([]);
  });

  it('knows the first stop', async () => {
    const { host, said, stop } = fakeHost();
    const examined = await examineUntilStopped(probeAt(0, 9), host, (stopReason) => {
      stop('SIGTERM');
      stop('SIGINT');
      return Promise.resolve(stopReason());
    });
    expect(examined).toEqual({ log: 'stopped by SIGTERM', stoppedBy: 'SIGTERM', took: 9 });
    const line = 'stopping: the replies so far will be judged';
    expect(said).toEqual([line, line]);
  });

  it('stops listening if it fails', async () => {
    const { host, said, stop } = fakeHost();
    const failing = examineUntilStopped(probeAt(0, 1), host, () =>
      Promise.reject(new Error('broken')),
    );
    await expect(failing).rejects.toThrow('broken');
    stop('SIGINT');
    expect(said).toEqual([]);
  });
});

it('the ids of the requests begin with the time of the examination, from the month to the second', () => {
  const startedAt = '2026-11-27T18:45:00.123Z';
  expect(runIdOf('limits', { startedAt } as never)).toBe('limits-1127184500');
});

/** Examines a target whose examination has this outcome. */
const examine = async (
  outcome: Partial<ExaminationOutcome> | string,
  {
    files = 'limits',
    set = ['limits.requestsPerMinute=60', 'limits.tokensPerMinute=2000'],
    stored = null,
  }: {
    readonly files?: 'limits' | 'tokens';
    readonly set?: readonly string[];
    readonly stored?: ((target: string) => object) | null;
  } = {},
) => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-examined-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const server = await startAnswering(() => [200, oneModelList]);
  onTestFinished(server.close);
  const fake = fakeHost({ WEIR_API_KEY: 'sk-one' });
  const target = `${server.origin}/v1`;
  const out = join(folder, 'out');
  const request = { ...sampleLimitsRequest, target, set, out, yes: true };
  const read = await targetPlanFor(request, fake.host.environment);
  const seen: unknown[] = [];
  const exit = await examineTarget(request, read, fake.host, {
    files,
    window: 60_000,
    plan: (probe) => {
      seen.push(probe.session.timeoutFor);
      if (typeof outcome === 'string') return outcome;
      return {
        model: 'named',
        budget: 'about 3 requests',
        run: async (_host, origin) => {
          seen.push(origin);
          if (stored !== null)
            await writeFile(join(out, 'token-limits.json'), JSON.stringify(stored(target)));
          return {
            report: { what: 'was found' },
            document: (beside) => {
              seen.push(Object.values(beside).filter((each) => each !== null).length);
              return { title: 'Examined', lead: null, blocks: [] } as never;
            },
            junit: () => '<testsuites/>',
            verdict: 'kept',
            hasAnswers: true,
            stoppedBy: null,
            ...outcome,
          };
        },
      };
    },
  });
  const said = fake.said.map((line) => line.replace(target, 'TARGET').replace(out, 'OUT'));
  return { ...fake, exit, said, seen, target, out };
};

describe('the examination of a target', () => {
  it('says what it examines, and publishes what it finds', async () => {
    const { exit, said, seen, printed, target, out } = await examine({});
    expect(exit).toBe('pass');
    expect(said).toEqual([
      'TARGET, model named: nothing else may use the key until the end.',
      'Budget: about 3 requests.',
    ]);
    // An answer may take two windows and half a minute.
    expect(seen).toEqual([
      150_000,
      { weir: weirVersion(), target, startedAt: expect.any(String), model: 'named' },
      0,
    ]);
    expect(printed.map(({ json }) => JSON.parse(json!) as unknown)).toEqual([
      { what: 'was found' },
    ]);
    expect((await readdir(out)).toSorted()).toEqual([
      'limits.html',
      'limits.json',
      'limits.junit.xml',
    ]);
  });

  it.each<readonly [Partial<ExaminationOutcome>, string]>([
    [{ verdict: 'violated', hasAnswers: false }, 'violated'],
    [{ verdict: 'undecided' }, 'inconclusive'],
    [{ verdict: 'undecided', hasAnswers: false }, 'empty'],
    [{ hasAnswers: false }, 'empty'],
    [{ verdict: 'violated', stoppedBy: 'SIGTERM' }, 'terminated'],
  ])('with %j ends with %s', async (outcome, exit) => {
    expect((await examine(outcome)).exit).toBe(exit);
  });

  it('that assumes its limit says so, in its report too', async () => {
    const { said, seen } = await examine({}, { set: [] });
    expect(said[1]).toMatch(/^No limit was declared, so 60 requests/);
    expect(seen[1]).toMatchObject({ isAssumed: true });
    const other = await examine({}, { set: ['limits.tokensPerMinute=2000'], files: 'tokens' });
    expect(other.seen[1]).not.toHaveProperty('isAssumed');
  });

  it('reports on the findings beside it, whose verdict counts too', async () => {
    const { exit, seen } = await examine(
      {},
      { stored: (target) => ({ ...sampleTokenReport(), target }) },
    );
    expect([exit, seen[2]]).toEqual(['violated', 1]);
    const same = await examine(
      {},
      { files: 'tokens', stored: (target) => ({ ...sampleTokenReport(), target }) },
    );
    expect([same.exit, same.seen[2]]).toEqual(['pass', 0]);
  });
});
