import { fitScalability } from '../judge/capacity/fit-scalability.ts';
import { judgeCapacity } from '../judge/capacity/judge-capacity.ts';
import type { SearchTerms } from '../judge/capacity/next-step.ts';
import { objectiveTexts } from '../judge/capacity/step-objectives.ts';
import type { CapacityReport, CapacityStep } from '../model/capacity.ts';
import type { Plan } from '../model/plan.ts';
import { wallClock } from '../platform/clock.ts';
import type { RunFolder } from '../platform/files.ts';
import { weirVersion } from '../platform/machine.ts';
import { readReportAssets } from '../platform/report-assets.ts';
import { capacityHtml } from '../report/capacity/capacity-html.ts';
import { capacityTerminal } from '../report/capacity/capacity-terminal.ts';
import type { ExitName } from './exit-codes.ts';
import type { Telling } from './report-options.ts';
import { stdoutLook, toStderr, toStdout } from './streams.ts';

/** What was measured of a target. */
export interface CapacityEvidence {
  readonly plan: Plan;
  readonly terms: SearchTerms;
  readonly steps: readonly CapacityStep[];
  readonly target: string;
  readonly notes: readonly string[];
}

const reportOf = ({ plan, terms, steps, target, notes }: CapacityEvidence): CapacityReport => {
  const { forLatency, samples: _, ...told } = terms;
  return {
    ...{ format: 'capacity/1', weir: weirVersion(), judgedAt: wallClock() },
    ...{ name: plan.name, target, terms: told, objectives: [...objectiveTexts(plan)] },
    steps: [...steps],
    answer: judgeCapacity(steps, terms, forLatency),
    fit: fitScalability(steps),
    notes: [...notes],
  };
};

/** Judges the steps, writes the answer's forms into the folder and tells it. */
export const publishCapacity = async (
  evidence: CapacityEvidence,
  folder: RunFolder,
  { json, quiet }: Pick<Telling, 'json' | 'quiet'>,
): Promise<ExitName> => {
  const report = reportOf(evidence);
  const text = `${JSON.stringify(report)}\n`;
  const { pageStyle } = await readReportAssets();
  const data = await folder.write('capacity.json', text);
  const page = await folder.write('capacity.html', capacityHtml(report, pageStyle));
  if (json) toStdout(text);
  else if (!quiet) toStdout(capacityTerminal(report, stdoutLook()));
  if (!quiet) toStderr(`Report: ${page}\nResult: ${data}`);
  if (report.answer !== null) return 'pass';
  return report.steps.some(({ verdict }) => verdict === 'broken') ? 'objective' : 'invalid';
};
