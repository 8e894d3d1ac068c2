import type { StopCause } from '../input/host.ts';

/**
 * All exit codes, in order of precedence. Scripts rely on the numbers. A run in which every request failed never exits
 * with 0.
 */
export const exitCodes = [
  { name: 'hangup', code: 129, meaning: 'stopped by SIGHUP; a partial report was written' },
  {
    name: 'interrupted',
    code: 130,
    meaning: 'stopped by Ctrl-C or on the live page; a partial report was written',
  },
  { name: 'terminated', code: 143, meaning: 'stopped by SIGTERM; a partial report was written' },
  { name: 'internal', code: 1, meaning: 'a bug in Weir' },
  {
    name: 'configuration',
    code: 2,
    meaning:
      'wrong scenario, option, key or folder, or a target that cannot be used; nothing was sent',
  },
  {
    name: 'incomplete',
    code: 3,
    meaning:
      'the run is incomplete: a slice is missing or was lost, its budget or its first 20 refusals ended it, or `weir report` or `weir merge` read a run that was stopped or killed; `weir import` left something out',
  },
  {
    name: 'invalid',
    code: 12,
    meaning: 'the run is invalid: the load was not the planned one',
  },
  { name: 'empty', code: 15, meaning: 'nothing succeeded, or nothing was due after the warm-up' },
  {
    name: 'violated',
    code: 14,
    meaning: 'a rate limit is violated: facts prove it that hold for any limiter',
  },
  {
    name: 'objective',
    code: 10,
    meaning:
      'an objective is broken, or has too little data; for `weir check`: the interface is broken; for `weir fairness`: not isolated; for `weir recovery`: still bad',
  },
  { name: 'regression', code: 11, meaning: 'a comparison found a regression' },
  {
    name: 'inconclusive',
    code: 13,
    meaning:
      '`weir limits`, `weir check`, `weir fairness` or `weir recovery` ended early or decided nothing, `weir compare --paired` is unsure of `--max-added`, or with `--strict` an objective, a judged limit or a comparison is undecided',
  },
  {
    name: 'unwritten',
    code: 4,
    meaning:
      'everything was measured and passed, but a requested file or the output could not be written',
  },
  {
    name: 'pass',
    code: 0,
    meaning: 'the run is complete, its figures count, and it keeps its objectives',
  },
] as const;

export type ExitName = (typeof exitCodes)[number]['name'];

export const exitCode = (name: ExitName): number =>
  exitCodes.find((row) => row.name === name)?.code ?? 1;

export const exitMeaning = (name: ExitName): string =>
  exitCodes.find((row) => row.name === name)?.meaning ?? name;

export const gravestExit = (names: readonly ExitName[]): ExitName =>
  exitCodes.find(({ name }) => names.includes(name))?.name ?? 'pass';

/** Maps each way of stopping a run to the exit of the run. */
export const exitOfStop = {
  SIGINT: 'interrupted',
  SIGTERM: 'terminated',
  SIGHUP: 'hangup',
  AbortSignal: 'incomplete',
  'the coordinator': 'incomplete',
  'the live page': 'interrupted',
} as const satisfies Record<StopCause, ExitName>;
