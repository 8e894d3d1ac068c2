import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { healthyResult } from '../../judge/sample-result.fixture.ts';
import { createIncrementalTally } from '../../record/incremental-tally.ts';
import { sampleFacts } from '../../record/sample-facts.fixture.ts';
import { sampleObservation } from '../../record/sample-observations.fixture.ts';
import { emptyTally, recordObservation, toResult } from '../../record/tally.ts';
import { milliseconds } from '../../model/quantity.ts';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { checkpointFileName } from './report-paths.ts';
import { readResultFile, readStoredResult } from './read-result.ts';

const home = mkdtempSync(join(tmpdir(), 'weir-stored-'));
afterAll(() => rmSync(home, { recursive: true }));

const facts = sampleFacts([{ index: 0, count: 1 }]);

/** The result of a run that started at `startedAt`. */
const resultText = (startedAt: string): string => {
  const tally = emptyTally(samplePlan());
  recordObservation(tally, sampleObservation({ index: 0 }));
  const slices = facts.slices.map((slice) => ({ ...slice, startedAt }));
  const ending = {
    partial: null,
    notes: [],
    gatewayCounters: null,
    scheduled: milliseconds(10_000),
  };
  return JSON.stringify(toResult(tally, { ...facts, ...ending, slices }));
};

/** The checkpoint of a run that started at `startedAt` and was killed, after its first commit or before. */
const checkpointText = (startedAt: string, hasCommit = true): string => {
  const { weir, runId, planHash, plan } = facts;
  const { generator: _, ...slice } = { ...facts.slices[0]!, startedAt };
  const header = { format: 'checkpoint/1', weir, runId, planHash, plan, slice, notes: [] };
  const tally = createIncrementalTally(samplePlan());
  tally.record(sampleObservation({ index: 0 }));
  const parts = tally.flush();
  const lines: object[] = [header];
  let next = parts.next();
  for (; next.done !== true; next = parts.next()) lines.push({ slice: 0, ...next.value });
  const until = 5000;
  if (hasCommit)
    lines.push({ slice: 0, until, scheduled: until, ended: next.value, generator: [] });
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
};

const early = '2026-11-22T10:00:00.000Z';
const late = '2026-11-22T11:00:00.000Z';

it.each([
  { what: 'the result of the same run', result: early, checkpoint: early, file: 'result.json' },
  { what: 'the result of the later run', result: late, checkpoint: early, file: 'result.json' },
  { what: 'the later checkpoint', result: early, checkpoint: late, file: checkpointFileName },
])('a folder with a result and a checkpoint gives $what', async (each) => {
  writeFileSync(join(home, 'result.json'), resultText(each.result));
  writeFileSync(join(home, checkpointFileName), checkpointText(each.checkpoint));
  expect((await readStoredResult(home)).file).toBe(join(home, each.file));
});

it('the checkpoint of a run that saved nothing does not hide an earlier result', async () => {
  writeFileSync(join(home, 'result.json'), resultText(early));
  writeFileSync(join(home, checkpointFileName), checkpointText(late, false));
  expect((await readStoredResult(home)).file).toBe(join(home, 'result.json'));
});

it('a folder whose result is damaged gives its checkpoint, and says why if neither can be read', async () => {
  writeFileSync(join(home, 'result.json'), '{');
  writeFileSync(join(home, checkpointFileName), checkpointText(early));
  expect((await readStoredResult(home)).file).toBe(join(home, checkpointFileName));
  writeFileSync(join(home, checkpointFileName), '');
  await expect(readStoredResult(home)).rejects.toThrow('is not JSON');
});

it('a result of an earlier version, with `witness`, gives the same as one with `gatewayCounters`', async () => {
  const present = { ...JSON.parse(resultText(early)), gatewayCounters: { completed: 60 } };
  const { gatewayCounters: witness, ...others } = present;
  const [file, earlier] = [join(home, 'present.json'), join(home, 'earlier.json')];
  writeFileSync(file, JSON.stringify(present));
  writeFileSync(earlier, JSON.stringify({ ...others, witness }));
  const { result } = await readStoredResult(earlier);
  expect(result).toEqual((await readStoredResult(file)).result);
  expect(result.gatewayCounters).toEqual({ completed: 60 });
});

it.each([10_000, 1_000_000_000, Number.MAX_SAFE_INTEGER])(
  'a result of %i slices is refused, since none of them could be listed',
  async (count) => {
    const file = join(home, 'slices.json');
    const result = JSON.parse(resultText(early)) as { slices: { count: number }[] };
    writeFileSync(file, JSON.stringify({ ...result, slices: [{ ...result.slices[0], count }] }));
    await expect(readResultFile(file)).rejects.toThrow(/at slices\.0\.count: .*at most 9999/);
  },
);

