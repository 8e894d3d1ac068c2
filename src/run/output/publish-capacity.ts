import type { Printer } from '../input/host.ts';
import { fitScalability } from '../../judge/capacity/fit-scalability.ts';
import { judgeCapacity } from '../../judge/capacity/judge-capacity.ts';
import type { SearchTerms } from '../../judge/capacity/next-step.ts';
import { criteriaTexts } from '../../judge/capacity/step-objectives.ts';
import type { CapacityReport, CapacityStep } from '../../model/series/capacity.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { wallClock } from '../../platform/host/clock.ts';
import type { RunFolder } from '../../platform/files/run-folder.ts';
import { weirVersion } from '../../platform/host/machine.ts';
import { capacityDocument } from '../../report/capacity/capacity-document.ts';
import type { ExitName } from './exit-codes.ts';
import { outputFiles } from './output-folder.ts';
import { dataIn, pageIn, printed, publishOutcome } from './write-outputs.ts';

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
