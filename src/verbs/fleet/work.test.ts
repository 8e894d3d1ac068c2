import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { healthyResult } from '../../judge/sample-result.fixture.ts';
import { planHash } from '../../model/plan/plan-hash.ts';
import type { Result } from '../../model/result/result.ts';
import { steadyNow } from '../../platform/host/clock.ts';
import { weirVersion } from '../../platform/host/machine.ts';
import { openFolderRendezvous } from '../../platform/rendezvous/folder-rendezvous.ts';
import { oneModelList, startAnswering } from '../../run/answering-server.fixture.ts';
import { fakeHost } from '../../run/fake-host.fixture.ts';
import type { StopCause } from '../../run/input/host.ts';
import { readPlanWithFiles } from '../../run/input/read-plan.ts';
import type { FinishedRun } from '../../run/run.ts';
import { dividedPlan, storePlan } from './hand-over-plan.ts';
import { LedRun, openMeeting } from './lead-run.ts';
import { memoryRendezvous, sampleRun } from './memory-rendezvous.fixture.ts';
import { keysOf, runKey } from './model/records.ts';
import { eitherStop, endSlice, workOnce, type WorkRequest } from './work.ts';

/** Starts a worker in this process. It meets its coordinator in a new folder. */
const opened = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-work-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const rendezvous = await openFolderRendezvous(join(folder, 'place'));
  onTestFinished(() => rendezvous.close());
  const fake = fakeHost({ K: 'sk-of-this-test' });
  const out = join(folder, 'out');
  const work = (given: Partial<WorkRequest> = {}) =>
    workOnce(
      {
        rendezvous: rendezvous.name,
        slice: null,
        wait: 0,
        folder,
        allowFiles: false,
        out,
        keyCheck: false,
        observations: undefined,
        ...given,
      },
      fake.host,
    );
  return { ...fake, rendezvous, work, out };
};

/** Plays the coordinator of a run of two slices, whose load lasts 50 ms. */
const coordinated = async (target: string) => {
  const place = await opened();
  const { rendezvous } = place;
  const value = {
    name: 'shared',
    traffic: [{ kind: 'chat', model: 'm', prompt: 'hi', maxTokens: 4 }],
    load: { kind: 'constant', rate: '200/s', duration: '50ms' },
    keys: [{ name: 'k', key: '${env:K}' }],
    limits: 'none',
    warmUp: '0s',
    canary: false,
  };
  const source = { scenario: undefined, value, flags: {}, set: [], target };
  const read = await readPlanWithFiles(source, { K: 'sk-of-this-test' });
  const plan = dividedPlan(read.plan, 2);
  const run = sampleRun({
    weir: weirVersion(),
    planHash: planHash(plan),
    planDigest: await storePlan(rendezvous, 'r', plan),
  });
  await openMeeting(rendezvous, run);
  const stop = await rendezvous.answerTime(steadyNow);
  onTestFinished(stop);
  const led = new LedRun(rendezvous, run);
  const turnUntil = (isThere: () => boolean): Promise<void> =>
    vi.waitFor(
      async () => {
        await led.turn();
        expect(isThere()).toBe(true);
      },
      { timeout: 20_000, interval: 20 },
    );
  return { ...place, led, turnUntil };
};

describe('weir worker', () => {
  it('agrees on a start, and sends nothing if it is too late for it', async () => {
    const asked: string[] = [];
    const server = await startAnswering(({ url }) => [asked.push(url) && 200, oneModelList]);
    onTestFinished(() => server.close());
    const { led, turnUntil, work, said } = await coordinated(`${server.origin}/v1`);
    const exit = work({ slice: { index: 1, count: 2 } });
    exit.catch(() => undefined);
    await turnUntil(() => led.slices[1]?.record?.phase === 'ready');
    const { clock } = led.slices[1]!.record!;
    // Both clocks are of this machine.
    expect(Math.abs(clock!.offset)).toBeLessThanOrEqual(clock!.uncertainty);
    led.begin(steadyNow() - 1000);
    await turnUntil(() => led.slices[1]?.record?.phase === 'failed');
    await expect(exit).rejects.toThrow(
      /^the common start: this machine was not ready at .*Z, but .+ late; nothing was sent. Its machine may be too busy$/,
    );
    expect(led.slices[1]!.record!.message).toMatch(/^the common start: /);
    expect(said[0]).toBe('This worker has slice 1/2 of shared.');
    expect(asked.filter((url) => url !== '/v1/models')).toEqual([]);
  });

  it('reports to the coordinator that it could not begin, and why', async () => {
    const { led, turnUntil, work } = await coordinated('http://127.0.0.1:1/v1');
    const exit = work();
    await expect(exit).rejects.toThrow('127.0.0.1:1');
    await turnUntil(() => led.slices[0]?.record?.phase === 'failed');
    expect(led.slices[0]!.record!.message).toContain('127.0.0.1:1');
  });

  it('sends nothing without a coordinator, or with one of another version', async () => {
    const { work, rendezvous, said, stop } = await opened();
    await expect(work()).rejects.toThrow(
      `no coordinator came to ${rendezvous.name} within 0 s: start weir coordinate`,
    );
    expect(said).toEqual([`Waiting for weir coordinate at ${rendezvous.name}.`]);
    await rendezvous.put(runKey, JSON.stringify(sampleRun({ weir: '0.0.1' })));
    await expect(work()).rejects.toThrow('the coordinator is Weir 0.0.1, and this worker is ');
    await expect(work({ rendezvous: 'http://h/' })).rejects.toThrow('expected nats://HOST:4222');
    // Nothing is handed over, so a signal is the terminal's again.
    stop('SIGINT');
    expect(said).not.toContain('the result is being handed over');
  });

  it('takes no slice that another has', async () => {
    const { work, rendezvous } = await coordinated('http://127.0.0.1:1/v1');
    await rendezvous.create(keysOf('r').claim(1), '{}');
    await expect(work({ slice: { index: 1, count: 2 } })).rejects.toThrow('slice 1/2 is taken');
    await expect(work({ slice: { index: 0, count: 3 } })).rejects.toThrow(
      '--slice: the coordinator divides the load into 2 slices, and this worker is 0 of 3',
    );
  });
});

