import type { OutputOptions } from '../input/run-request.ts';
import { fitScalability } from '../../judge/capacity/fit-scalability.ts';
import { judgeCapacity } from '../../judge/capacity/judge-capacity.ts';
import type { SearchTerms } from '../../judge/capacity/next-step.ts';
import { criteriaTexts } from '../../judge/capacity/step-objectives.ts';
import type { CapacityReport, CapacityStep } from '../../model/series/capacity.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { wallClock } from '../../platform/host/clock.ts';
import type { RunFolder } from '../../platform/files/run-folder.ts';
import { weirVersion } from '../../platform/host/machine.ts';
import { readReportAssets } from '../../platform/files/report-assets.ts';
import { capacityHtml } from '../../report/capacity/capacity-html.ts';
import { capacityTerminal } from '../../report/capacity/capacity-terminal.ts';
import type { ExitName } from './exit-codes.ts';
import { stdoutStyle, toStderr, toStdout } from '../../platform/standard-streams.ts';

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

/** Judges the steps, writes the answer's forms into the folder and tells it. */
export const publishCapacity = async (
  measured: MeasuredCapacity,
  folder: RunFolder,
  { json, quiet }: Pick<OutputOptions, 'json' | 'quiet'>,
): Promise<ExitName> => {
  const report = reportOf(measured);
  const text = `${JSON.stringify(report)}\n`;
  const { pageStyle } = await readReportAssets();
  const resultPath = await folder.write('capacity.json', text);
  const pagePath = await folder.write('capacity.html', capacityHtml(report, pageStyle));
  if (json) toStdout(text);
  else if (!quiet) toStdout(capacityTerminal(report, stdoutStyle()));
  if (!quiet) toStderr(`Report: ${pagePath}\nResult: ${resultPath}`);
  if (report.answer !== null) return 'pass';
  return report.steps.some(({ verdict }) => verdict === 'broken') ? 'objective' : 'invalid';
};
