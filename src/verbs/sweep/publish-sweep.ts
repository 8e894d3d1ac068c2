import { judgeSweep, type MadeSweep } from './judge/judge-sweep.ts';
import type { Plan } from '../../model/plan/plan.ts';
import type { SweepReport } from './model/sweep.ts';
import type { RunFolder } from '../../platform/files/run-folder.ts';
import { wallClock } from '../../platform/host/clock.ts';
import { weirVersion } from '../../platform/host/machine.ts';
import { terminalText, terminalVerdict } from '../../report/document/terminal-writer.ts';
import { sweepDocument, sweepOverview } from './report/sweep-document.ts';
import { sweepHeadline, sweepTone } from './report/sweep-text.ts';
import type { Printer } from '../../run/input/host.ts';
import { type ExitName, exitCode, gravestExit } from '../../run/output/exit-codes.ts';
import { outputFiles } from '../../run/output/output-folder.ts';
import { dataIn, pageIn, publishOutcome } from '../../run/output/write-outputs.ts';

/** What a sweep has made, and what it was to be. */
export interface FinishedSweep extends MadeSweep {
  /** Of its first point. */
  readonly plan: Plan;
  readonly repetitions: number;
  readonly target: string;
  readonly partial: string | null;
}

const reportOf = (made: FinishedSweep): SweepReport => {
  const { plan, variables, repetitions, target, partial } = made;
  return {
    format: 'sweep/1',
    weir: weirVersion(),
    judgedAt: wallClock(),
    name: plan.name,
    target,
    seed: plan.seed,
    variables: [...variables],
    repetitions,
    objectives: [...plan.objectives, ...plan.perRequest].map(({ text }) => text),
    ...judgeSweep(made, plan),
    partial,
  };
};

/** A point that does not count leaves the question open; one that breaks an objective answers it. */
const exitFor = ({ points, partial }: SweepReport): ExitName => {
  const verdicts = new Set(points.map(({ verdict }) => verdict));
  return gravestExit([
    ...(partial === null && !verdicts.has('missing') ? [] : (['incomplete'] as const)),
    ...(verdicts.has('excluded') ? (['invalid'] as const) : []),
    ...(verdicts.has('kept') ? [] : (['objective'] as const)),
  ]);
};

/** Judges the points, writes the report into the folder and prints it; `stopped` is the exit of a sweep that was stopped. */
export const publishSweep = async (
  made: FinishedSweep,
  folder: RunFolder,
  printer: Printer,
  stopped: ExitName | null,
): Promise<ExitName> => {
  const report = reportOf(made);
  const exit = stopped ?? exitFor(report);
  const code = exitCode(exit);
  const json = `${JSON.stringify(report)}\n`;
  const document = sweepDocument(report);
  const verdict = `${code === 0 ? '' : `Exit ${code}. `}${sweepHeadline(report)}.`;
  const written = await publishOutcome(
    printer,
    {
      json,
      text: (style) => terminalText(sweepOverview(report), style),
      closing: (style) => terminalVerdict(verdict, code === 0 ? sweepTone(report) : 'bad', style),
      isGood: code === 0,
    },
    [
      pageIn(folder, outputFiles.sweep.page, document),
      dataIn(folder, outputFiles.sweep.data, json),
    ],
  );
  return gravestExit([exit, written]);
};
