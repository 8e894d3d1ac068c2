import type { Result } from '../../model/result/result.ts';
import { sliceNoun } from '../../model/result/slice-name.ts';
import type { Trust } from '../../model/result/verdict.ts';
import {
  type Block,
  fold,
  list,
  only,
  picture,
  type ReportDocument,
  section,
  type Section,
  text,
  trustTones,
} from '../document/document.ts';
import { markdownText } from '../document/markdown-writer.ts';
import { loadsText, loadText } from '../summary/workload-text.ts';
import { addressText, trafficMixText } from '../summary/plan-terms.ts';
import { runDuration } from '../summary/rates.ts';
import { runVerdict } from '../summary/run-verdict.ts';
import { plural, timeText } from '../text/number-text.ts';
import { present } from '../text/present.ts';
import { costSection } from './cost.ts';
import { lagTable, rateSection, speedSection } from './figures.ts';
import { keysSection } from './keys.ts';
import { cellTexts, kindTable, marksText } from './kind-table.ts';
import { outcomesSection } from './outcomes.ts';
import { referenceSection } from './reference.ts';
import {
  firstCharts,
  flowCharts,
  healthCharts,
  type RunCharts,
  speedCharts,
} from './run-charts.ts';
import { serverSection } from './server.ts';
import { sliceTable } from './slice-table.ts';
import { tilesMarkup } from './tiles.ts';
import { evidenceFold, gravestTone, objectivesSection, runIntroduction } from './verdict.ts';

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

/** The target, the load and the keys in one line, for the head of the page. */
const whatRan = (result: Result): string => {
  const { plan, baseUrl } = result;
  const time = plan.stages.length === 1 ? '' : `, ${timeText(result.scheduled)}`;
  const parts = [
    `${loadsText(plan)}${time}`,
    plural(plan.keys.length, 'key'),
    ...slicesText(result),
  ];
  return `${addressText(baseUrl)}: ${parts.join('; ')}`;
};

/** What a reader of the page sees before anything else: tiles, two charts, one table. */
const firstBlocks = (result: Result, trust: Trust, charts: RunCharts): readonly Block[] => {
  const kinds = kindTable(result, trust);
  return [
    picture(() => tilesMarkup(result, trust)),
    firstCharts(charts),
    only(['html'], kinds),
    only(['html'], text(marksText(cellTexts(kinds)), 'quiet')),
  ];
};

/** Whether the load generator was healthy, with the evidence. */
const trustSection = (result: Result, trust: Trust, charts: RunCharts | null): Section =>
  only(
    ['html'],
    section(
      'Can I trust it?',
      [
        evidenceFold(result, trust),
        lagTable(result),
        sliceTable(result),
        charts !== null &&
          fold('The load generator over time', [healthCharts(charts)], trust.level !== 'valid'),
      ],
      'trust',
    ),
  );

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
  const slices = sliceTable(result);
  return {
    weir,
    title: plan.name,
    description: present([plan.description, charts !== null && whatRan(result)]),
    verdict: { text: verdict.title, tone: trustTones[verdict.level] },
    tone: gravestTone(result, trust),
    introduction: runIntroduction(result, trust),
    blocks: present([
      only(['terminal', 'markdown'], list(runTexts(result), 'quiet')),
      ...(charts === null ? [] : firstBlocks(result, trust, charts)),
      objectivesSection(result),
      speedSection(result, trust, charts === null ? [] : speedCharts(result, trust, charts)),
      rateSection(result, charts === null ? [] : [flowCharts(charts)]),
      serverSection(result, charts?.server ?? []),
      outcomesSection(result),
      keysSection(result, charts?.keys ?? []),
      costSection(result),
      trustSection(result, trust, charts),
      slices !== null && only(['terminal', 'markdown'], section('Slices', [slices])),
      referenceSection(result),
      only(['markdown'], text(`Started ${startedAt}, Weir ${weir}.`, 'quiet')),
    ]),
    footer: `Measured by Weir ${weir}, started ${startedAt}.`,
  };
};

/** A run for the summary page of a CI job, in GitHub's Markdown. */
export const stepSummary = (result: Result, trust: Trust): string =>
  markdownText(runDocument(result, trust));
