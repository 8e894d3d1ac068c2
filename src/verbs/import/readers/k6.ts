import { parsedJson } from '../../../model/parsed-json.ts';
import { parseObjective } from '../../../scenario/compile/objective-grammar.ts';
import { isMapping } from '../../../scenario/text/scenario-tree.ts';
import { type Imported, ImportError, Notes } from './imported.ts';

/**
 * This file imports thresholds of k6, from a summary (`--summary-export`, or the data of `handleSummary`) or from k6's
 * options.
 */

/** What k6's metrics mean: distributions in ms, shares or rates. */
const metrics: Readonly<
  Record<string, readonly [kind: 'time' | 'share' | 'rate', figure: string]>
> = {
  http_req_duration: ['time', 'serviceTime'],
  http_req_waiting: ['time', 'headers'],
  http_req_connecting: ['time', 'connect'],
  http_req_failed: ['share', 'errorRate'],
  http_reqs: ['rate', 'sentRate'],
};

/** The reasons for which other metrics are not imported, by the metrics' names. */
const otherMetrics: readonly (readonly [names: RegExp, message: string])[] = [
  [
    /^checks$/,
    'write what an answer must be like as "expect" of a traffic entry; then errorRate has it',
  ],
  [
    /^(iteration|group_duration|vus)/,
    'Weir has requests in the place of iterations: use e2e or completedRate',
  ],
  [
    /^(http_req_|data_|dropped_)/,
    'Weir has no such figure: reports/figures.md lists what it measures',
  ],
];

const statistics: Readonly<Record<string, string>> = {
  avg: 'mean',
  med: 'median',
  min: 'min',
  max: 'max',
};

const thresholdPattern =
  /^\s*(avg|med|min|max|rate|count|value|p\((\d+(?:\.\d+)?)\))\s*(<=|>=|===|==|<|>|!=)\s*(-?\d+(?:\.\d+)?)\s*$/;

const plain = (n: number): string => String(Number(n.toPrecision(12)));

const percentileOf = (percent: number): string => {
  if (percent === 0) return 'min';
  return percent === 100 ? 'max' : `p${percent}`;
};

/** Reads a threshold of k6: a statistic, a comparison and a number. */
const readThreshold = (text: string) => {
  const [, statistic = '', percent, operator = '', bound] = thresholdPattern.exec(text) ?? [];
  if (bound === undefined) return null;
  const n = Number(bound);
  // A count is never below 0.
  const comparison = /^===?$/.test(operator) && n === 0 ? '<=' : operator;
  return {
    statistic,
    word: percent === undefined ? statistics[statistic] : percentileOf(Number(percent)),
    n,
    comparison,
  };
};

const withBound = {
  time: (figure: string, { word, comparison, n }: Threshold) =>
    word === undefined ? null : `${figure}.${word} ${comparison} ${plain(n)}ms`,
  share: (figure: string, { statistic, comparison, n }: Threshold) =>
    statistic === 'rate' ? `${figure} ${comparison} ${plain(n * 100)}%` : null,
  rate: (figure: string, { statistic, comparison, n }: Threshold) =>
    statistic === 'rate' ? `${figure} ${comparison} ${plain(n)}/s` : null,
};
type Threshold = NonNullable<ReturnType<typeof readThreshold>>;

