import { errorBarOf } from '../../model/result/error-bar.ts';
import { measures } from '../../model/measures/measures.ts';
import type { Result } from '../../model/result/result.ts';
import { sliceName } from '../../model/result/slice-name.ts';
import { measuresPresent } from '../../model/result/summary.ts';
import {
  type Block,
  type Fact,
  facts,
  fold,
  only,
  section,
  type Section,
} from '../document/document.ts';
import { lagSubject } from '../summary/figures.ts';
import { arrivalMeaning } from '../summary/outcome-text.ts';
import { planTerms } from '../summary/plan-terms.ts';
import { measurementErrorMeaning, selfTestMeaning } from '../summary/run-verdict.ts';
import type { Optional } from '../text/present.ts';
import { runTotalsMeaning } from './cost.ts';

const factFold = (title: string, rows: readonly Optional<Fact>[]): Block =>
  fold(title, [facts(rows)]);

/** The plan, with prompts counted and secrets as references. */
const scenarioFold = ({ plan, ...result }: Result): Block =>
  factFold('The scenario, as it was run', [
    ...planTerms(plan),
    ['Plan hash', result.planHash],
    ['Run', `${result.runId}, started ${result.startedAt}, written by Weir ${result.weir}`],
    ...result.slices.map(({ machine, ...slice }): Fact => [
      slice.count === 1 ? 'Generator' : `Generator of ${sliceName(result, slice)}`,
      `Node ${machine.node} on ${machine.platform}, ${machine.cores} × ${machine.cpu}`,
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

/** What each measure in this report means, since tools define measures of the same name differently. */
const definitionsFold = (result: Result): Block =>
  factFold('What each figure means', [
    ...[...measuresPresent(result, () => true).map((name) => measures[name]), lagSubject].map(
      ({ label, definition }): Fact => [label, definition],
    ),
    ['Measurement error', measurementErrorMeaning],
    errorBarOf(result) !== null && ['Lateness of the self-test streams', selfTestMeaning],
    ...Object.entries(arrivalMeaning),
    ...Object.entries(rateDefinitions),
  ]);

/** What was run, and how its figures are defined. */
export const referenceSection = (result: Result): Section =>
  only(['html'], section('Reference', [scenarioFold(result), definitionsFold(result)]));
