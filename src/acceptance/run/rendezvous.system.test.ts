import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import {
  completedBy,
  endedWithin,
  growthOf,
  joinedIn,
  silence,
  startRendezvousRun,
  testKeyOfWorkers,
  zerosOf,
} from '../harness/rendezvous-run.fixture.ts';
import { rendezvousRunSuite } from '../harness/rendezvous-run-suite.fixture.ts';
import { exitOf } from '../harness/run-files.fixture.ts';
import { startNatsServer } from '../../platform/rendezvous/nats-server.fixture.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import { cleanUpAfterEach } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

rendezvousRunSuite('NATS', async () => (await startNatsServer()).url);

describe('a NATS server', () => {
  it('that is killed and started again in the middle of a load costs nothing', async () => {
    const server = await startNatsServer();
    const run = await startRendezvousRun(server.url, {
      slices: 2,
      seconds: 12,
      // As by default; the others are short for the sake of the tests.
      silence: 10_000,
    });
    const workers = [0, 1].map(() => run.worker());
    await run.loadBegun();
    await server.stop('SIGKILL');
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await server.start();
    const { code, stderr } = await run.coordinator.ended;
    const ended = await Promise.all(workers.map((worker) => worker.ended));
    expect(ended.map((each) => each.code)).toEqual([0, 0]);
    const { result, completed } = await joinedIn(run.out);
    expect({ code, partial: result.partial, stderr }).toEqual({
      code: exitOf(result, 0),
      partial: null,
      stderr: expect.not.stringContaining('lost'),
    });
    expect(completed).toBe(720);
    expect(await completedBy(run.mock)).toBe(720);
  }, 90_000);

  it('that starts after coordinator and workers is waited for', async () => {
    const server = await startNatsServer();
    await server.stop();
    const run = await startRendezvousRun(server.url, { slices: 1, seconds: 2 });
    const worker = run.worker();
    await Promise.all(
      [run.coordinator, worker].map((each) => each.waitForOutput('Trying again each second')),
    );
    await server.start();
    expect((await worker.ended).code).toBe(0);
    await run.coordinator.ended;
    expect(await completedBy(run.mock)).toBe(120);
    const patient = await weir(['worker', '--rendezvous', 'nats://127.0.0.1:1', '--wait', '1s']);
    expect(patient).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('cannot be reached'),
    });
  }, 60_000);

  it('that stays away ends the run: nobody sends on his own', async () => {
    const server = await startNatsServer();
    const run = await startRendezvousRun(server.url, { slices: 2, seconds: 60 });
    const workers = [0, 1].map(() => run.worker());
    await run.loadBegun();
    await server.stop();
    await new Promise((resolve) => setTimeout(resolve, silence + 3500));
    expect(await growthOf(run.mock, 1500)).toBe(0);
    const ended = await Promise.all(workers.map((worker) => endedWithin(worker, 40_000)));
    expect(ended.map((each) => each?.code)).toEqual([3, 3]);
    expect(await endedWithin(run.coordinator, 20_000)).toMatchObject({ code: 3 });
  }, 120_000);

  it('keeps no key on its disk', async () => {
    const server = await startNatsServer();
    const run = await startRendezvousRun(server.url, { slices: 1, seconds: 3 });
    const worker = run.worker();
    await run.loadBegun();
    const found = (text: string): number =>
      spawnSync('grep', ['-raqF', '--', text, server.folder]).status ?? 2;
    expect(found('${env:WEIR_API_KEY}')).toBe(0);
    await worker.ended;
    await run.coordinator.ended;
    expect(found(testKeyOfWorkers)).toBe(1);
  }, 60_000);
});

/** The environment of a process whose wall clock is ahead by `ms`. */
const skewedBy = (ms: number, library: string): Readonly<Record<string, string>> =>
  ms === 0
    ? {}
    : {
        LD_PRELOAD: library,
        FAKETIME: `${ms > 0 ? '+' : ''}${ms / 1000}s`,
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
      };

describe('workers whose clocks are wrong by a second and a half', () => {
  it('begin together all the same, and their offsets are reported', async () => {
    const library = spawnSync('sh', ['-c', 'ls /usr/lib/*/faketime/libfaketime.so.1'], {
      encoding: 'utf8',
    }).stdout.trim();
    expect(library).not.toBe('');
    const run = await startRendezvousRun((await startNatsServer()).url);
    const skews = { a: 0, b: 1500, c: -1500 };
    const names = Object.keys(skews) as (keyof typeof skews)[];
    const workers = names.map((name, n) =>
      run.worker(
        ['--slice', `${n}/3`, '--observations', run.observationsOf(name)],
        skewedBy(skews[name], library),
      ),
    );
    const { code } = await run.coordinator.ended;
    await Promise.all(workers.map((worker) => worker.ended));
    const { result, completed } = await joinedIn(run.out);
    expect(code).toBe(exitOf(result, 0));
    expect(completed).toBe(240);
    for (const [n, name] of names.entries()) {
      const { offset, uncertainty } = result.slices[n]!.clockOffset!;
      expect(Math.abs(offset - skews[name])).toBeLessThanOrEqual(uncertainty + 2);
    }
    const zeros = await zerosOf(names.map(run.observationsOf));
    const apart = Math.max(...zeros) - Math.min(...zeros);
    console.log(`clocks that are wrong: starts ${apart.toFixed(2)} ms apart`);
    expect(apart).toBeLessThanOrEqual(5);
    expect(new Set(result.slices.map(({ startedAt }) => startedAt)).size).toBe(1);
  }, 90_000);
});