/** Returns the objective for one threshold, or advice on what to do instead. */
const objectiveOf = (
  metric: string,
  threshold: string,
): { readonly objective: string } | { readonly problem: string } => {
  const [, name = '', tags] = /^([^{]+)(?:\{(.*)\})?$/.exec(metric) ?? [];
  const [kind, figure] = metrics[name] ?? [];
  if (kind === undefined) {
    const [, problem] = otherMetrics.find(([names]) => names.test(name)) ?? [];
    return { problem: problem ?? 'a metric of the script itself has no counterpart' };
  }
  // This tag selects completed requests. It changes nothing, since Weir's distributions contain only completed
  // requests.
  if (tags !== undefined && tags.replaceAll(' ', '') !== 'expected_response:true') {
    const labels = `${figure}{traffic=chat}: traffic, model, stage or key`;
    return { problem: `write the label itself, for example ${labels}` };
  }
  const read = readThreshold(threshold);
  if (read === null) return { problem: 'expected a threshold such as p(95)<800' };
  if (!/^[<>]=?$/.test(read.comparison)) return { problem: 'an objective has <, <=, > or >=' };
  const objective = withBound[kind](figure!, read);
  const problem = `Weir has no "${read.statistic}" of it: a load of the kind "iterations" has a number of requests`;
  if (objective === null) return { problem };
  const parsed = parseObjective(objective);
  return parsed.ok ? { objective } : { problem: parsed.error.message };
};

/**
 * Returns the texts of thresholds. They are the keys of a mapping, a text, or a list of texts or of `{ threshold }`.
 */
const thresholdTexts = (given: unknown): readonly string[] => {
  if (typeof given === 'string') return [given];
  if (Array.isArray(given))
    return given.map((each: unknown) => {
      const text = isMapping(each) ? each['threshold'] : each;
      return typeof text === 'string' ? text : '(no text)';
    });
  return isMapping(given) ? Object.keys(given) : [];
};

const thresholdsIn = (
  parsed: unknown,
): readonly (readonly [metric: string, threshold: string])[] | null => {
  if (!isMapping(parsed)) return null;
  const options = isMapping(parsed['options']) ? parsed['options'] : parsed;
  const list = isMapping(options['thresholds']) ? Object.entries(options['thresholds']) : [];
  const summary = isMapping(parsed['metrics']) ? Object.entries(parsed['metrics']) : [];
  if (list.length === 0 && summary.length === 0) return null;
  const ofSummary = summary.map(
    ([metric, found]) => [metric, isMapping(found) ? found['thresholds'] : null] as const,
  );
  const given = ofSummary.some(([, all]) => isMapping(all)) ? ofSummary : list;
  return given.flatMap(([metric, all]) =>
    thresholdTexts(all).map((each) => [metric, each] as const),
  );
};

/** The options that make k6's load. */
const loadOptions = ['scenarios', 'stages', 'vus', 'duration', 'iterations', 'rps'];

/** Adds notes on what options of k6 contain besides the thresholds themselves. */
const noteOptions = (parsed: unknown, notes: Notes): void => {
  const whole = isMapping(parsed) ? parsed : {};
  const options = isMapping(whole['options']) ? whole['options'] : whole;
  const given = loadOptions.filter((name) => (options[name] ?? null) !== null);
  if (given.length > 0)
    notes.left(given.join(', '), 'only thresholds are imported: write "load" for it');
  const thresholds = isMapping(options['thresholds']) ? options['thresholds'] : {};
  const ends = Object.keys(thresholds).filter((name) =>
    [thresholds[name]].flat().some((each) => isMapping(each) && each['abortOnFail'] === true),
  );
  for (const name of ends)
    notes.left(`${name}, abortOnFail`, 'write "abort: { after: 10s }" beside its objective');
};

export const isK6 = (parsed: unknown): boolean => thresholdsIn(parsed) !== null;

export const importK6 = (text: string): Imported => {
  const parsed = parsedJson(text);
  if (parsed === undefined) {
    throw new ImportError(
      'expected JSON: the file of k6 run --summary-export, or the data of handleSummary',
    );
  }
  const thresholds = thresholdsIn(parsed);
  if (thresholds === null || thresholds.length === 0) {
    throw new ImportError(
      'the summary has no thresholds: k6 writes there those of options.thresholds',
    );
  }
  const notes = new Notes();
  const objectives = thresholds.flatMap(([metric, threshold]) => {
    const found = objectiveOf(metric, threshold);
    if ('objective' in found) return [found.objective];
    notes.left(`${metric} ${threshold}`, found.problem);
    return [];
  });
  noteOptions(parsed, notes);
  if (objectives.some((each) => each.startsWith('connect.'))) {
    notes.chosen('http_req_connecting', 'connect has the TLS handshake, too');
  }
  return { kind: 'objectives', objectives: [...new Set(objectives)], notes: notes.sorted };
};
