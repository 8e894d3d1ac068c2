import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { calibrationSchema } from '../../model/series/calibration.ts';
import { thisMachine, weirVersion } from '../../platform/host/machine.ts';
import { sampleCalibration } from '../../report/calibration/sample-calibration.fixture.ts';
import { tempFolder, cleanUpAfterEach, weir } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

const run = ['run', '--target', 'mock', '--kind', 'chat-stream', '--model', 'weir/small'];
const load = ['--rate', '5/s', '--duration', '1s', '--json'];

it('a machine’s own error is measured against the gateway’s log, and kept where the generator was fit', async () => {
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
  const isFit = calibration.cells.some(({ trust }) => trust !== 'invalid');
  expect(code, stderr).toBe(isFit ? 0 : 12);
  const read = (name: string) => readFile(join(folder, name), 'utf8').catch(() => null);
  const kept = await read('calibration.json');
  expect(kept === null ? null : JSON.parse(kept)).toEqual(isFit ? calibration : null);
  expect((await read('calibration.html'))?.includes('<svg') ?? false).toBe(isFit);
});

it('a run quotes the calibration of its machine, and says that it is stale where Node has changed', async () => {
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
