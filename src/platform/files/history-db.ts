import { mkdir } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { existsSync } from 'node:fs';
import type * as Sqlite from 'node:sqlite';
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { type HistoryRun, type StoredRun, storedRunSchema } from '../../model/series/history.ts';
import { misfitPlaces } from '../../model/misfit-places.ts';
import { Problem } from '../problem.ts';

/**
 * The history of runs in one SQLite file. Every function throws a `Problem` if the file is broken, locked, or not a
 * history.
 */
export interface HistoryDb {
  /** Adds a run unless the history already contains it; returns the run's id. */
  add(run: HistoryRun): number;
  runs(): readonly StoredRun[];
  /** Adds runs to a baseline. They replace the baseline's earlier runs of the same plans; runs of other plans stay. */
  setBaseline(baseline: string, ids: readonly number[]): void;
  /** Removes a baseline but not its runs. Returns whether the baseline existed. */
  removeBaseline(baseline: string): boolean;
  close(): void;
}

/** The application id in the header of the SQLite file: the text "Weir" in ASCII. This id marks the file as Weir's. */
const applicationId = 0x57656972;
const version = 1;

/** The maximum wait if another process has locked the file, in ms. */
const lockTimeout = 3000;

const schema = `
CREATE TABLE run (
  id INTEGER PRIMARY KEY,
  file TEXT NOT NULL,
  plan_hash TEXT NOT NULL,
  plan TEXT NOT NULL,
  target TEXT NOT NULL,
  weir TEXT NOT NULL,
  started_at TEXT NOT NULL,
  trust TEXT NOT NULL,
  verdicts TEXT NOT NULL,
  UNIQUE (file, started_at, plan_hash)
) STRICT;
CREATE TABLE figure (
  run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
  id TEXT NOT NULL,
  label TEXT NOT NULL,
  unit TEXT NOT NULL,
  better TEXT NOT NULL,
  scale TEXT NOT NULL,
  value REAL NOT NULL,
  effect REAL NOT NULL,
  floor REAL NOT NULL,
  PRIMARY KEY (run, id)
) STRICT;
CREATE TABLE baseline (
  name TEXT NOT NULL,
  run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
  PRIMARY KEY (name, run)
) STRICT;
PRAGMA application_id = ${applicationId};
PRAGMA user_version = ${version};
`;

