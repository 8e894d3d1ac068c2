import type { MutantOutcome } from './try-mutants.ts';

/** What a sample of mutants says, as text. */

export const noticedPart = (outcomes: readonly Pick<MutantOutcome, 'noticedBy'>[]): number =>
  outcomes.filter(({ noticedBy }) => noticedBy !== null).length / outcomes.length;

type ShownOutcome = Omit<MutantOutcome, 'start' | 'removed' | 'inserted'>;

const rowOf = (room: string, outcomes: readonly ShownOutcome[]): string => {
  const noticed = outcomes.filter(({ noticedBy }) => noticedBy !== null).length;
  return `| ${room} | ${outcomes.length} | ${noticed} | ${Math.round(100 * noticedPart(outcomes))} % |`;
};

/** A row for each room, then each mutant that nobody noticed. */
export const mutantsTable = (outcomes: readonly ShownOutcome[]): string => {
  const byRoom = Object.entries(Object.groupBy(outcomes, ({ room }) => room)).toSorted(([a], [b]) =>
    a < b ? -1 : 1,
  );
  return [
    '| room | mutants | noticed | |',
    '| --- | --- | --- | --- |',
    ...byRoom.map(([room, ofRoom = []]) => rowOf(room, ofRoom)),
    rowOf('whole', outcomes),
    '',
    ...outcomes
      .filter(({ noticedBy }) => noticedBy === null)
      .map(
        ({ path, line, kind, tests, before, after }) =>
          `${path}:${line}: ${kind}, ${tests === 0 ? 'run by no test' : `run by ${tests} files of tests`}\n  - ${before}\n  + ${after}`,
      ),
  ].join('\n');
};
