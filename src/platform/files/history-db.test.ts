import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HistoryRun } from '../../model/series/history.ts';
import { type HistoryDb, openHistory, readHistory } from './history-db.ts';
import { sampleHistoryRun } from './sample-history-run.fixture.ts';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-history-'));
  path = join(folder, 'reports', 'history.db');
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

const run = (differing: Partial<HistoryRun> = {}): HistoryRun =>
  sampleHistoryRun(folder, differing);

const using = async <T>(work: (history: HistoryDb) => T): Promise<T> => {
  const history = await openHistory(path);
  try {
    return work(history);
  } finally {
    history.close();
  }
};

describe('a history', () => {
  it('returns each added run once, in the order in which the runs began', async () => {
    const later = run({ startedAt: '2026-07-02T10:20:30.000Z', figures: [] });
    const ids = await using((history) => [later, run(), run()].map((each) => history.add(each)));
    expect(ids).toStrictEqual([1, 2, 2]);
    expect(await readHistory(path)).toStrictEqual([
      { ...run(), id: 2, baselines: [] },
      { ...later, id: 1, baselines: [] },
    ]);
  });

  it('is empty if there is no file, and reading does not create one', async () => {
    expect(await readHistory(path)).toStrictEqual([]);
    await expect(readFile(path)).rejects.toThrow('ENOENT');
  });

  it('still finds the results when it is moved together with them', async () => {
    await using((history) => history.add(run()));
    await rename(join(folder, 'reports'), join(folder, 'moved'));
    const [moved] = await readHistory(join(folder, 'moved', 'history.db'));
    expect(moved!.file).toBe(join(folder, 'moved', 'a', 'result.json'));
  });

  it('has baselines of several plans under one name, and replaces only that of the same plan', async () => {
    const other = { planHash: 'b'.repeat(64) };
    const names = await using((history) => {
      const first = history.add(run());
      const second = history.add(run({ startedAt: '2026-07-02T10:20:30.000Z' }));
      const third = history.add(run(other));
      history.setBaseline('main', [first, third]);
      history.setBaseline('main', [second, second]);
      return history.runs().map(({ id, baselines }) => [id, ...baselines]);
    });
    expect(names).toStrictEqual([[1], [3, 'main'], [2, 'main']]);
    expect(
      await using((history) => [history.removeBaseline('main'), history.removeBaseline('main')]),
    ).toStrictEqual([true, false]);
  });
});

describe('a file that is not a history', () => {
  it('is refused if it is not a database', async () => {
    path = join(folder, 'history.db');
    await writeFile(path, 'not a database, and longer than the header of one would be'.repeat(20));
    await expect(openHistory(path)).rejects.toThrow('file is not a database; remove or move it');
  });

  it('is refused and left unchanged if another program or version wrote it', async () => {
    path = join(folder, 'history.db');
    const theirs = new DatabaseSync(path);
    theirs.exec('CREATE TABLE theirs (a)');
    await expect(openHistory(path)).rejects.toThrow('is the database of another program');
    expect(theirs.prepare('SELECT count(*) AS n FROM sqlite_schema').get()).toMatchObject({ n: 1 });
    theirs.exec('DROP TABLE theirs');
    theirs.close();
    await using((history) => history.add(run()));
    const later = new DatabaseSync(path);
    later.exec('PRAGMA user_version = 9');
    later.close();
    await expect(openHistory(path)).rejects.toThrow('expected format 1, got 9');
  });

  it('is refused if a row is invalid', async () => {
    await using((history) => history.add(run()));
    const db = new DatabaseSync(path);
    db.exec("UPDATE run SET trust = 'perhaps'");
    db.close();
    await expect(readHistory(path)).rejects.toThrow(
      'cannot be used: run 1 in it is invalid at trust',
    );
  });

  it('is refused if the verdicts of a row are no JSON', async () => {
    await using((history) => history.add(run()));
    const db = new DatabaseSync(path);
    db.exec("UPDATE run SET verdicts = 'perhaps'");
    db.close();
    await expect(readHistory(path)).rejects.toThrow('run 1 in it is invalid at verdicts');
  });
});

it('a run that cannot be stored whole is not stored at all', async () => {
  const [figure] = run().figures;
  const twice = run({ figures: [figure!, figure!] });
  await expect(using((history) => history.add(twice))).rejects.toThrow(
    /^the history .* cannot be used: .*; remove or move it, or set WEIR_HISTORY to another file/,
  );
  expect(await readHistory(path)).toEqual([]);
  expect(await using((history) => history.add(run()))).toBe(1);
});
