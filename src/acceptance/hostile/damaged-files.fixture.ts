import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { expect } from 'vitest';
import { z } from 'zod';
import { startProgram, tempFolder, weirProcess } from '../harness/weir-process.fixture.ts';

const reader = fileURLToPath(new URL('read-damaged.fixture.ts', import.meta.url));

/** The most that a damaged file may cost: in ms for one command, and in bytes for the whole process. */
const limits = { took: 5000, memory: 512 * 1024 * 1024 };

const lineSchema = z.union([
  z.object({ n: z.number(), command: z.string(), outcome: z.string(), took: z.number() }),
  z.object({ peak: z.number() }),
]);

/** A result of every kind of traffic. */
export const soundResult = async (): Promise<string> => {
  const out = join(await tempFolder(), 'sound');
  await weirProcess([
    'run',
    'scenarios/quickstart.yaml',
    '--set',
    'load.duration=5s',
    '--out',
    out,
  ]);
  return join(out, 'result.json');
};

/**
 * Feeds damaged copies number `first` up to `last` to every command that reads results; each ends with a report or
 * a sentence, in time and within its memory. Returns how many copies still gave a report.
 */
export const expectSentences = async (
  source: string,
  first: number,
  last: number,
): Promise<number> => {
  const words = [process.execPath, reader, source, String(first), String(last)] as const;
  const { stdout, stderr, code } = await startProgram(words, { PATH: process.env['PATH'] }).ended;
  expect([code, stderr]).toEqual([0, '']);
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => lineSchema.parse(JSON.parse(line)));
  const readings = lines.flatMap((line) => ('n' in line ? line : []));
  expect(readings).toHaveLength(4 * (last - first));
  for (const reading of readings) {
    expect(reading.outcome, JSON.stringify(reading)).toMatch(/^(?:report|sentence)$/);
    expect(reading.took, JSON.stringify(reading)).toBeLessThan(limits.took);
  }
  const peaks = lines.flatMap((line) => ('peak' in line ? line.peak : []));
  expect(peaks).toHaveLength(1);
  expect(peaks[0]).toBeLessThan(limits.memory);
  return readings.filter(({ command, outcome }) => command === 'report' && outcome === 'report')
    .length;
};
