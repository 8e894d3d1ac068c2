import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Repetition, Side } from '../../judge/series/repetition.ts';
import { sampleSide } from '../../judge/series/sample-sides.fixture.ts';
import type { Result } from '../../model/result/result.ts';
import { openRunFolder } from '../../platform/files/run-folder.ts';
import { fakeHost } from '../../run/fake-host.fixture.ts';
import { publishComparison, publishNoise, readGates } from './publish-comparison.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-publish-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** The printer, and how to open a folder; nothing is opened unless something is published. */
let places = 0;
const output = () => {
  const fake = fakeHost();
  const path = join(folder, String((places += 1)));
  let opened = 0;
  const open = () => {
    opened += 1;
    return openRunFolder(path);
  };
  const { printer } = fake.host;
  return { ...fake, path, open, options: { printer, jobSummary: undefined }, times: () => opened };
};

const changed = (
  { name, repetitions: [first, ...others] }: Side,
  change: (one: Repetition) => Partial<Repetition>,
): Side => ({ name, repetitions: [{ ...first, ...change(first) }, ...others] });

const usual = { gates: null, intended: [], allowDifferent: false, strict: false } as const;
const alike = { noise: 0.01, requests: 60 };
const base = sampleSide('base', 6, { ...alike, seed: 1 });
const same = sampleSide('new', 6, { ...alike, seed: 2 });
const slower = sampleSide('new', 6, { ...alike, seed: 2, factor: 2 });

const published = async (
  next: Side,
  given: Partial<Parameters<typeof publishComparison>[0]> = {},
) => {
  const { open, options, warned, printed, listed, times, path } = output();
  const comparison = { ...usual, base, next, ...given };
  const exit: unknown = await publishComparison(comparison, open, options).catch(String);
  return { exit, warned, printed: printed.length, opened: times(), listed, path };
};

describe('the gates of a comparison', () => {
  it('are those that are named, each once', () => {
    expect(readGates(undefined)).toBe(null);
    expect(readGates('ttft.p95, errors,ttft.p95')).toEqual(['ttft.p95', 'errors']);
    expect(() => readGates('ttft.p95,speed, size')).toThrow(
      /^--gate: expected .*, or a measure and its percentile such as ttft\.p95 or endToEnd\.p50; got speed, size$/,
    );
  });
});

describe('a published comparison', () => {
  it('passes if nothing is worse, and has its files', async () => {
    const { exit, warned, printed, opened, path } = await published(same, { gates: ['ttft.p50'] });
    expect([exit, warned, printed, opened]).toEqual(['pass', [], 1, 1]);
    expect((await readdir(path)).toSorted()).toMatchInlineSnapshot(`
      [
        "comparison.html",
        "comparison.json",
        "comparison.junit.xml",
        "comparison.md",
      ]
    `);
  });

  it('has its own exit code if the new side is worse', async () => {
    expect(await published(slower)).toMatchObject({ exit: 'regression', printed: 1, opened: 1 });
  });

  it('that is unsure fails only if it is strict', async () => {
    const [one, other] = [sampleSide('base', 1), sampleSide('new', 1, { factor: 1.08 })];
    const unsure = { base: one, gates: ['ttft.p99'] };
    expect((await published(other, unsure)).exit).toBe('pass');
    expect((await published(other, { ...unsure, strict: true })).exit).toBe('inconclusive');
    expect((await published(same, { gates: ['ttft.p50'], strict: true })).exit).toBe('pass');
  });
});

describe('a comparison is refused', () => {
  const invalid = ({ trust }: Repetition) => ({ trust: { ...trust, level: 'invalid' as const } });
  const empty = ({ result }: Repetition): Partial<Repetition> => ({
    result: { ...result, groups: [], timeline: [] },
  });
  const cutShort = ({ result }: Repetition): Partial<Repetition> => ({
    result: { ...result, slices: result.slices.map((slice) => ({ ...slice, count: 2 })) },
  });

  it('if a run is not valid, unless that is allowed', async () => {
    const refused = await published(changed(same, invalid));
    expect(refused).toMatchObject({ exit: 'invalid', printed: 0, opened: 0 });
    expect(refused.warned).toMatchInlineSnapshot(`
      [
        "These runs cannot be compared:
        new/1/result.json does not count: its load was not as planned.
      Run both sides with one plan until all runs are valid; or add --allow-different to compare them anyway, and the report will say so.",
      ]
    `);
    expect(await published(changed(same, invalid), { allowDifferent: true })).toMatchObject({
      printed: 1,
      opened: 1,
    });
  });

  it('if nothing succeeded in a run, also where that is allowed', async () => {
    const refused = await published(changed(same, empty), { allowDifferent: true });
    expect(refused).toMatchObject({ exit: 'empty', printed: 0, opened: 0 });
    expect(refused.warned).toMatchInlineSnapshot(`
      [
        "These runs cannot be compared:
        new/1/result.json has no completed requests.
      Run both sides again, or leave these runs out.",
      ]
    `);
  });

  it('with the exit of an invalid run if there are both kinds', async () => {
    const both = changed(same, (one) => ({ ...invalid(one), ...empty(one) }));
    const { exit } = await published(both, { base: changed(base, invalid) });
    expect(exit).toBe('invalid');
  });

  it('as incomplete if a slice is missing', async () => {
    const all = ({ name, repetitions: [first] }: Side): Side => ({
      name,
      repetitions: [{ ...first, ...cutShort(first) }],
    });
    const { exit } = await published(all(same), { base: all(base) });
    expect(exit).toBe('incomplete');
  });

  it('as a mistake if the sides differ in what they should share', async () => {
    const { plan } = base.repetitions[0].result;
    const other: Partial<Result> = { planHash: 'another', plan: { ...plan, seed: 7 } };
    const next = sampleSide('new', 6, { ...alike, seed: 2 }, other);
    const refused = await published(next);
    expect(refused).toMatchObject({ warned: [], printed: 0, opened: 0 });
    expect(refused.exit).toMatch(
      /These runs cannot be compared:\n {2}[^]*the seed differs: 42 in [^]*\.\nRun both sides with one plan until all runs are valid; or add --allow-different/,
    );
    expect(await published(next, { allowDifferent: true })).toMatchObject({ printed: 1 });
  });
});

describe('the measured noise of a side', () => {
  const measured = async (side: Side, allowDifferent = false) => {
    const { open, options, warned, printed, times } = output();
    const exit: unknown = await publishNoise(
      { gates: null, side, allowDifferent },
      open,
      options,
    ).catch(String);
    return { exit, warned, printed: printed.length, opened: times() };
  };

  it('needs four runs', async () => {
    expect((await measured(sampleSide('one', 3))).exit).toMatch(
      /--self: expected at least 4 runs, two in each half, and ten to know the noise well; got 3/,
    );
    expect(await measured(sampleSide('one', 4))).toEqual({
      exit: 'pass',
      warned: [],
      printed: 1,
      opened: 1,
    });
  });

  it('never fails, and needs valid runs', async () => {
    const noisy = sampleSide('one', 4, { noise: 0.8 });
    expect((await measured(noisy)).exit).toBe('pass');
    const bad = changed(noisy, ({ trust }) => ({ trust: { ...trust, level: 'invalid' } }));
    expect(await measured(bad)).toMatchObject({ exit: 'invalid', printed: 0, opened: 0 });
    expect(await measured(bad, true)).toMatchObject({ exit: 'pass', printed: 1 });
  });
});
