import { decodeHistogram } from '../../model/measures/histogram.ts';
import { quantile } from '../../model/measures/quantile.ts';
import type { Result, SliceRun } from '../../model/result/result.ts';
import { sliceName, sliceNoun } from '../../model/result/slice-name.ts';
import {
  type Block,
  column,
  table,
  type Fact,
  facts,
  fold,
  only,
  section,
  type Section,
  list,
  picture,
  type ReportDocument,
  text,
} from '../document/document.ts';
import { figureText, plural, timeText } from '../text/number-text.ts';
import { errorBarOf } from '../../model/result/error-bar.ts';
import { measures } from '../../model/measures/measures.ts';
import { measuresPresent } from '../../model/result/summary.ts';
import { lagSubject } from '../summary/figures.ts';
import { arrivalMeaning } from '../summary/outcome-text.ts';
import { planTerms, addressText, trafficMixText } from '../summary/plan-terms.ts';
import { measurementErrorMeaning, selfTestMeaning, runVerdict } from '../summary/run-verdict.ts';
import { present } from '../text/present.ts';
import { runTotalsMeaning, costSection } from './cost.ts';
import type { Trust } from '../../model/result/verdict.ts';
import { markdownText } from '../document/markdown-writer.ts';
import { loadsText, loadTexts } from '../summary/workload-text.ts';
import { runDuration } from '../summary/rates.ts';
import { lagTable, rateSection, speedSection } from './figures.ts';
import { keysSection } from './keys.ts';
import { kindTable, marksText, tilesMarkup } from './headline.ts';
import { promptCacheSection } from './prompt-cache.ts';
import { usageSection } from './usage-audit.ts';
import { outcomesSection } from './outcomes.ts';
import {
  firstCharts,
  flowCharts,
  healthCharts,
  type RunCharts,
  speedCharts,
} from './run-charts.ts';
import { serverSection } from './server.ts';
import { evidenceFold, objectivesSection, runIntroduction, verdictTone } from './verdict.ts';

const offsetText = ({ clockOffset }: SliceRun): string => {
  if (clockOffset === undefined) return 'not measured';
  const { offset, uncertainty } = clockOffset;
  const sign = offset < 0 ? '−' : '+';
  return `${sign}${figureText(Math.abs(offset))} ± ${figureText(uncertainty)}`;
};

const lagText = ({ lag }: SliceRun, q: number): string => {
  const found = lag && quantile(decodeHistogram(lag), q);
  return found ? figureText(found.value) : '–';
};

/**
 * Makes the table of the slices that a coordinator joined, with the clock offset and the lag of each slice; `null` for
 * other runs.
 */
const sliceTable = (result: Result): Block | null => {
  const { slices } = result;
  if (slices.every(({ host }) => host === undefined)) return null;
  return table<SliceRun>(
    'Slices: clocks and lags in ms; a clock is ahead (+) of the coordinator’s or behind it (−)',
    [
      column.name('Slice', (slice) => sliceName(result, slice)),
      column.text('Machine', ({ host = '–' }) => host),
      column.number('Clock', offsetText),
      column.number('Lag p50', (slice) => lagText(slice, 0.5)),
      column.number('Lag p99', (slice) => lagText(slice, 0.99)),
      column.text('Trust', ({ trust = '–' }) => trust),
    ],
    slices,
  );
};

/** Shows the plan. The number of prompts replaces the prompts, and references replace the secrets. */
const scenarioFold = ({ plan, ...result }: Result): Block =>
  fold('The scenario, as it was run', [
    facts([
      ...planTerms(plan),
      ['Plan hash', result.planHash],
      ['Run', `${result.runId}, started ${result.startedAt}, written by Weir ${result.weir}`],
      ...result.slices.map(({ machine, ...slice }): Fact => [
        slice.count === 1 ? 'Generator' : `Generator of ${sliceName(result, slice)}`,
        `Node ${machine.node} on ${machine.platform}, ${machine.cores} × ${machine.cpu}`,
      ]),
    ]),
  ]);

const rateDefinitions = {
  'Requests per second':
    'Over the measured window, which is the whole seconds from the end of the warm-up to the end of the load: requests due (offered), sent and completed in the window, divided by its length. Over the whole run: all requests sent and completed, divided by the time until both the load and the last request ended.',
  'Tokens per second':
    'Tokens of completed answers in the measured window, divided by its length. The output of a stream counts when its token events arrive, everything else when the answer ends. Counts from several sources are added up, and the sources are named; over the whole run each source is shown separately.',
  'Audio per second':
    'Seconds of audio received from speech and sent for transcription, of completed answers that ended in the measured window, divided by its length. It is a rate of the run; a real-time factor is a figure of each request.',
  'Total cost': runTotalsMeaning,
  Percentile:
    'Nearest rank: the smallest sample that at least the given share of samples does not exceed. Percentiles over time are assigned to the second in which the request was due; a bin without a sample beyond a percentile does not show it.',
};

