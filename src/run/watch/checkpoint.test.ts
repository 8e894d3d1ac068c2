import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { fakeWorld } from '../../engine/fake-world.fixture.ts';
import { maxLedgerRows } from '../../model/observation/ledger.ts';
import { type Instant, instant } from '../../model/quantity.ts';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import type { GeneratorSample } from '../../model/result/result.ts';
import { createIncrementalTally, type IncrementalTally } from '../../record/incremental-tally.ts';
import { sampleFacts } from '../../record/sample-facts.fixture.ts';
import { answeredChat } from '../../record/sample-observations.fixture.ts';
import { emptyTally, recordObservation, type StoredPart, toResult } from '../../record/tally.ts';
import { openRecorder } from './recorder.ts';
import { keepCheckpoint, writeCheckpoint, writeCheckpoints } from './checkpoint.ts';
import { createSnapshotPace, setWatched } from './snapshot-pace.ts';

const home = mkdtempSync(join(tmpdir(), 'weir-checkpoint-'));
afterAll(() => rmSync(home, { recursive: true }));

const facts = sampleFacts([{ index: 0, count: 1 }]);
const { generator: _, ...slice } = facts.slices[0]!;
const { weir, runId, planHash, plan } = facts;
const header = {
  weir,
  runId,
  planHash,
  plan,
  slice: { ...slice, index: 3, count: 5 },
  notes: ['n'],
};
const sampled = (at: number): GeneratorSample => ({ at }) as never;

type Line = StoredPart & {
  readonly slice: number;
  readonly until?: number;
  readonly scheduled?: number;
  readonly ended?: number;
  readonly generator?: readonly { readonly at: number }[];
};

const open = (tally: IncrementalTally, clock = fakeWorld()) => {
  const [lines, generator, pace] = [[] as string[], [] as GeneratorSample[], createSnapshotPace()];
  const stop = writeCheckpoint((line) => lines.push(line), {
    header,
    tally,
    clock: clock.clock,
    generator,
    loadEnds: instant(8000),
    pace,
  });
  const values = () => lines.slice(1).map((line) => JSON.parse(line) as Line);
  const commits = () => values().filter(({ until }) => until !== undefined);
  return { world: clock, lines, generator, pace, stop, values, commits };
};

