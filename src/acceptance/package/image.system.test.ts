import { chmod, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { sumOutcomes } from '../../model/measures/outcome-counts.ts';
import { exitOf, resultIn } from '../harness/run-files.fixture.ts';
import { builtWeirImage, runInCheckout } from '../harness/weir-image.fixture.ts';
import {
  cleanUpAfterEach,
  startProgram,
  type StartedProgram,
  tempFolder,
} from '../harness/weir-process.fixture.ts';

/** The image of Weir itself, built as `npm run image` builds it, and run as a careful user runs it. */

cleanUpAfterEach();
vi.setConfig({ testTimeout: 120_000, hookTimeout: 300_000 });

const { image } = await builtWeirImage();

/** A folder in which any user may write, as a mounted one is prepared. */
const openFolder = async (): Promise<string> => {
  const folder = await tempFolder();
  await chmod(folder, 0o777);
  return folder;
};

/** As a careful user runs it: nothing to write but the mounted folder, no network, no privileges. */
const confined = ['--read-only', '--user', '1000', '--cap-drop', 'ALL', '--network', 'none'];

const startConfined = (
  mounted: string,
  words: readonly string[],
  options: readonly string[] = [],
): StartedProgram => {
  const all = ['run', '--rm', ...confined, '--volume', `${mounted}:/work`, ...options, image];
  return startProgram(['docker', ...all, ...words], process.env);
};

describe('the image of Weir', () => {
  it('is at most 200 MB, belongs to nobody in particular and starts weir', async () => {
    const { stdout } = await runInCheckout('docker', 'image', 'inspect', image);
    const [inspected] = z
      .tuple([
        z.object({
          Size: z.number(),
          Config: z.object({
            User: z.string(),
            WorkingDir: z.string(),
            Entrypoint: z.array(z.string()),
          }),
        }),
      ])
      .parse(JSON.parse(stdout));
    console.log(`The image has ${(inspected.Size / 1e6).toFixed(0)} MB.`);
    expect(inspected.Size).toBeLessThan(200e6);
    expect(inspected.Config).toMatchObject({ User: '1000:1000', WorkingDir: '/work' });
    expect(inspected.Config.Entrypoint.at(-1)).toBe('/weir/src/cli/weir.js');
    const help = await runInCheckout('docker', 'run', '--rm', image, 'help', 'run');
    expect(help.stdout).toContain('weir run');
  });

  it('runs the quickstart without any right, and leaves its reports in the mounted folder', async () => {
    const mounted = await openFolder();
    const { code, stderr } = await startConfined(mounted, [
      'run',
      '/weir/scenarios/quickstart.yaml',
      '--out',
      'reports/first',
    ]).ended;
    const out = join(mounted, 'reports', 'first');
    const result = await resultIn(out);
    expect(code, stderr).toBe(exitOf(result, 0));
    expect(sumOutcomes(result.groups)).toMatchObject({ completed: 60, limited: 15 });
    expect(result.gatewayCounters).toMatchObject({ completed: 60, limited: 15 });
    expect((await readdir(out)).sort()).toEqual(['report.html', 'result.json']);
    expect((await stat(join(out, 'report.html'))).uid).toBe(1000);
  });

  it('has the optional packages for saturate and OTLP', async () => {
    const mounted = await openFolder();
    const shorter = ['--set', 'load.duration=2s'];
    const otlp = ['--otlp', 'http://127.0.0.1:9'];
    const words = ['run', '/weir/scenarios/saturate.yaml', '--out', 'out', ...shorter, ...otlp];
    const { stderr } = await startConfined(mounted, words).ended;
    expect(stderr).toContain('a push of live metrics to http://127.0.0.1:9/v1/metrics failed');
    const { completed } = sumOutcomes((await resultIn(join(mounted, 'out'))).groups);
    expect(completed).toBeGreaterThan(100);
  });

  it('writes its report when the engine stops it', async () => {
    const mounted = await openFolder();
    const name = `weir-test-${process.pid}`;
    const started = startConfined(
      mounted,
      ['run', '/weir/scenarios/quickstart.yaml', '--out', 'out'],
      ['--name', name],
    );
    await started.waitForOutput('Ctrl-C ends it early');
    await runInCheckout('docker', 'stop', '--time', '30', name);
    expect((await started.ended).code).toBe(143);
    expect((await readdir(join(mounted, 'out'))).sort()).toEqual(['report.html', 'result.json']);
  });

  it('says what to do where nothing is mounted', async () => {
    const all = ['run', '--rm', ...confined, image] as const;
    const { code, stderr } = await runInCheckout(
      'docker',
      ...all,
      'run',
      '/weir/scenarios/ci-gate.yaml',
    );
    expect(stderr).toMatch(/the file system is read-only. Give another with --out FOLDER/);
    expect(code).toBe(2);
  });
});
