import { errorBarOf } from '../../../model/result/error-bar.ts';
import { measures } from '../../../model/measures/measures.ts';
import type { Result } from '../../../model/result/result.ts';
import { sliceName } from '../../../model/result/slice-name.ts';
import { measuresPresent } from '../../../model/result/summary.ts';
import { runTotalsMeaning } from '../../summary/cost-and-audio.ts';
import { measurementErrorMeaning } from '../../summary/measurement-error-text.ts';
import { lagSubject } from '../../summary/figures.ts';
import { arrivalMeaning } from '../../summary/outcome-text.ts';
import { planTerms } from '../../summary/plan-terms.ts';
import { markup, type Markup } from '../../text/markup.ts';

const pairs = (entries: readonly { readonly term: string; readonly text: string }[]): Markup =>
  markup`<dl class="pairs">
    ${entries.map(
      ({ term, text }) =>
        markup`<dt>${term}</dt>
          <dd>${text}</dd>`,
    )}
  </dl>`;

/** The plan, with prompts counted and secrets left as the references they are. */
export const scenarioSection = ({ plan, ...result }: Result): Markup => {
  const machines = result.slices.map(({ machine, ...slice }) => ({
    term: slice.count === 1 ? 'Generator' : `Generator of ${sliceName(result, slice)}`,
    text: `Node ${machine.node} on ${machine.platform}, ${machine.cores} × ${machine.cpu}`,
  }));
  return pairs([
    ...planTerms(plan),
    { term: 'Plan hash', text: result.planHash },
    {
      term: 'Run',
      text: `${result.runId}, begun ${result.startedAt}, written by Weir ${result.weir}`,
    },
    ...machines,
  ]);
};

const rateDefinitions = [
  {
    term: 'Requests per second',
    text: 'Over the measured window, the whole seconds from the end of the warm-up to the end of the load: offered are the requests that were due in it, sent those sent in it, completed those that ended in it, each divided by its length. Over the whole run: all requests sent and completed, divided by the time until the load and the last request had ended.',
  },
  {
    term: 'Tokens per second',
    text: 'Tokens of completed answers that came in the measured window, divided by its length: a stream’s output counts when its token events come, all else when the answer ends. Counts from several sources are added up there, and their sources named; over the whole run they stand apart.',
  },
  {
    term: 'Audio per second',
    text: 'Seconds of audio received from speech, and sent for transcription, of completed answers that ended in the measured window, divided by its length: a rate of the run, where a real-time factor is one of each request.',
  },
  { term: 'Total cost', text: runTotalsMeaning },
  {
    term: 'Percentile',
    text: 'Nearest rank: the smallest sample that the given share does not exceed. Percentiles over time belong to the second in which the request was due and are left out where their bin holds no sample beyond them.',
  },
];

/** What each measure in this report means: measures differ between tools under the same names. */
export const definitionsSection = (result: Result): Markup =>
  pairs([
    ...measuresPresent(result, () => true).map((name) => ({
      term: measures[name].label,
      text: measures[name].definition,
    })),
    { term: lagSubject.label, text: lagSubject.definition },
    ...(errorBarOf(result) === null ? [] : [{ term: 'Error bar', text: measurementErrorMeaning }]),
    ...Object.entries(arrivalMeaning).map(([name, text]) => ({ term: name, text })),
    ...rateDefinitions,
  ]);