it.each([
  [{ more: 1 }, 'a key that no result has'],
  [{ startedAt: 'yesterday' }, 'at startedAt: expected another form'],
  [{ runId: 7 }, 'at runId: expected text'],
])('a result with %j is refused in words of Weir', async (changes, message) => {
  const file = join(home, 'changed.json');
  writeFileSync(file, JSON.stringify({ ...JSON.parse(resultText(early)), ...changes }));
  await expect(readResultFile(file)).rejects.toThrow(message);
});

it('a result with thousands of levels, or text with them, is a sentence', async () => {
  const path = join(home, 'deep.json');
  const result = JSON.parse(resultText('2026-07-01T10:00:00.000Z')) as {
    plan: { stages: Record<string, unknown>[] };
  };
  const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
  const places: readonly ((value: object) => object)[] = [
    (value) => ({ ...result, plan: { ...result.plan, description: value } }),
    (value) => ({ ...result, notes: [value] }),
    (value) => ({ ...result, plan: { ...result.plan, stages: [value] } }),
  ];
  for (const place of places) {
    writeFileSync(path, JSON.stringify(place({ mark: 'here' })).replace('{"mark":"here"}', deep));
    await expect(readResultFile(path)).rejects.toThrow(
      /deep\.json (was written by another|is nested)/,
    );
  }
  const stages = result.plan.stages.map((stage) => ({
    ...stage,
    traffic: (stage['traffic'] as object[]).map((entry) => ({
      ...entry,
      body: { mark: 'here' },
      tools: [{ mark: 'here' }],
    })),
  }));
  const text = JSON.stringify({ ...result, plan: { ...result.plan, stages } });
  writeFileSync(path, text.replace('{"mark":"here"}', deep));
  await expect(readResultFile(path)).rejects.toThrow(
    /deep\.json (was written by another|is nested more deeply)/,
  );
});

it('a second that comes twice in a result is named before what it holds is decoded', async () => {
  const result = JSON.parse(resultText(early)) as object;
  const second = (number: number) => ({ second: number, latency: 'no histograms' });
  const path = join(home, 'twice.json');
  const read = (numbers: readonly number[]) => {
    writeFileSync(path, JSON.stringify({ ...result, timeline: numbers.map(second) }));
    return readResultFile(path);
  };
  for (const numbers of [
    [4, 4],
    [1, 3, 2],
  ])
    await expect(read(numbers)).rejects.toThrow(
      /twice\.json was written by .* at timeline: expected each second once, in order; /,
    );
  await expect(read([1, 2, 9])).rejects.toThrow(/at timeline\.0/);
});

it('a second of a load generator that comes twice is a sentence', async () => {
  const path = join(home, 'generator.json');
  const [slice] = healthyResult().slices;
  const [sample] = slice!.generator;
  const slices = [{ ...slice!, generator: [sample, sample] }];
  writeFileSync(path, JSON.stringify(healthyResult({ slices: slices as never })));
  await expect(readResultFile(path)).rejects.toThrow(
    'at slices.0.generator: expected each second once, in order',
  );
});

it.each([
  ['slices', 9999],
  ['notes', 10_000],
] as const)('a result with more %s than a run can have is a sentence', async (key, most) => {
  const result = JSON.parse(resultText(early)) as Record<'slices' | 'notes', readonly unknown[]>;
  const one = key === 'notes' ? 'a note' : result.slices[0];
  const many = { ...result, [key]: Array.from({ length: most + 1 }, () => one) };
  writeFileSync(join(home, 'many.json'), JSON.stringify(many));
  await expect(readResultFile(join(home, 'many.json'))).rejects.toThrow(
    `at ${key}: expected at most ${most} entries`,
  );
});

it('of a large file only the beginning is read if no object begins there', async () => {
  const path = join(home, 'large.json');
  const readLarge = (beginning: string) => {
    writeFileSync(path, beginning);
    truncateSync(path, 600 * 1024 ** 2);
    return readResultFile(path);
  };
  for (const beginning of ['[{"a": 1}]', ' "{', 'key: {', '\0'])
    await expect(readLarge(beginning)).rejects.toThrow('large.json is not JSON: expected a result');
  // It can be one, and is too large.
  await expect(readLarge(' \n{')).rejects.toThrow('it is larger than 511 MiB');
});

it('a result can begin with many blanks', async () => {
  const path = join(home, 'blanks.json');
  writeFileSync(path, `${'\n'.repeat(5000)}${resultText(early)}`);
  expect((await readResultFile(path)).startedAt).toBe(early);
});
