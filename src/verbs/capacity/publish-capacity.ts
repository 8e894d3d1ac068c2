import type { Printer } from '../../run/input/host.ts';
import { fitScalability } from './judge/fit-scalability.ts';
import { judgeCapacity } from './judge/judge-capacity.ts';
import type { SearchTerms } from './judge/next-step.ts';
import { criteriaTexts } from './judge/step-objectives.ts';
import type { CapacityReport, CapacityStep } from './model/capacity.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { wallClock } from '../../platform/host/clock.ts';
import type { RunFolder } from '../../platform/files/run-folder.ts';
import { weirVersion } from '../../platform/host/machine.ts';
import { capacityDocument } from './report/capacity-document.ts';
import type { ExitName } from '../../run/output/exit-codes.ts';
import { outputFiles } from '../../run/output/output-folder.ts';
import { dataIn, pageIn, printed, publishOutcome } from '../../run/output/write-outputs.ts';

/** What was measured of a target. */
export interface MeasuredCapacity {
  readonly plan: Plan;
  readonly terms: SearchTerms;
  readonly steps: readonly CapacityStep[];
  readonly target: string;
  readonly notes: readonly string[];
}

const reportOf = ({ plan, terms, steps, target, notes }: MeasuredCapacity): CapacityReport => {
  const { forLatency, samples: _, ...reportedTerms } = terms;
  return {
    format: 'capacity/1',
    weir: weirVersion(),
    judgedAt: wallClock(),
    name: plan.name,
    target,
    terms: reportedTerms,
    objectives: [...criteriaTexts(plan)],
    steps: [...steps],
    answer: judgeCapacity(steps, terms, forLatency),
    fit: fitScalability(steps),
    notes: [...notes],
  };
};

/** Judges the steps, writes the answer into the folder and prints it. */
export const publishCapacity = async (
  measured: MeasuredCapacity,
  folder: RunFolder,
  printer: Printer,
): Promise<ExitName> => {
  const report = reportOf(measured);
  const json = `${JSON.stringify(report)}\n`;
  const document = capacityDocument(report);
  const written = await publishOutcome(printer, printed(document, json), [
    pageIn(folder, outputFiles.capacity.page, document),
    dataIn(folder, outputFiles.capacity.data, json),
  ]);
  if (report.answer !== null) return written;
  return report.steps.some(({ verdict }) => verdict === 'broken') ? 'objective' : 'invalid';
};