/** Explains each measure in this report, since other tools may use the same name for another measure. */
const definitionsFold = (result: Result): Block =>
  fold('What each figure means', [
    facts([
      ...[...measuresPresent(result, () => true).map((name) => measures[name]), lagSubject].map(
        ({ label, definition }): Fact => [label, definition],
      ),
      ['Measurement error', measurementErrorMeaning],
      errorBarOf(result) !== null && ['Lateness of the self-test streams', selfTestMeaning],
      ...Object.entries(arrivalMeaning),
      ...Object.entries(rateDefinitions),
    ]),
  ]);

const referenceSection = (result: Result): Section =>
  only(['html'], section('Reference', [scenarioFold(result), definitionsFold(result)]));

/** Returns the number of workers or slices of a run; empty if there is only one. */
export const slicesText = ({ slices }: Pick<Result, 'slices'>): readonly string[] =>
  slices.length === 1 ? [] : [plural(slices.length, sliceNoun(slices))];

const warmUpText = ({ plan, warmUp }: Result): string => {
  const length = plan.warmUp === 0 ? 'no warm-up' : `${timeText(plan.warmUp)} of warm-up`;
  if (plan.autoWarmUp === undefined) return length;
  if (warmUp === undefined) return `${length}, its end not looked for since slices are missing`;
  const how = warmUp.isSteady ? 'found by the run' : 'no end of it found';
  return `${length} (${how}, ${plural(warmUp.excluded, 'request')})`;
};

const runTexts = (result: Result): readonly string[] => {
  const { plan } = result;
  const keys = `${plural(plan.keys.length, 'key')}: ${plan.keys.map(({ name }) => name).join(', ')}`;
  return [
    `${plan.name} → ${addressText(result.baseUrl)}`,
    `${timeText(result.scheduled)} of load, ${timeText(runDuration(result))} in total, ${warmUpText(result)}; ${[keys, ...slicesText(result)].join('; ')}`,
    ...loadTexts(result).map((load, place) => {
      const stage = plan.stages[place]!;
      return `${stage.name}: ${load}; ${trafficMixText(stage)}`;
    }),
  ];
};

/** Describes the target, the load and the keys in one line, for the head of the page. */
const whatRan = (result: Result): string => {
  const { plan, baseUrl } = result;
  const time = plan.stages.length === 1 ? '' : `, ${timeText(result.scheduled)}`;
  const keys = plural(plan.keys.length, 'key');
  const parts = [`${loadsText(result)}${time}`, keys, ...slicesText(result)];
  return `${addressText(baseUrl)}: ${parts.join('; ')}`;
};

/** Returns the first blocks of the page: tiles, two charts, and one table. */
const firstBlocks = (result: Result, trust: Trust, charts: RunCharts): readonly Block[] => {
  const kinds = kindTable(result, trust);
  return [
    picture(() => tilesMarkup(result, trust)),
    firstCharts(charts),
    only(['html'], kinds),
    only(['html'], text(marksText(kinds), 'quiet')),
  ];
};

const trustSection = (result: Result, trust: Trust, charts: RunCharts | null): Section => {
  const title = 'The load generator over time';
  const blocks = [
    evidenceFold(result, trust),
    lagTable(result),
    sliceTable(result),
    charts !== null && fold(title, [healthCharts(charts)], trust.level !== 'valid'),
  ];
  return only(['html'], section('Can I trust it?', blocks, 'trust'));
};

/** Builds the report of a run. The order of sections is equal in every medium. Only the page shows `charts`. */
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
    verdict: { text: verdict.title, tone: verdictTone(result, trust) },
    introduction: runIntroduction(result, trust),
    blocks: present([
      only(['terminal', 'markdown'], list(runTexts(result), 'quiet')),
      ...(charts === null ? [] : firstBlocks(result, trust, charts)),
      objectivesSection(result),
      speedSection(result, trust, charts === null ? [] : speedCharts(result, trust, charts)),
      rateSection(result, charts === null ? [] : [flowCharts(charts)]),
      serverSection(result, charts?.server ?? []),
      promptCacheSection(result),
      outcomesSection(result),
      keysSection(result, charts?.keys ?? []),
      costSection(result),
      usageSection(result),
      trustSection(result, trust, charts),
      slices !== null && only(['terminal', 'markdown'], section('Slices', [slices])),
      referenceSection(result),
      only(['markdown'], text(`Started ${startedAt}, Weir ${weir}.`, 'quiet')),
    ]),
    footer: `Measured by Weir ${weir}, started ${startedAt}.`,
  };
};

/** Writes a run for the summary page of a CI job, in GitHub's Markdown. */
export const stepSummary = (result: Result, trust: Trust): string =>
  markdownText(runDocument(result, trust));