describe('a checkpoint', () => {
  it('begins with its header, and commits what was recorded every five seconds', () => {
    const tally = createIncrementalTally(samplePlan());
    const { world, lines, generator, stop, commits, values } = open(tally);
    expect(JSON.parse(lines[0]!)).toEqual({ format: 'checkpoint/1', ...header });
    const whole = emptyTally(samplePlan());
    for (const [second, dueAt] of [1000, 4000, 9000].entries()) {
      world.advanceTo(dueAt + 300);
      generator.push(sampled(second));
      const observation = answeredChat(dueAt, 250 + second);
      tally.record(observation);
      recordObservation(whole, observation);
    }
    world.advanceTo(12_000);
    stop();
    const stopped = lines.length;
    world.advanceTo(30_000);
    expect(lines).toHaveLength(stopped);
    // The load is over at 8 s, and the last exchange ended at 9.252 s.
    expect(commits()).toMatchObject([
      { slice: 3, until: 5000, scheduled: 5000, ended: 4251, generator: [{ at: 0 }, { at: 1 }] },
      { slice: 3, until: 10_000, scheduled: 8000, ended: 9252, generator: [{ at: 2 }] },
      { slice: 3, until: 12_000, scheduled: 8000, ended: 9252, generator: [] },
    ]);
    expect(values().every((line) => line.slice === 3)).toBe(true);
    const rows = values().flatMap(({ ledger = [] }) => ledger.flatMap((each) => each.rows));
    expect(rows).toEqual(toResult(whole, facts).ledger.flatMap((each) => each.rows));
  });

  it('is written every second while somebody watches', () => {
    const { world, pace, stop, commits } = open(createIncrementalTally(samplePlan()));
    setWatched(pace, true);
    world.advanceTo(3500);
    expect(commits().map(({ until }) => until)).toEqual([1000, 2000, 3000]);
    stop();
    expect(commits().at(-1)).toMatchObject({ until: 3500, scheduled: 3500 });
  });

  it('is written in parts, more of them at a time the longer a snapshot takes, and wholly at the end', () => {
    const world = fakeWorld();
    let [parts, calls] = [0, 0];
    // Each look at the clock takes a tenth of a millisecond, and so does a part.
    const now = (): Instant => instant(world.clock.now() + (calls += 1) / 10);
    const endless = {
      flush: () => ({
        next: () => ({ done: (parts += 1) > 20_000, value: parts > 20_000 ? 7 : { failures: [] } }),
      }),
    } as unknown as IncrementalTally;
    const clock = { ...world, clock: { ...world.clock, now } };
    const { stop, values, commits } = open(endless, clock);
    const writtenIn = (from: number, to: number): number => {
      world.advanceTo(from);
      const before = values().length;
      world.advanceTo(to);
      return values().length - before;
    };
    const [early, late] = [writtenIn(5100, 5300), writtenIn(9000, 9200)];
    expect(early).toBeGreaterThanOrEqual(10);
    expect(early).toBeLessThan(30);
    expect(late).toBeGreaterThan(5 * early);
    expect(commits()).toEqual([]);
    stop();
    expect(commits().map(({ ended }) => ended)).toEqual([7, 7]);
  });

  it('keeps the rows of a key that a result would keep, and counts those that it leaves out', () => {
    const row = (sent: number) => [sent, sent + 1] as never;
    const rows = (from: number, count: number) =>
      Array.from({ length: count }, (__, n) => row(from + n));
    const flushes: StoredPart[][] = [
      [{ ledger: [{ key: 'a', rows: rows(100, maxLedgerRows - 1), left: 0 }] }, { failures: [] }],
      [{ ledger: [{ key: 'a', rows: rows(90_000, 2), left: 1 }] }],
      // Only what was sent no later than the rows that are kept can still be among the first.
      [
        {
          ledger: [
            { key: 'a', rows: [row(50), row(90_001), row(90_002)], left: 2 },
            { key: 'b', rows: [row(90_002)], left: 0 },
          ],
        },
      ],
    ];
    const tally = {
      flush: () => {
        const parts = flushes.shift() ?? [];
        return {
          next: () => {
            const value = parts.shift();
            return value === undefined ? { done: true, value: 0 } : { done: false, value };
          },
        };
      },
    } as unknown as IncrementalTally;
    const { world, stop, values } = open(tally);
    world.advanceTo(16_000);
    stop();
    const ledgers = values().flatMap(({ ledger }) => (ledger === undefined ? [] : [ledger]));
    expect(
      ledgers.map((each) => each.map(({ key, left, rows: { length } }) => [key, length, left])),
    ).toEqual([
      [['a', maxLedgerRows - 1, 0]],
      [['a', 2, 1]],
      [
        ['a', 2, 3],
        ['b', 1, 0],
      ],
    ]);
  });
});

describe('the checkpoints of a run', () => {
  const recorder = () => openRecorder(samplePlan());

  it('go to every sink, those of workers too', () => {
    const sinks = [[], []] as string[][];
    const { onStart, onWorkerUpdate, onEnd } = writeCheckpoints(
      sinks.map((lines) => ({ write: (line: string) => void lines.push(line) })),
      recorder(),
      facts,
      createSnapshotPace(),
    );
    const world = fakeWorld();
    const started = { clock: world.clock, notes: ['a note'], local: { slice, generator: [] } };
    onStart!(started as never);
    onWorkerUpdate!({ checkpointLines: ['one', 'two'] } as never);
    world.advanceTo(2000);
    onEnd!();
    const [first] = sinks;
    expect(sinks[1]).toEqual(first);
    expect(JSON.parse(first![0]!)).toMatchObject({ runId, slice, notes: ['a note'] });
    expect(first!.slice(1, 3)).toEqual(['one', 'two']);
    expect(JSON.parse(first!.at(-1)!)).toMatchObject({ slice: 0, until: 2000, scheduled: 2000 });
  });

  it('are none without a sink, and only those of the workers if they run the slice', () => {
    expect(writeCheckpoints([], recorder(), facts, createSnapshotPace())).toEqual({});
    const lines: string[] = [];
    const sink = { write: (line: string) => void lines.push(line) };
    const { onStart, onEnd } = writeCheckpoints([sink], recorder(), facts, createSnapshotPace());
    onStart!({ clock: fakeWorld().clock, notes: [], local: null } as never);
    onEnd!();
    expect(lines).toEqual([]);
  });

  it('stay in their file until the report is written', async () => {
    const warned: string[] = [];
    const path = join(home, 'checkpoint.jsonl');
    const keep = () => keepCheckpoint(path, (text) => warned.push(text));
    const kept = await keep();
    kept.write('line');
    await kept.onPublished!('unwritten');
    expect(readFileSync(path, 'utf8')).toBe('line\n');
    const next = await keep();
    next.write('other');
    await next.onPublished!('pass');
    expect([existsSync(path), warned]).toEqual([false, []]);
    await (
      await keep()
    ).discard!();
    expect(existsSync(path)).toBe(false);
  });
});
