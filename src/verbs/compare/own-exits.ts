import { failsRun, type ObjectiveVerdict } from '../../model/result/objective-verdict.ts';
import type { Result } from '../../model/result/result.ts';
import { listed } from '../../report/text/number-text.ts';
import { exitCode, exitMeaning, type ExitName } from '../../run/output/exit-codes.ts';
import { leavesUndecided } from '../../run/output/judge-result.ts';

/** One run of a compared series, which prints no result of its own. */
export interface RunExit {
  readonly folder: string;
  readonly exit: ExitName;
  readonly result: Pick<Result, 'verdicts' | 'partial'>;
}

/**
 * The exits that need no reason here: a pass, and the exits of runs that do not count, whose reasons were named before.
 */
const named: readonly ExitName[] = ['pass', 'invalid', 'empty'];

const textsOf = (
  { result: { verdicts = [] } }: RunExit,
  isMeant: (verdict: ObjectiveVerdict) => boolean,
): string => listed(verdicts.filter(isMeant).map(({ text }) => text));

const reasons: Readonly<Partial<Record<ExitName, (run: RunExit) => string>>> = {
  objective: (run) => `not kept: ${textsOf(run, failsRun)}`,
  inconclusive: (run) => {
    const unsure = textsOf(run, leavesUndecided);
    return unsure === ''
      ? 'the judged limits are undecided, which --strict does not let pass'
      : `not sure, which --strict does not let pass: ${unsure}`;
  },
  violated: () => 'a limit is violated',
  incomplete: ({ result }) => result.partial ?? 'a part of the load was not sent',
};

const reasonOf = (run: RunExit): string => reasons[run.exit]?.(run) ?? exitMeaning(run.exit);

/**
 * Says which runs of a compared series end the series with their own exit code, whatever the comparison finds.
 */
export const ownExitLines = (runs: readonly RunExit[]): readonly string[] => {
  const own = runs.filter(({ exit }) => !named.includes(exit));
  if (own.length === 0) return [];
  return [
    `${own.length} of ${runs.length} runs ${own.length === 1 ? 'has an exit code of its own' : 'have exit codes of their own'}, whatever the comparison says:`,
    ...own.map((run) => `  ${run.folder}: ${exitCode(run.exit)}, ${reasonOf(run)}.`),
  ];
};