/** Loads SQLite, and suppresses Node 22's warning that the module is experimental. */
const loadSqlite = async (): Promise<typeof Sqlite> => {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = ((...words: Parameters<typeof emitWarning>) => {
    if (!String(words[0]).startsWith('SQLite is')) emitWarning(...words);
  }) as typeof emitWarning;
  try {
    return await import('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
};

const historyFailure = (path: string, error: unknown): Problem => {
  if (error instanceof Problem) return error;
  const { errstr, message } = error as Error & { readonly errstr?: string };
  return new Problem(
    `the history ${path} cannot be used: ${errstr ?? message}; remove or move it, or set WEIR_HISTORY to another file (or to \`off\`)`,
  );
};

type Row = Record<string, SQLOutputValue>;

const numberIn = (db: DatabaseSync, sql: string): number =>
  Number(Object.values(db.prepare(sql).get() as Row)[0]);

/** Performs `work` in a transaction: completely, or not at all. Other processes wait until the transaction ends. */
const inTransaction = <T>(db: DatabaseSync, work: () => T): T => {
  db.exec('BEGIN IMMEDIATE');
  try {
    const done = work();
    db.exec('COMMIT');
    return done;
  } catch (error) {
    db.exec('ROLLBACK');
    throw error;
  }
};

/**
 * Returns whether the tables exist. Throws a `Problem` if another program or another version of Weir wrote the file.
 */
const isPrepared = (db: DatabaseSync, path: string): boolean => {
  const isOurs = numberIn(db, 'PRAGMA application_id') === applicationId;
  const found = numberIn(db, 'PRAGMA user_version');
  if (isOurs && found === version) return true;
  if (isOurs) {
    throw new Problem(
      `the history ${path} was written by another version of Weir: expected format ${version}, got ${found}; use that version, or set WEIR_HISTORY to another file`,
    );
  }
  if (numberIn(db, 'SELECT count(*) FROM sqlite_schema') === 0) return false;
  throw new Problem(`${path} is the database of another program: set WEIR_HISTORY to another file`);
};

/** Creates the tables in a new file. The transaction checks again, since another process may just have created them. */
const prepareTables = (db: DatabaseSync, path: string): void => {
  db.exec('PRAGMA foreign_keys = ON');
  if (isPrepared(db, path)) return;
  inTransaction(db, () => {
    if (!isPrepared(db, path)) db.exec(schema);
  });
};

/**
 * Converts between absolute paths and paths relative to the history file. The history stores relative paths, so the
 * history file and the results can be moved together, for example between the jobs of a CI.
 */
const relativePaths = (path: string) => {
  const historyFolder = dirname(resolve(path));
  return {
    written: (file: string): string => {
      const relativePath = relative(historyFolder, resolve(file));
      return isAbsolute(relativePath) ? relativePath : relativePath.split(sep).join('/');
    },
    found: (file: string): string => resolve(historyFolder, file),
  };
};
type RelativePaths = ReturnType<typeof relativePaths>;

const addRun = (db: DatabaseSync, paths: RelativePaths, run: HistoryRun): number => {
  const { planHash, plan, target, weir, startedAt, trust, verdicts, figures } = run;
  const file = paths.written(run.file);
  const before = db
    .prepare('SELECT id FROM run WHERE file = ? AND started_at = ? AND plan_hash = ?')
    .get(file, startedAt, planHash);
  if (before !== undefined) return Number(before['id']);
  const { lastInsertRowid } = db
    .prepare(
      'INSERT INTO run (file, plan_hash, plan, target, weir, started_at, trust, verdicts) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    )
    .run(file, planHash, plan, target, weir, startedAt, trust, JSON.stringify(verdicts));
  const insert = db.prepare(
    'INSERT INTO figure VALUES (:run, :id, :label, :unit, :better, :scale, :value, :effect, :floor)',
  );
  for (const figure of figures) insert.run({ run: lastInsertRowid, ...figure });
  return Number(lastInsertRowid);
};

const rowsByRun = (db: DatabaseSync, sql: string): Map<number, Row[]> =>
  Map.groupBy(db.prepare(sql).all() as Row[], ({ run }) => Number(run));

const parsedJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const withoutRun = (row: Row): Row => {
  const { run: _, ...figure } = row;
  return figure;
};

const readRuns = (db: DatabaseSync, paths: RelativePaths): readonly StoredRun[] => {
  const figures = rowsByRun(db, 'SELECT * FROM figure ORDER BY rowid');
  const baselines = rowsByRun(db, 'SELECT * FROM baseline ORDER BY name');
  const rows = db
    .prepare(
      'SELECT id, plan, target, weir, trust, file, plan_hash AS planHash, started_at AS startedAt, verdicts FROM run ORDER BY started_at, id',
    )
    .all() as Row[];
  return rows.map((row) => {
    const id = Number(row['id']);
    const read = storedRunSchema.safeParse({
      ...row,
      file: paths.found(String(row['file'])),
      verdicts: parsedJson(String(row['verdicts'])),
      baselines: (baselines.get(id) ?? []).map(({ name }) => name),
      figures: (figures.get(id) ?? []).map(withoutRun),
    });
    if (read.success) return read.data;
    throw new Error(`run ${id} in it is invalid at ${misfitPlaces(read.error.issues)}`);
  });
};

const setBaselineRuns = (db: DatabaseSync, baseline: string, ids: readonly number[]): void => {
  const forget = db.prepare(
    'DELETE FROM baseline WHERE name = ? AND run IN (SELECT id FROM run WHERE plan_hash = (SELECT plan_hash FROM run WHERE id = ?))',
  );
  for (const id of ids) forget.run(baseline, id);
  const insert = db.prepare('INSERT OR IGNORE INTO baseline VALUES (?, ?)');
  for (const id of ids) insert.run(baseline, id);
};

/** Opens a history. Creates the file and its folder if they are missing. */
export const openHistory = async (path: string): Promise<HistoryDb> => {
  const guard = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw historyFailure(path, error);
    }
  };
  try {
    await mkdir(dirname(resolve(path)), { recursive: true });
    const { DatabaseSync } = await loadSqlite();
    const db = new DatabaseSync(path, { timeout: lockTimeout });
    const paths = relativePaths(path);
    try {
      prepareTables(db, path);
    } catch (error) {
      db.close();
      throw error;
    }
    return {
      add: (run) => guard(() => inTransaction(db, () => addRun(db, paths, run))),
      runs: () => guard(() => readRuns(db, paths)),
      setBaseline: (baseline, ids) =>
        guard(() => inTransaction(db, () => setBaselineRuns(db, baseline, ids))),
      removeBaseline: (baseline) =>
        guard(() => db.prepare('DELETE FROM baseline WHERE name = ?').run(baseline).changes !== 0),
      close: () => db.close(),
    };
  } catch (error) {
    throw historyFailure(path, error);
  }
};

/** Returns the runs of a history, or an empty list if the file does not exist. */
export const readHistory = async (path: string): Promise<readonly StoredRun[]> => {
  if (!existsSync(path)) return [];
  const history = await openHistory(path);
  try {
    return history.runs();
  } finally {
    history.close();
  }
};
