import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Result } from '../../model/result/result.ts';
import { openHistory } from '../../platform/files/history-db.ts';
import { sampleFacts } from '../../record/sample-facts.fixture.ts';
import { answeredChat } from '../../record/sample-observations.fixture.ts';
import { emptyTally, recordObservation, toResult } from '../../record/tally.ts';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { readSide } from './read-side.ts';

/** Sides of a comparison that are baselines of the history, and how they are distinguished from paths. */

const home = mkdtempSync(join(tmpdir(), 'weir-baselines-'));
const history = join(home, 'history.db');
afterAll(() => rmSync(home, { recursive: true }));

const [mine, theirs, third] = ['a', 'b', 'c'].map((letter) => letter.repeat(64)) as [
  string,
  string,
  string,
];
const resultOf = (planHash: string, startedAt: string): Result => {
  const tally = emptyTally(samplePlan());
  recordObservation(tally, answeredChat(3000, 200));
  const facts = sampleFacts([{ index: 0, count: 1 }], { planHash });
  const slices = facts.slices.map((slice) => ({ ...slice, startedAt }));
  return toResult(tally, { ...facts, slices });
};
/** Writes the result of a run that started at this minute, and returns it as the history knows it. */
const put = (name: string, planHash: string, minute: number) => {
  const startedAt = `2026-07-01T10:${minute}:30.000Z`;
  mkdirSync(join(home, name), { recursive: true });
  const file = join(home, name, 'result.json');
  writeFileSync(file, JSON.stringify(resultOf(planHash, startedAt)));
  return {
    file,
    planHash,
    plan: `plan of ${name}`,
    target: `http://${name}/v1`,
    weir: '0.1.0',
    startedAt,
    trust: 'valid' as const,
    verdicts: [],
    figures: [],
  };
};

beforeAll(async () => {
  const db = await openHistory(history);
  const runs = [
    put('one', mine, 10),
    put('two', mine, 11),
    put('other', theirs, 12),
    put('newer', theirs, 13),
    put('gone', third, 14),
    put('rewritten', third, 15),
    put('replanned', third, 16),
  ];
  const [one, two, other, newer, gone, rewritten, replanned] = runs.map((run) => db.add(run));
  db.setBaseline('main', [one!, two!]);
  db.setBaseline('both', [one!, other!, newer!]);
  db.setBaseline('lost', [gone!]);
  db.setBaseline('changed', [rewritten!]);
  db.setBaseline('planned', [replanned!]);
  db.close();
  rmSync(join(home, 'gone'), { recursive: true });
  put('rewritten', third, 55);
  put('replanned', mine, 16);
});

const read = async (
  references: string | readonly string[],
  planHash: string | null = null,
  from: string | null = history,
) => {
  const side = await readSide([references].flat(), { planHash, history: from });
  return side.repetitions.map(({ file }) => file.slice(home.length + 1));
};
const file = (name: string): string => join(name, 'result.json');

describe('a baseline', () => {
  it('has its runs, beside those that are named by paths', async () => {
    expect(await read('main')).toEqual([file('one'), file('two')]);
    expect(await read(['main', join(home, 'other')])).toEqual(['one', 'two', 'other'].map(file));
    const side = await readSide(['main', join(home, 'other')], { planHash: null, history });
    expect(side.name).toBe(`main, ${join(home, 'other')}`);
    expect(side.repetitions[0].trust.level).toBe('degraded');
  });

  it('has the runs of the plan that is compared, or those of its only plan', async () => {
    expect(await read('both', theirs)).toEqual([file('other'), file('newer')]);
    expect(await read('both', mine)).toEqual([file('one')]);
    expect(await read('main', theirs)).toEqual([file('one'), file('two')]);
  });

  it('of several other plans names them, by their last runs', async () => {
    const list = `:\n  aaaaaaaaaaaa plan of one, http://one/v1\n  bbbbbbbbbbbb plan of newer, http://newer/v1\nName runs of this plan with \`weir history baseline both RUN…\`, or give result files.`;
    await expect(read('both')).rejects.toThrow(
      `the baseline both has runs of several plans, and none is selected${list}`,
    );
    await expect(read('both', third)).rejects.toThrow(
      `the baseline both has runs of several plans, and none is this one (cccccccccccc)${list}`,
    );
  });

  it('whose files are gone or have another run names the run', async () => {
    await expect(read('lost')).rejects.toThrow(
      `run 5 of the baseline lost is gone: expected ${join(home, file('gone'))}; name other runs with \`weir history baseline lost RUN…\``,
    );
    await expect(read('changed')).rejects.toThrow(
      `run 6 of the baseline changed was overwritten: expected the run of 2026-07-01T10:15:30.000Z in ${join(home, file('rewritten'))}, got that of 2026-07-01T10:55:30.000Z; name other runs with \`weir history baseline changed RUN…\``,
    );
    await expect(read('planned')).rejects.toThrow('run 7 of the baseline planned was overwritten');
  });

  it('is none without a history, or without runs', async () => {
    const absent = 'does not exist: give a result.json, the folder of a run, that of a run with';
    await expect(read('main', null, null)).rejects.toThrow(`main ${absent}`);
    await expect(read('empty')).rejects.toThrow(`empty ${absent}`);
  });

  it('that has the name of an existing folder is refused as ambiguous', async () => {
    const db = await openHistory(history);
    db.setBaseline('src', [1]);
    db.close();
    await expect(read('src')).rejects.toThrow(
      'src is both a baseline and a path: write ./src for the path, or change to another folder for the baseline',
    );
    await expect(read('./src')).rejects.toThrow(
      './src contains no result.json, nor do its folders: give the folder of a run, or of a run with --repeat',
    );
  });
});
