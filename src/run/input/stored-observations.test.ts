import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { instant } from '../../model/quantity.ts';
import { observationLine, observationsHeader } from '../../record/observation-lines.ts';
import { sampleFacts } from '../../record/sample-facts.fixture.ts';
import { answeredChat } from '../../record/sample-observations.fixture.ts';
import { addRows, headerOf } from './stored-observations.ts';

const home = mkdtempSync(join(tmpdir(), 'weir-observations-'));
afterAll(() => rmSync(home, { recursive: true }));

const { weir, runId, planHash, slices, startedAt } = {
  ...sampleFacts([{ index: 0, count: 1 }]),
  startedAt: '2026-07-01T10:20:30.000Z',
};
const header = observationsHeader({ weir, runId, planHash, startedAt, machineZero: instant(0) });
const [one, two] = [
  observationLine(answeredChat(3000, 200)),
  observationLine(answeredChat(4000, 250)),
];

const written = (...lines: readonly string[]): string => {
  const path = join(home, 'observations.jsonl');
  writeFileSync(path, lines.join('\n'));
  return path;
};

const rowsOf = async (...lines: readonly string[]) => {
  const dues: number[] = [];
  let isTorn = false;
  await addRows(
    written(...lines),
    ({ due }) => void dues.push(due),
    () => {
      isTorn = true;
    },
  );
  return { dues, isTorn };
};

it('each line after the header is an observation, and one that is torn may be the last', async () => {
  expect(await rowsOf(header)).toEqual({ dues: [], isTorn: false });
  expect(await rowsOf(header, one, two, '')).toEqual({ dues: [3000, 4000], isTorn: false });
  expect(await rowsOf(header, one, two.slice(0, 40))).toEqual({ dues: [3000], isTorn: true });
});

it.each([
  [2, [header, 'torn', one]],
  [3, [header, one, 'torn', two, one]],
  [4, [header, one, two, 'torn', one]],
])('line %d is named if it is torn and others follow', async (number, lines) => {
  await expect(rowsOf(...lines)).rejects.toThrow(`observations.jsonl, line ${number}: Expected`);
});

it('a header belongs to the result whose plan and start it has', async () => {
  const result = {
    planHash,
    startedAt,
    slices: slices.map((slice) => ({ ...slice, startedAt })),
  } as unknown as Parameters<typeof headerOf>[1];
  await expect(headerOf(written(header, one), result)).resolves.toMatchObject({ runId, startedAt });
  for (const other of [
    { ...result, planHash: 'other' },
    { ...result, slices: [] },
  ])
    await expect(headerOf(written(header), other)).rejects.toThrow(
      `has the observations of another run, which began at ${startedAt}`,
    );
  await expect(headerOf(written(), result)).rejects.toThrow('is empty: expected the observations');
  await expect(headerOf(written(one), result)).rejects.toThrow('line 1: Expected the header');
  await expect(headerOf(join(home, 'none'), result)).rejects.toThrow(
    'cannot be read: there is no such file',
  );
});
