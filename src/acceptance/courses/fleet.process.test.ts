import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { coordinate, work } from '../../library/library.ts';
import { sumOutcomes } from '../../model/measures/outcome-counts.ts';
import { resultIn } from '../harness/run-files.fixture.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import { gatewayForFile, inFolder, quickScenario, withKey } from './quick-scenario.fixture.ts';

const gateway = gatewayForFile();

// These tests run at the same time, so that none may clean up after another.
let home: string;
let folders = 0;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'weir-fleet-'));
});
afterAll(() => rm(home, { recursive: true, force: true }));
const tempFolder = async (): Promise<string> => {
  folders += 1;
  const folder = join(home, String(folders));
  await mkdir(folder);
  return folder;
};

/** A folder in which a run's parts meet. */
const meeting = async (): Promise<string> => {
  const folder = inFolder(await tempFolder())('meeting');
  await mkdir(folder);
  return folder;
};

const common = { environment: withKey, wait: 20_000 };
const scenario = (changes: object) => JSON.parse(quickScenario(changes));

describe('a coordinator and its workers, in one process', () => {
  it.concurrent('share a load, begin it together, and leave one report and an empty rendezvous', async () => {
    const folder = await meeting();
    const rendezvous = `file://${folder}`;
    const out = inFolder(await tempFolder())('out');
    const kept = inFolder(await tempFolder())('slice');
    const seconds: number[] = [];
    const [report, ...parts] = await Promise.all([
      coordinate(scenario({ load: { kind: 'constant', rate: '40/s', duration: '2500ms' } }), {
        ...common,
        rendezvous,
        slices: 2,
        target: gateway.url(),
        out,
        onProgress: ({ elapsed }) => seconds.push(elapsed),
      }),
      work({ ...common, rendezvous, slice: { index: 1, count: 2 }, out: kept }),
      work({ ...common, rendezvous, keyCheck: false }),
    ]);
    expect(parts).toEqual([
      { complete: true, warnings: [] },
      { complete: true, warnings: [] },
    ]);
    expect(report.result.partial).toBeNull();
    const result = await resultIn(out);
    expect(sumOutcomes(result.groups)).toMatchObject({ completed: 100, broken: 0, limited: 0 });
    expect(result.slices.map(({ index, count }) => `${index}/${count}`)).toEqual(['0/2', '1/2']);
    for (const slice of result.slices) {
      expect(slice.host).toBeTruthy();
      expect(slice.trust).toMatch(/^(valid|degraded|invalid)$/);
      // One machine has one clock; a busy one measures it badly.
      expect(Math.abs(slice.clockOffset!.offset)).toBeLessThan(2000);
    }
    const [first, second] = result.slices.map(({ startedAt }) => Date.parse(startedAt));
    expect(Math.abs(first! - second!)).toBeLessThan(2000);
    const ofSecond = await resultIn(kept);
    expect(ofSecond.slices).toMatchObject([{ index: 1, count: 2 }]);
    expect(sumOutcomes(ofSecond.groups).completed).toBe(50);
    expect(seconds.length).toBeGreaterThan(0);
    expect(
      (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) =>
        entry.isFile(),
      ),
    ).toEqual([]);
  });

  it.concurrent('end a run at once where a worker has no key, and no request is sent', async () => {
    const rendezvous = `file://${await meeting()}`;
    const out = inFolder(await tempFolder())('out');
    const [led, worked] = await Promise.allSettled([
      coordinate(scenario({}), { ...common, rendezvous, slices: 1, target: gateway.url(), out }),
      work({ ...common, rendezvous, environment: {} }),
    ]);
    expect(worked).toMatchObject({
      status: 'rejected',
      reason: { name: 'WeirError', message: expect.stringContaining('WEIR_API_KEY') },
    });
    expect(led).toMatchObject({
      status: 'rejected',
      reason: { name: 'WeirError', message: expect.stringContaining('WEIR_API_KEY') },
    });
    await expect(readdir(out)).rejects.toThrow('ENOENT');
  });

  it.concurrent('give up after their wait, each with a sentence', async () => {
    const rendezvous = `file://${await meeting()}`;
    const wait = 300;
    await expect(work({ ...common, rendezvous, wait })).rejects.toThrow(
      /no coordinator|nobody|300 ms/,
    );
    await expect(
      coordinate(scenario({}), { ...common, rendezvous, wait, slices: 2, target: gateway.url() }),
    ).rejects.toThrow(/worker/);
  });

  it.concurrent('stop by the caller’s signal, before anybody has come', async () => {
    const rendezvous = `file://${await meeting()}`;
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 100);
    const options = {
      ...common,
      rendezvous,
      slices: 2,
      target: gateway.url(),
      signal: controller.signal,
    };
    await expect(coordinate(scenario({}), options)).rejects.toThrow('stopped');
  });

  it.concurrent.each([
    [{ slices: 0 }, 'slices: expected a whole number from 1 on, got 0'],
    [{ slices: 1.5 }, 'got 1.5'],
    [{ slices: 2, silence: 1999 }, 'silence: expected at least 2000 ms, got 1999'],
    [{ slices: 2, rendezvous: 'http://a' }, 'rendezvous'],
  ])('refuse %j', async (more, message) => {
    const options = { ...common, rendezvous: 'file:///tmp', target: gateway.url(), ...more };
    await expect(coordinate(scenario({}), options)).rejects.toThrow(message);
  });
});

describe('stored slices', () => {
  it('of one run merge into one result, and a slice that is missing makes it incomplete', async () => {
    const file = inFolder(await tempFolder())('quick.yaml');
    const load = { kind: 'constant', rate: '40/s', duration: '500ms' };
    await writeFile(file, quickScenario({ load }));
    const files: string[] = [];
    for (const slice of ['0/2', '1/2']) {
      const out = inFolder(await tempFolder())('slice');
      const words = ['--slice', slice, '--out', out, '--run-id', 'both'];
      const ended = await gateway.weir('run', file, '--target', gateway.url(), ...words);
      // A slice is no whole run.
      expect(ended.code, ended.stderr).toBe(3);
      files.push(inFolder(out)('result.json'));
    }
    const out = inFolder(await tempFolder())('merged');
    const merged = await weir(['merge', ...files, '--out', out, '--json']);
    const result = await resultIn(out);
    expect(sumOutcomes(result.groups).completed).toBe(20);
    expect(result.slices.map(({ index }) => index)).toEqual([0, 1]);
    expect(JSON.parse(merged.stdout)).toMatchObject({ planHash: result.planHash, partial: null });
    const merge = async (...paths: readonly string[]) =>
      weir(['merge', ...paths, '--out', inFolder(await tempFolder())('out')]);
    const [one, twice, whole] = [
      await merge(files[0]!),
      await merge(files[0]!, files[0]!),
      await merge(inFolder(out)('result.json')),
    ];
    expect([one.code, one.stdout + one.stderr]).toEqual([3, expect.stringContaining('1/2')]);
    expect([twice.code, twice.stderr]).toEqual([2, expect.stringContaining('0/2')]);
    expect([whole.code, whole.stderr]).toEqual([
      2,
      expect.stringContaining('is a complete run: expected the results of slices'),
    ]);
  });
});
