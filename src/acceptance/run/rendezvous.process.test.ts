import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  completedBy,
  growthOf,
  joinedIn,
  killNow,
  startRendezvousRun,
  testKeyOfWorkers,
} from '../harness/rendezvous-run.fixture.ts';
import { rendezvousRunSuite } from '../harness/rendezvous-run-suite.fixture.ts';
import { exitOf } from '../harness/run-files.fixture.ts';
import { cleanUpAfterEach, tempFolder } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

const newFolder = async (): Promise<string> => pathToFileURL(await tempFolder()).href;

rendezvousRunSuite('a folder', newFolder);

/** All that is in a rendezvous, names and contents. */
const contentOf = async (address: string): Promise<string> => {
  const folder = fileURLToPath(address);
  const names = await readdir(folder);
  const texts = names.map((name) => readFile(join(folder, name), 'utf8').catch(() => ''));
  return [...names, ...(await Promise.all(texts))].join('\n');
};

describe('a worker', () => {
  it('without a slice sends nothing, and no key is ever in the rendezvous', async () => {
    const run = await startRendezvousRun(await newFolder(), { slices: 2, seconds: 3 });
    const first = run.worker(['--slice', '1/2']);
    await first.waitForOutput('This worker has slice 1/2');
    const second = await run.worker(['--slice', '1/2']).ended;
    expect(second).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/slice 1\/2 is taken: this worker sends nothing/),
    });
    const ofThree = await run.worker(['--slice', '0/3']).ended;
    expect(ofThree.stderr).toContain('into 2 slices, and this worker is 0 of 3');
    const other = run.worker([], { JOB_COMPLETION_INDEX: '7' });
    await other.waitForOutput('This worker has slice 0/2');
    const third = await run.worker().ended;
    expect(third.stderr).toContain('all 2 slices are taken');
    await run.loadBegun();
    const content = await contentOf(run.address);
    // The plan and the records are there, so the search can find something.
    expect(content).toContain('${env:WEIR_API_KEY}');
    expect(content).toContain('"phase":"running"');
    expect(content).not.toContain(testKeyOfWorkers);
    const { code } = await run.coordinator.ended;
    await Promise.all([first.ended, other.ended]);
    const { result, completed } = await joinedIn(run.out);
    expect(code).toBe(exitOf(result, 0));
    expect(completed).toBe(180);
    expect(await completedBy(run.mock)).toBe(180);
    expect(await contentOf(run.address)).toBe('');
  }, 90_000);

  it('refuses a plan that was changed on its way, and another version', async () => {
    const run = await startRendezvousRun(await newFolder(), { slices: 1 });
    await run.coordinator.waitForOutput('Waiting for 1 worker');
    const folder = fileURLToPath(run.address);
    const names = await readdir(folder);
    const plan = join(
      folder,
      names.find((name) => name.endsWith('.plan'))!,
    );
    const text = await readFile(plan, 'utf8');
    await writeFile(plan, text.replace('"from":60', '"from":61'));
    const { code, stderr } = await run.worker().ended;
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/\.plan in the rendezvous .* was changed/),
    });
    await writeFile(plan, text);
    const record = join(
      folder,
      names.find((name) => name.endsWith('record-run'))!,
    );
    const own = await readFile(record, 'utf8');
    await writeFile(record, own.replace(/"weir":"[^"]+"/, '"weir":"0.0.9"'));
    const older = await run.worker().ended;
    expect(older).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/the coordinator is Weir 0\.0\.9, and this worker is /),
    });
    run.coordinator.child.kill('SIGINT');
    expect(await run.coordinator.ended).toMatchObject({
      code: 130,
      stderr: expect.stringContaining('before the load began'),
    });
    expect(await completedBy(run.mock)).toBe(0);
  }, 60_000);

  it('that cannot begin ends the run before its load', async () => {
    const run = await startRendezvousRun(await newFolder(), { slices: 2 });
    const good = run.worker();
    await good.waitForOutput('This worker has slice');
    const bad = await run.worker([], { WEIR_API_KEY: '' }).ended;
    expect(bad).toMatchObject({ code: 2, stderr: expect.stringContaining('is not set') });
    expect(await run.coordinator.ended).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /slice 1\/2 could not begin on .*WEIR_API_KEY .*Nothing was sent/,
      ),
    });
    expect(await good.ended).toMatchObject({ code: 3 });
    expect(await completedBy(run.mock)).toBe(0);
  }, 60_000);
});