/** Ends a slice whose result the coordinator takes, or not. */
const ended = async ({
  isTaken = true,
  isRunOver = false,
  isKept = false,
  changes = {},
  exit = 'pass',
}: {
  readonly isTaken?: boolean;
  readonly isRunOver?: boolean;
  readonly isKept?: boolean;
  readonly changes?: Partial<Result>;
  readonly exit?: FinishedRun['exit'];
} = {}) => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-work-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const { rendezvous } = memoryRendezvous();
  const { host, said, warned } = fakeHost();
  const updates: object[] = [];
  const follow = {
    isRunOver: () => isRunOver,
    send: (change: object) => updates.push(change),
    ended: Promise.resolve(isTaken),
  } as unknown as Parameters<typeof endSlice>[1]['follow'];
  const result = healthyResult(changes);
  const out = join(folder, 'out');
  const code = await endSlice(
    rendezvous,
    { run: sampleRun(), slice: { index: 1, count: 2 }, follow },
    { finished: { result, exit } as FinishedRun, clock: { offset: 2, uncertainty: 1 } },
    isKept || !isTaken ? out : undefined,
    host.printer,
  );
  const kept = join(out, 'result.json');
  return { code, updates, said, warned, result, rendezvous, out, kept };
};

describe('a slice that has run', () => {
  it('is handed over with its digest, and is complete', async () => {
    const { code, updates, said, warned, result, rendezvous, out } = await ended();
    expect([code, warned]).toEqual(['pass', []]);
    expect(said).toEqual(['Slice 1/2 is complete; the coordinator has its result.']);
    expect(updates).toEqual([
      {
        phase: 'ended',
        clock: { offset: 2, uncertainty: 1 },
        result: { digest: expect.stringMatching(/^[\da-f]{64}$/) as string, isWhole: true },
      },
    ]);
    const content = await rendezvous.load(keysOf('r').result(1), '');
    expect(JSON.parse(Buffer.from(content).toString())).toEqual(JSON.parse(JSON.stringify(result)));
    await expect(readdir(out)).rejects.toThrow('ENOENT');
  });

  it('is kept in a folder too, if that is asked', async () => {
    const { code, said, kept } = await ended({ isKept: true });
    expect(code).toBe('pass');
    expect(said).toEqual([
      `Result: ${kept}`,
      'Slice 1/2 is complete; the coordinator has its result.',
    ]);
    expect(JSON.parse(await readFile(kept, 'utf8'))).toMatchObject({ runId: 'run' });
  });

  it('is kept if the coordinator does not take it, or is gone', async () => {
    for (const isRunOver of [false, true]) {
      const { code, said, warned, updates, kept } = await ended({ isTaken: false, isRunOver });
      expect([code, said, updates.length]).toEqual(['incomplete', [], isRunOver ? 0 : 1]);
      expect(warned).toEqual([
        `Slice 1/2: the coordinator did not take the result. It is in ${kept}; \`weir merge\` joins it with those of the other slices.`,
      ]);
      expect(await readdir(dirname(kept))).toEqual(['result.json']);
    }
  });

  it('that ended early is not whole, and has the exit of its stop', async () => {
    const changes = { partial: 'stopped by SIGINT before the load had ended' };
    const { code, said, warned, updates } = await ended({ changes, exit: 'interrupted' });
    expect([code, said]).toEqual(['interrupted', []]);
    expect(warned).toEqual(['Slice 1/2: stopped by SIGINT before the load had ended.']);
    expect(updates).toMatchObject([{ result: { isWhole: false } }]);
    expect((await ended({ changes, exit: 'objective' })).code).toBe('incomplete');
    expect((await ended({ exit: 'objective' })).code).toBe('pass');
  });
});

it('two sources of stops are heard as one, which counts them all, until it is released', () => {
  const [a, b] = [fakeHost(), fakeHost()];
  const heard: (readonly [StopCause, number])[] = [];
  const release = eitherStop(
    a.host.onStop,
    b.host.onStop,
  )((cause, times) => heard.push([cause, times]));
  a.stop('SIGINT');
  b.stop('the coordinator');
  b.stop('the coordinator');
  a.stop('SIGTERM');
  release();
  a.stop('SIGINT');
  b.stop('SIGINT');
  expect(heard).toEqual([
    ['SIGINT', 1],
    ['the coordinator', 2],
    ['the coordinator', 3],
    ['SIGTERM', 4],
  ]);
});
