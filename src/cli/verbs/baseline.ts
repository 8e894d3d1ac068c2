import { resolve } from 'node:path';
import { historyRun } from '../../judge/history/history-run.ts';
import type { StoredRun } from '../../model/series/history.ts';
import { type HistoryDb, openHistory } from '../../platform/files/history-db.ts';
import { Problem } from '../../platform/problem.ts';
import { baselinesTerminal } from '../../report/history/history-terminal.ts';
import { didYouMean } from '../../scenario/text/spelling.ts';
import type { ExitName } from '../../run/output/exit-codes.ts';
import { historyPath } from '../../run/input/history-path.ts';
import { isBaselineName } from '../../run/input/baseline-runs.ts';
import { UsageProblem } from '../options/scenario-options.ts';
import { readSide } from '../../run/input/read-side.ts';
import { stdoutStyle, toStderr, toStdout } from '../../platform/standard-streams.ts';

/** What `weir history baseline` was asked. */
export interface BaselineRequest {
  readonly name: string | undefined;
  readonly runs: readonly string[];
  readonly isDeletion: boolean;
}

/** The file of the history; throws a `Problem` where none is kept. */
export const requireHistoryPath = (): string => {
  const path = historyPath(process.env);
  if (path !== null) return path;
  throw new Problem('no history is kept: WEIR_HISTORY says `off`; unset it, or name a file in it');
};

/** The ids of the runs that a word means: a number of the history, or a path, whose runs are added where they are missing. */
const runIdsOf = async (
  reference: string,
  history: HistoryDb,
  stored: readonly StoredRun[],
): Promise<readonly number[]> => {
  if (/^\d+$/.test(reference)) {
    const id = Number(reference);
    if (stored.some((run) => run.id === id)) return [id];
    throw new Problem(`the history has no run ${reference}: \`weir history\` lists them`);
  }
  const { repetitions } = await readSide([reference], null);
  return repetitions.map((repetition) => {
    const run = historyRun({ ...repetition, file: resolve(repetition.file) });
    if (run !== null) return history.add(run);
    throw new Problem(
      `${repetition.file} is no base: it is not valid, not whole, or nothing in it succeeded; run it again`,
    );
  });
};

const saveBaseline = async (
  name: string,
  references: readonly string[],
  history: HistoryDb,
): Promise<void> => {
  if (!isBaselineName(name)) {
    throw new UsageProblem(
      `baseline: expected a name of letters, digits, ., - and _ that is no number and no .json or .db file; got ${name}`,
    );
  }
  const stored = history.runs();
  const ids: number[] = [];
  for (const reference of references) ids.push(...(await runIdsOf(reference, history, stored)));
  history.setBaseline(name, ids);
  toStderr(`${name}: ${ids.length === 1 ? 'run' : 'runs'} ${ids.join(', ')}`);
};

const unknownBaseline = (name: string, history: HistoryDb): Problem => {
  const names = [...new Set(history.runs().flatMap(({ baselines }) => baselines))].toSorted();
  const known =
    names.length === 0
      ? 'there is none yet'
      : `${didYouMean(name, names) ?? ''} There are ${names.join(', ')}`.trim();
  return new Problem(
    `no baseline is called ${name}: ${known}; \`weir history baseline ${name} RUN…\` names runs so`,
  );
};

const deleteBaseline = (name: string, history: HistoryDb): void => {
  if (!history.removeBaseline(name)) throw unknownBaseline(name, history);
  toStderr(`${name} is no baseline any more; its runs stay in the history`);
};

const listBaselines = (only: string | null, history: HistoryDb): void => {
  const runs = history.runs();
  if (only !== null && !runs.some(({ baselines }) => baselines.includes(only))) {
    throw unknownBaseline(only, history);
  }
  toStdout(baselinesTerminal(runs, only, stdoutStyle()));
};

/** Names runs, lists what is named, or forgets a name. */
export const baseline = async ({ name, runs, isDeletion }: BaselineRequest): Promise<ExitName> => {
  if (isDeletion && (name === undefined || runs.length > 0)) {
    throw new UsageProblem(
      `baseline --delete: expected the name of one baseline; got ${runs.length > 0 ? 'runs too' : 'none'}`,
    );
  }
  const history = await openHistory(requireHistoryPath());
  try {
    if (name !== undefined && isDeletion) deleteBaseline(name, history);
    else if (name !== undefined && runs.length > 0) await saveBaseline(name, runs, history);
    else listBaselines(name ?? null, history);
  } finally {
    history.close();
  }
  return 'pass';
};