describe('a coordinator', () => {
  it('that is stopped stops all, and reports what was measured', async () => {
    const run = await startRendezvousRun(await newFolder(), { slices: 2, seconds: 60 });
    const workers = [0, 1].map(() => run.worker());
    await run.loadBegun();
    run.coordinator.child.kill('SIGINT');
    const { code, stdout } = await run.coordinator.ended;
    expect({ code, stdout }).toEqual({ code: 130, stdout: expect.stringContaining('models') });
    expect(await growthOf(run.mock, 1000)).toBe(0);
    const ended = await Promise.all(workers.map((worker) => worker.ended));
    expect(ended.map((each) => each.code)).toEqual([3, 3]);
    const { result, completed } = await joinedIn(run.out);
    expect(result.partial).toContain('stopped by the coordinator');
    expect(completed).toBe(await completedBy(run.mock));
  }, 90_000);

  it('shows the progress of all slices on its live page, whose button stops all', async () => {
    const run = await startRendezvousRun(await newFolder(), {
      slices: 2,
      seconds: 60,
      options: ['--live'],
    });
    let printed = '';
    run.coordinator.child.stderr?.on('data', (text: string) => {
      printed += text;
    });
    const workers = [0, 1].map(() => run.worker());
    await run.loadBegun();
    const address = /Live page: (\S+)/.exec(printed)?.[1] ?? '';
    const dueOn = async (): Promise<number> => {
      const page = await (await fetch(address)).text();
      return Number(/([\d,]+) requests? due/.exec(page)?.[1]?.replaceAll(',', '') ?? 0);
    };
    while ((await dueOn()) < 180) await new Promise((resolve) => setTimeout(resolve, 100));
    const { origin } = new URL(address);
    await fetch(`${address}stop`, { method: 'POST', headers: { origin } });
    const { code } = await run.coordinator.ended;
    expect(code).toBe(130);
    await Promise.all(workers.map((worker) => worker.ended));
    const { result, completed } = await joinedIn(run.out);
    expect(result.slices).toHaveLength(2);
    expect(completed).toBe(await completedBy(run.mock));
  }, 90_000);

  it('lets the others go on without a lost slice (--on-lost degrade), and says that it is incomplete', async () => {
    const run = await startRendezvousRun(await newFolder(), {
      slices: 2,
      seconds: 12,
      options: ['--on-lost', 'degrade'],
    });
    const workers = [0, 1].map((n) => run.worker(['--slice', `${n}/2`]));
    await run.loadBegun();
    await killNow(workers[0]!);
    const { code } = await run.coordinator.ended;
    expect(code).toBe(3);
    expect((await workers[1]!.ended).code).toBe(0);
    const { result, completed } = await joinedIn(run.out);
    expect(completed).toBe(360);
    expect(result.slices.map(({ index }) => index)).toEqual([1]);
    expect(result.partial).toMatch(/^slice 0\/2 was lost after/);
  }, 90_000);

  it('refuses a rendezvous in use, and clears one that a killed coordinator left', async () => {
    const address = await newFolder();
    const first = await startRendezvousRun(address, { slices: 1 });
    await first.coordinator.waitForOutput('Waiting for 1 worker');
    const second = await startRendezvousRun(address, { slices: 1 });
    expect(await second.coordinator.ended).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/the run shared is in progress at file:/),
    });
    await killNow(first.coordinator);
    const third = await startRendezvousRun(address, { slices: 1, seconds: 1 });
    await third.coordinator.waitForOutput('was abandoned, and is removed');
    await third.coordinator.waitForOutput('Waiting for 1 worker');
    expect((await third.worker().ended).code).toBe(0);
    await third.coordinator.ended;
    expect((await joinedIn(third.out)).completed).toBe(60);
  }, 90_000);
});
