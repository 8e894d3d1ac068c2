import { readFile, writeFile } from 'node:fs/promises';
import { deflateSync } from 'node:zlib';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Result } from '../../../model/result/result.ts';
import { weir } from '../../harness/weir-command.fixture.ts';
import { cleanUpAfterEach, tempFolder } from '../../harness/weir-process.fixture.ts';
import { expectSentences, formsIn, soundFiles, soundResult } from './damaged-files.fixture.ts';

cleanUpAfterEach();

const today = process.env['WEIR_SAMPLE'] ?? new Date().toISOString();
const day = Math.floor(Date.parse(today) / 86_400_000);

it(
  'a hundred damaged results, and some damaged files of every form by the day, give a report or a sentence each',
  { timeout: 300_000 },
  async () => {
    const sound = await soundFiles(true);
    const ofToday = formsIn(sound).filter((_, index) => (index + day) % 4 === 0);
    const [{ reports }] = await Promise.all([
      expectSentences(sound, ['result-quickstart'], [0, 100]),
      expectSentences(sound, ofToday, [2 * day, 2 * day + 2]),
    ]);
    expect(reports).toBeGreaterThan(20);
  },
);

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** A histogram whose payload decodes to 64 MiB. */
const bomb = (): string => {
  const payload = deflateSync(Buffer.alloc(64 * 1024 * 1024));
  const head = Buffer.alloc(8);
  head.writeInt32BE(0x1c849304);
  head.writeInt32BE(payload.length, 4);
  return Buffer.concat([head, payload]).toString('base64');
};

it.each<[string, (result: Mutable<Result>) => unknown]>([
  ['a run of 285,000 years', (result) => ({ ...result, scheduled: 2 ** 53 })],
  [
    'a second a billion seconds from the start',
    ({ timeline, ...rest }) => ({ ...rest, timeline: [{ ...timeline[0], second: 1e9 }] }),
  ],
  [
    'a hundred thousand groups',
    ({ groups, ...rest }) => ({
      ...rest,
      groups: Array.from({ length: 100_000 }, (_, n) => ({
        ...groups[0],
        labels: { ...groups[0]?.labels, key: `k${n}` },
      })),
    }),
  ],
  [
    'a histogram that grows when it is decoded',
    ({ groups, ...rest }) => ({
      ...rest,
      groups: groups.map((group) => ({
        ...group,
        distributions: {
          endToEnd: { digits: 3, count: 9, min: 1, max: 2, sum: 9, hdr: bomb() },
        },
      })),
    }),
  ],
])('%s is refused in a sentence', async (_, damage) => {
  const sound = JSON.parse(await readFile(await soundResult(), 'utf8')) as Result;
  const file = join(await tempFolder(), 'result.json');
  await writeFile(file, JSON.stringify(damage(sound)));
  const merged = await weir(['merge', file, file, '--out', join(file, '..', 'out')]);
  expect(merged.code).toBe(2);
  expect(merged.stderr).toContain('was written by another version of Weir or changed since');
});
