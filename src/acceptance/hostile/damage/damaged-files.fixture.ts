import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { expect } from 'vitest';
import { z } from 'zod';
import { startProgram, tempFolder, weirProcess } from '../../harness/weir-process.fixture.ts';
import { writeSoundFiles } from './sound-files.fixture.ts';
import { storedForms } from './stored-forms.fixture.ts';

const reader = fileURLToPath(new URL('read-damaged.fixture.ts', import.meta.url));

/** The most memory that the whole process may take that reads one damaged file after another, in bytes. */
const mostMemory = 512 * 1024 * 1024;

const lineSchema = z.union([
  z.object({
    form: z.string(),
    n: z.number(),
    command: z.string(),
    code: z.number(),
    faults: z.array(z.string()).default([]),
  }),
  z.object({ peak: z.number() }),
]);

/** A folder with sound files of every form; `isShort` as in `writeSoundFiles`. */
export const soundFiles = async (isShort: boolean): Promise<string> => {
  const sound = join(await tempFolder(), 'sound');
  await writeSoundFiles(sound, isShort);
  return sound;
};

/** A result of every kind of traffic. */
export const soundResult = async (): Promise<string> => {
  const out = join(await tempFolder(), 'sound');
  const load = ['--set', 'load.duration=5s'];
  await weirProcess(['run', 'scenarios/quickstart.yaml', ...load, '--out', out]);
  return join(out, 'result.json');
};

/** The forms of which a folder has sound files. */
export const formsIn = (sound: string): readonly string[] =>
  storedForms.map(({ name }) => name).filter((name) => existsSync(join(sound, name)));

export interface DamagedReadings {
  readonly files: number;
  readonly readings: number;
  /** How many readings ended with a report, and how many with a sentence. */
  readonly reports: number;
  readonly sentences: number;
}

/**
 * Passes damaged copies number `first` up to `last` of each form through every verb that reads it. Each ends with a
 * report or a sentence, in time and within its memory.
 */
export const expectSentences = async (
  sound: string,
  names: readonly string[],
  [first, last]: readonly [number, number],
): Promise<DamagedReadings> => {
  const work = join(await tempFolder(), 'work');
  const words = [reader, sound, names.join('\n'), String(first), String(last), work];
  const flags = ['--expose-gc', '--no-warnings'];
  const program = [process.execPath, ...flags, ...words] as const;
  const { stdout, stderr, code } = await startProgram(program, { PATH: process.env['PATH'] }).ended;
  const at = await readFile(join(work, 'at'), 'utf8').catch(() => 'the start');
  expect([code, stderr], `ended at ${at}`).toEqual([0, '']);
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => lineSchema.parse(JSON.parse(line)));
  const readings = lines.flatMap((line) => ('n' in line && line.n >= 0 ? line : []));
  expect(new Set(readings.map(({ form }) => form))).toEqual(new Set(names));
  expect(readings.filter(({ faults }) => faults.length > 0)).toEqual([]);
  const peaks = lines.flatMap((line) => ('peak' in line ? line.peak : []));
  expect(peaks).toHaveLength(1);
  expect(peaks[0]).toBeLessThan(mostMemory);
  return {
    files: names.length * (last - first),
    readings: readings.length,
    reports: readings.filter((each) => each.code !== 2).length,
    sentences: readings.filter((each) => each.code === 2).length,
  };
};
