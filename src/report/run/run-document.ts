import type { Result } from '../../model/result/result.ts';
import { sliceNoun } from '../../model/result/slice-name.ts';
import type { Trust } from '../../model/result/verdict.ts';
import { list, only, type ReportDocument, text, trustTones } from '../document/document.ts';
import { markdownText } from '../document/markdown-writer.ts';
import { loadText } from '../summary/workload-text.ts';
import { addressText, trafficMixText } from '../summary/plan-terms.ts';
import { runDuration } from '../summary/rates.ts';
import { runVerdict } from '../summary/run-verdict.ts';
import { plural, timeText } from '../text/number-text.ts';
import { present } from '../text/present.ts';
import { costSection } from './cost.ts';
import { figuresSection } from './figures.ts';
import { keysSection } from './keys.ts';
import { outcomesSection } from './outcomes.ts';
import { definitionsSection, scenarioSection } from './reference.ts';
import { chartSections, type RunCharts } from './run-charts.ts';
import { gravestTone, objectivesSection, runIntroduction } from './verdict.ts';

/** Names the workers (which share one clock) or slices of a run; empty for a single one. */
export const slicesText = ({ slices }: Pick<Result, 'slices'>): readonly string[] =>
  slices.length === 1 ? [] : [plural(slices.length, sliceNoun(slices))];

/** The target, the load and who sent it. */
const runTexts = (result: Result): readonly string[] => {
  const { plan } = result;
  const warmUp = plan.warmUp === 0 ? 'no warm-up' : `${timeText(plan.warmUp)} of warm-up`;
  const keys = `${plural(plan.keys.length, 'key')}: ${plan.keys.map(({ name }) => name).join(', ')}`;
  return [
    `${plan.name} → ${addressText(result.baseUrl)}`,
    `${timeText(result.scheduled)} of load, ${timeText(runDuration(result))} in total, ${warmUp}; ${[keys, ...slicesText(result)].join('; ')}`,
    ...plan.stages.map(
      (stage) => `${stage.name}: ${loadText(stage.load)}; ${trafficMixText(stage)}`,
    ),
  ];
};

/**
 * The report of a run: whether to trust it, what ran, then figures and outcomes.
 * The order of the sections is the same in every medium; `charts` are those of the page.
 */
export const runDocument = (
  result: Result,
  trust: Trust,
  charts: RunCharts | null = null,
): ReportDocument => {
  const { plan, weir, startedAt } = result;
  const verdict = runVerdict(result, trust);
  return {
    weir,
    title: plan.name,
    description: present([plan.description]),
    verdict: { text: verdict.title, tone: trustTones[verdict.level] },
    tone: gravestTone(result, trust),
    introduction: runIntroduction(result, trust),
    blocks: present([
      list(runTexts(result), 'quiet'),
      objectivesSection(result),
      figuresSection(result, trust),
      outcomesSection(result),
      costSection(result),
      ...(charts === null ? [] : chartSections(result, trust, charts)),
      keysSection(result, charts?.keys ?? []),
      scenarioSection(result),
      definitionsSection(result),
      only(['markdown'], text(`Started ${startedAt}, Weir ${weir}.`, 'quiet')),
    ]),
    footer: `Measured by Weir ${weir}, started ${startedAt}.`,
  };
};

/** A run for the summary page of a CI job, in GitHub's Markdown. */
export const stepSummary = (result: Result, trust: Trust): string =>
  markdownText(runDocument(result, trust));
