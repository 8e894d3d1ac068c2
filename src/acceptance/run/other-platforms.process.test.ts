import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { resultIn } from '../harness/run-files.fixture.ts';
import {
  cleanUpAfterEach,
  launcher,
  startProgram,
  tempFolder,
  weirEnvironment,
} from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

const load = '--target mock --model weir/small --rate 10/s --duration 2s --max-tokens 4'.split(' ');

/** A healthy run, or one whose load a busy machine disturbed. */
const ran = expect.toBeOneOf([0, 12]) as number;

describe.each(['darwin', 'win32'])('a machine that calls itself %s', (platform) => {
  const override = `Object.defineProperty(process,'platform',{value:'${platform}'})`;
  // There is neither taskset nor any other program.
  const environment = weirEnvironment({
    NODE_OPTIONS: `--import=data:text/javascript,${override}`,
    PATH: '/nonexistent',
    // Where Windows has its temporary files; without it, they would be below the working folder.
    TEMP: tmpdir(),
  });

  it('runs a load and writes its report', async () => {
    const out = join(await tempFolder(), 'out');
    const words = [launcher, 'run', ...load, '--out', out] as const;
    const { code, stderr } = await startProgram([process.execPath, ...words], environment).ended;
    expect([code, stderr]).toEqual([ran, expect.not.stringContaining('a bug in Weir')]);
    const { slices } = await resultIn(out);
    expect(slices[0]?.machine.platform).toMatch(new RegExp(`^${platform} `));
  });

  it('is examined by weir doctor', async () => {
    const words = [launcher, 'doctor', '--target', 'mock'] as const;
    const { code, stdout } = await startProgram([process.execPath, ...words], environment).ended;
    expect(code).toEqual(ran);
    expect(stdout).toContain('not possible here');
  });
});

const hidden = 'mount -t tmpfs none /proc && mount -t tmpfs none /sys';
const canHide = spawnSync('unshare', ['-rm', 'sh', '-c', hidden]).status === 0;

// Some containers let nobody make a namespace.
describe.skipIf(!canHide)('a system without /proc, /sys and programs', () => {
  /** Starts Weir in a new namespace, in which `/proc`, `/sys` and all programs are hidden. */
  const startHidden = (words: readonly string[]) => {
    const command = `${hidden} && PATH=/nonexistent exec "$@"`;
    return startProgram(
      ['unshare', '-rm', 'sh', '-c', command, 'sh', process.execPath, launcher, ...words],
      weirEnvironment(),
    ).ended;
  };

  it('runs a load, without the signals that it cannot measure', async () => {
    const out = join(await tempFolder(), 'out');
    const { code, stderr } = await startHidden(['run', ...load, '--out', out]);
    expect([code, stderr]).toEqual([ran, expect.not.stringContaining('a bug in Weir')]);
    const { slices, summary } = await resultIn(out);
    const samples = slices.flatMap(({ generator }) => generator);
    expect(samples.length).toBeGreaterThan(1);
    for (const { cpuWait, throttled, memory } of samples)
      expect([cpuWait, throttled, memory]).toEqual([null, null, null]);
    expect(summary).toBeDefined();
  });

  it('makes weir doctor list the missing signals', async () => {
    const { code, stdout } = await startHidden(['doctor']);
    expect(code).toEqual(ran);
    expect(stdout).toContain('without CPU wait, CPU throttling, memory');
    expect(stdout).toContain('this system names no range');
  });
});
