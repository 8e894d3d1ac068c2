import { resolve } from 'node:path';
import { historyRun } from '../judge/history/history-run.ts';
import type { StoredRun } from '../model/history.ts';
import { type HistoryDb, openHistory } from '../platform/history-db.ts';
import { Problem } from '../platform/problem.ts';
import { baselinesTerminal } from '../report/history/history-terminal.ts';
import { didYouMean } from '../scenario/spelling.ts';
import type { ExitName } from './exit-codes.ts';
import { historyPlace } from './history-place.ts';
import { isBaselineName } from './named-runs.ts';
import { UsageProblem } from './options.ts';
import { readSide } from './read-side.ts';
import { stdoutLook, toStderr, toStdout } from './streams.ts';

/** What `weir history baseline` was asked. */
export interface BaselineOrder {
  readonly name: string | undefined;
  readonly runs: readonly string[];
  readonly forget: boolean;
}

/** The file of the history; throws a `Problem` where none is kept. */
export const keptHistory = (): string => {
  const place = historyPlace(process.env);
  if (place !== null) return place;
  throw new Problem('no history is kept: WEIR_HISTORY says `off`; unset it, or name a file in it');
};

/** The ids of the runs that a word means: a number of the history, or a path, whose runs are added where they are missing. */
const idsOf = async (
  word: string,
  history: HistoryDb,
  stored: readonly StoredRun[],
): Promise<readonly number[]> => {
  if (/^\d+$/.test(word)) {
    const id = Number(word);
    if (stored.some((run) => run.id === id)) return [id];
    throw new Problem(`the history has no run ${word}: \`weir history\` lists them`);
  }
  const { repetitions } = await readSide([word], null);
  return repetitions.map((repetition) => {
    const run = historyRun({ ...repetition, file: resolve(repetition.file) });
    if (run !== null) return history.add(run);
    throw new Problem(
      `${repetition.file} is no base: it is not valid, not whole, or nothing in it succeeded; run it again`,
    );
  });
};

const nameRuns = async (
  name: string,
  words: readonly string[],
  history: HistoryDb,
): Promise<void> => {
  if (!isBaselineName(name)) {
    throw new UsageProblem(
      `baseline: expected a name of letters, digits, ., - and _ that is no number and no .json or .db file; got ${name}`,
    );
  }
  const stored = history.runs();
  const ids: number[] = [];
  for (const word of words) ids.push(...(await idsOf(word, history, stored)));
  history.name(name, ids);
  toStderr(`${name}: ${ids.length === 1 ? 'run' : 'runs'} ${ids.join(', ')}`);
};

const noneCalled = (name: string, history: HistoryDb): Problem => {
  const names = [...new Set(history.runs().flatMap(({ baselines }) => baselines))].toSorted();
  const known =
    names.length === 0
      ? 'there is none yet'
      : `${didYouMean(name, names) ?? ''} There are ${names.join(', ')}`.trim();
  return new Problem(
    `no baseline is called ${name}: ${known}; \`weir history baseline ${name} RUN…\` names runs so`,
  );
};

const forgetName = (name: string, history: HistoryDb): void => {
  if (!history.unname(name)) throw noneCalled(name, history);
  toStderr(`${name} is no baseline any more; its runs stay in the history`);
};

const listNames = (only: string | null, history: HistoryDb): void => {
  const runs = history.runs();
  if (only !== null && !runs.some(({ baselines }) => baselines.includes(only))) {
    throw noneCalled(only, history);
  }
  toStdout(baselinesTerminal(runs, only, stdoutLook()));
};

/** Names runs, lists what is named, or forgets a name. */
export const baseline = async ({ name, runs, forget }: BaselineOrder): Promise<ExitName> => {
  if (forget && (name === undefined || runs.length > 0)) {
    throw new UsageProblem(
      `baseline --delete: expected the name of one baseline; got ${runs.length > 0 ? 'runs too' : 'none'}`,
    );
  }
  const history = await openHistory(keptHistory());
  try {
    if (name !== undefined && forget) forgetName(name, history);
    else if (name !== undefined && runs.length > 0) await nameRuns(name, runs, history);
    else listNames(name ?? null, history);
  } finally {
    history.close();
  }
  return 'pass';
};
