import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { calibrationSchema } from '../../model/series/calibration.ts';
import { thisMachine, weirVersion } from '../../platform/host/machine.ts';
import { sampleCalibration } from '../../verbs/calibrate/report/sample-calibration.fixture.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import { tempFolder, cleanUpAfterEach } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

const run = ['run', '--target', 'mock', '--kind', 'chat-stream', '--model', 'weir/small'];
const load = ['--rate', '5/s', '--duration', '1s', '--json'];

it('weir calibrate measures this machine’s error against the gateway’s log, and keeps it if the load generator was healthy', async (context) => {
  const folder = await tempFolder();
  const environment = { WEIR_HISTORY: join(folder, 'history.db') };
  const small = ['--streams', '20', '--rate', '50'];
  const { code, stdout, stderr } = await weir(['calibrate', ...small, '--json'], environment);
  const calibration = calibrationSchema.parse(JSON.parse(stdout));
  expect(calibration.cells.map(({ transport }) => transport)).toEqual(['undici', 'socket']);
  for (const { answers, errors } of calibration.cells) {
    // At least one of each stream, however slow the machine.
    expect(answers).toBeGreaterThanOrEqual(20);
    expect(errors.gap.n).toBe(answers * 59);
    // An answer is read after it was sent, and the median one soon after, on however busy a machine.
    expect(errors.ttft.p50).toBeGreaterThan(0);
    expect(errors.ttft.p50).toBeLessThan(50);
    expect(errors.ttft.p50).toBeLessThanOrEqual(errors.ttft.p99);
  }
  if (calibration.cells.every(({ trust }) => trust === 'invalid')) {
    expect(code, stderr).toBe(12);
    expect(await readdir(folder)).toEqual([]);
    context.skip('the machine was too busy for the load generator in every cell');
  }
  expect(code, stderr).toBe(0);
  const kept: unknown = JSON.parse(await readFile(join(folder, 'calibration.json'), 'utf8'));
  expect(kept).toEqual(calibration);
  expect(await readFile(join(folder, 'calibration.html'), 'utf8')).toContain('<svg');
});

it('a run quotes the calibration of its machine, and says that it is stale after a change of Node', async () => {
  const folder = await tempFolder();
  const machine = { ...thisMachine(), node: 'v1.2.3' };
  const calibration = sampleCalibration({ machine, weir: weirVersion() });
  await writeFile(join(folder, 'calibration.json'), JSON.stringify(calibration));
  const words = [...run, ...load, '--out', join(folder, 'run')];
  const { stdout } = await weir(words, { WEIR_HISTORY: join(folder, 'history.db') });
  const { notes } = JSON.parse(stdout) as { notes: readonly string[] };
  expect(notes).toContain(
    `This machine’s error at this load (up to 500 streams × 20 tokens/s, socket): TTFT ±0.40 ms, chunk gap ±0.52 ms, end-to-end ±0.44 ms (p99), calibrated 2026-11-21. This is stale (Node v1.2.3, now ${process.version}): run weir calibrate again.`,
  );
});
