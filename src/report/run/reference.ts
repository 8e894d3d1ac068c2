import { errorBarOf } from '../../model/result/error-bar.ts';
import { measures } from '../../model/measures/measures.ts';
import type { Result } from '../../model/result/result.ts';
import { sliceName } from '../../model/result/slice-name.ts';
import { measuresPresent } from '../../model/result/summary.ts';
import { runTotalsMeaning } from '../summary/cost-and-audio.ts';
import { measurementErrorMeaning } from '../summary/measurement-error-text.ts';
import { lagSubject } from '../summary/figures.ts';
import { arrivalMeaning } from '../summary/outcome-text.ts';
import { planTerms } from '../summary/plan-terms.ts';
import { section, type Section } from '../document/document.ts';

interface Pair {
  readonly term: string;
  readonly text: string;
}

const factSection = (title: string, pairs: readonly Pair[]): Section =>
  section(title, [{ kind: 'facts', rows: pairs.map(({ term, text }) => [term, text] as const) }], {
    media: ['html'],
  });

/** The plan, with prompts counted and secrets as references. */
export const scenarioSection = ({ plan, ...result }: Result): Section => {
  const machines = result.slices.map(({ machine, ...slice }) => ({
    term: slice.count === 1 ? 'Generator' : `Generator of ${sliceName(result, slice)}`,
    text: `Node ${machine.node} on ${machine.platform}, ${machine.cores} × ${machine.cpu}`,
  }));
  return factSection('Scenario', [
    ...planTerms(plan),
    { term: 'Plan hash', text: result.planHash },
    {
      term: 'Run',
      text: `${result.runId}, started ${result.startedAt}, written by Weir ${result.weir}`,
    },
    ...machines,
  ]);
};

const rateDefinitions = [
  {
    term: 'Requests per second',
    text: 'Over the measured window, which is the whole seconds from the end of the warm-up to the end of the load: requests due (offered), sent and completed in the window, divided by its length. Over the whole run: all requests sent and completed, divided by the time until both the load and the last request ended.',
  },
  {
    term: 'Tokens per second',
    text: 'Tokens of completed answers in the measured window, divided by its length. The output of a stream counts when its token events arrive, everything else when the answer ends. Counts from several sources are added up, and the sources are named; over the whole run each source is shown separately.',
  },
  {
    term: 'Audio per second',
    text: 'Seconds of audio received from speech and sent for transcription, of completed answers that ended in the measured window, divided by its length. It is a rate of the run; a real-time factor is a figure of each request.',
  },
  { term: 'Total cost', text: runTotalsMeaning },
  {
    term: 'Percentile',
    text: 'Nearest rank: the smallest sample that at least the given share of samples does not exceed. Percentiles over time are assigned to the second in which the request was due; a bin without a sample beyond a percentile does not show it.',
  },
];

/** What each measure in this report means, since tools define measures of the same name differently. */
export const definitionsSection = (result: Result): Section =>
  factSection('Definitions', [
    ...measuresPresent(result, () => true).map((name) => ({
      term: measures[name].label,
      text: measures[name].definition,
    })),
    { term: lagSubject.label, text: lagSubject.definition },
    ...(errorBarOf(result) === null
      ? []
      : [{ term: 'Measurement error', text: measurementErrorMeaning }]),
    ...Object.entries(arrivalMeaning).map(([name, text]) => ({ term: name, text })),
    ...rateDefinitions,
  ]);
