import { parsedJson } from '../../../model/parsed-json.ts';
import { parseObjective, withPopulation } from '../../../scenario/compile/objective-grammar.ts';
import { isMapping } from '../../../scenario/text/scenario-tree.ts';
import { givenFields, type Imported, ImportError, keyReference, Notes } from './imported.ts';
import { k6Load } from './k6-load.ts';

/**
 * This file imports thresholds of k6. The thresholds come from a summary (`--summary-export`, or the data of
 * `handleSummary`) or from k6's options, which also have the load.
 */

/** The meanings of k6's metrics: distributions in ms, shares or rates. */
const metrics: ReadonlyMap<string, readonly [kind: 'time' | 'share' | 'rate', figure: string]> =
  new Map([
    ['http_req_duration', ['time', 'serviceTime']],
    ['http_req_waiting', ['time', 'headers']],
    ['http_req_connecting', ['time', 'connect']],
    ['http_req_failed', ['share', 'errorRate']],
    ['http_reqs', ['rate', 'sentRate']],
  ]);

/** Why other metrics are not imported. Each row matches metrics by their names. */
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
  // No figure is below 0, so `== 0` means the same as `<= 0`.
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

/** An objective, or advice on what to do instead. */
type Found = { readonly objective: string } | { readonly problem: string };

/**
 * Returns the objective for a threshold on a figure. If `population` is given, the objective is limited to this
 * population.
 */
const figureObjective = (
  [kind, figure]: readonly [keyof typeof withBound, string],
  threshold: string,
  population: string | undefined,
): Found => {
  const read = readThreshold(threshold);
  if (read === null) return { problem: 'expected a threshold such as p(95)<800' };
  if (!/^[<>]=?$/.test(read.comparison)) return { problem: 'an objective has <, <=, > or >=' };
  const objective = withBound[kind](figure, read);
  const problem = `Weir has no "${read.statistic}" of it: a load of the kind "iterations" has a number of requests`;
  if (objective === null) return { problem };
  const parsed = parseObjective(objective);
  if (!parsed.ok) return { problem: parsed.error.message };
  return {
    objective: population === undefined ? objective : withPopulation(objective, population),
  };
};

/** Returns the objective for one threshold, or advice on what to do instead. */
const objectiveOf = (metric: string, threshold: string, populations: readonly string[]): Found => {
  const [, name = '', tags] = /^([^{]+)(?:\{(.*)\})?$/.exec(metric) ?? [];
  const [kind, figure] = metrics.get(name) ?? [];
  if (kind === undefined) {
    const [, problem] = otherMetrics.find(([names]) => names.test(name)) ?? [];
    return { problem: problem ?? 'a metric of the script itself has no counterpart' };
  }
  const tag = tags?.replaceAll(' ', '');
  const population = populations.find((each) => tag === `scenario:${each}`);
  if (population !== undefined && kind === 'rate')
    return { problem: 'a rate is that of the whole run' };
  // This tag selects completed requests. Weir's distributions contain only completed requests anyway, so the tag is
  // dropped.
  if (tag !== undefined && tag !== 'expected_response:true' && population === undefined) {
    const labels = `${figure}{traffic=chat}: traffic, model, key, stage or population`;
    return { problem: `write the label itself, for example ${labels}` };
  }
  return figureObjective([kind, figure!], threshold, population);
};

/**
 * Returns the texts of thresholds. The texts are the keys of a mapping, a single text, or the items of a list (texts or
 * `{ threshold }`).
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
const loadOptions = ['scenarios', 'stages', 'vus', 'duration', 'iterations'];

/** Other options that change what k6 sends. */
const wireOptions =
  /^(rps|executionSegment|maxRedirects|userAgent|batch|insecureSkipTLSVerify|tls|hosts|block|no\w*ConnectionReuse|minIteration)/;

const optionsOf = (parsed: unknown): Readonly<Record<string, unknown>> => {
  const whole = isMapping(parsed) ? parsed : {};
  return givenFields(isMapping(whole['options']) ? whole['options'] : whole);
};

/** Adds notes on parts of k6's options other than the thresholds and an imported load. */
const noteOptions = (options: Readonly<Record<string, unknown>>, notes: Notes): void => {
  const wire = Object.keys(options).filter((name) => wireOptions.test(name));
  if (wire.length > 0) notes.left(wire.join(', '), 'these options of k6 are not imported');
  const thresholds = isMapping(options['thresholds']) ? options['thresholds'] : {};
  const ends = Object.keys(thresholds).filter((name) =>
    [thresholds[name]].flat().some((each) => isMapping(each) && each['abortOnFail'] === true),
  );
  for (const name of ends)
    notes.left(`${name}, abortOnFail`, 'write "abort: { after: 10s }" beside its objective');
};

/** Returns whether a value is k6's summary or options. */
export const isK6 = (parsed: unknown): boolean => {
  if (thresholdsIn(parsed) !== null) return true;
  const { scenarios, vus, stages } = optionsOf(parsed);
  const all = isMapping(scenarios) ? Object.values(scenarios) : [];
  const isStage = (each: unknown): boolean => isMapping(each) && 'target' in each;
  return (
    all.some((each) => isMapping(each) && 'executor' in each) ||
    typeof vus === 'number' ||
    (Array.isArray(stages) && stages.length > 0 && stages.every(isStage))
  );
};

/** The placeholder for the requests. Only the k6 script has the real requests. */
const withoutRequests = {
  target: 'mock',
  keys: keyReference,
  limits: 'none',
  traffic: [{ kind: 'chat-stream', model: 'MODEL', prompt: 'Hello.' }],
};

const requestsNote =
  'only the script has them: change "target", "traffic" and, for its sleep, "thinkTime"; an iteration is one request here';

const loadIn = (options: Readonly<Record<string, unknown>>, isAdded: boolean, notes: Notes) => {
  const given = loadOptions.filter((name) => name in options);
  if (given.length === 0) return null;
  const load = isAdded ? null : k6Load(options, notes);
  if (load === null) {
    const why = isAdded ? '--into takes only thresholds' : 'nothing of it makes a load';
    notes.left(given.join(', '), `${why}: write "load" for it`);
  } else notes.left('requests', requestsNote);
  return load;
};

/**
 * Imports k6's summary or options. Options with a load become a scenario, unless the objectives are added to an
 * existing scenario (`isAdded`).
 */
export const importK6 = (text: string, isAdded: boolean): Imported => {
  const parsed = parsedJson(text);
  if (parsed === undefined) {
    throw new ImportError(
      'expected JSON: the file of k6 run --summary-export, the data of handleSummary, or what k6 inspect prints of a script',
    );
  }
  const [notes, options] = [new Notes(), optionsOf(parsed)];
  const load = loadIn(options, isAdded, notes);
  const populations = Array.isArray(load?.['populations'])
    ? load['populations'].map((each: { name: string }) => each.name)
    : [];
  const thresholds = thresholdsIn(parsed) ?? [];
  if (thresholds.length === 0 && load === null) {
    const why = notes.list.map(({ place, message }) => `${place}: ${message}`)[0];
    throw new ImportError(
      why ?? 'the summary has no thresholds: k6 writes there those of options.thresholds',
    );
  }
  const found = thresholds.flatMap(([metric, threshold]) => {
    const each = objectiveOf(metric, threshold, populations);
    if ('objective' in each) return [each.objective];
    notes.left(`${metric} ${threshold}`, each.problem);
    return [];
  });
  noteOptions(options, notes);
  if (found.some((each) => each.startsWith('connect'))) {
    notes.chosen('http_req_connecting', 'connect has the TLS handshake, too');
  }
  const objectives = [...new Set(found)];
  if (load === null) return { kind: 'objectives', objectives, notes: notes.sorted };
  const scenario = {
    ...withoutRequests,
    ...load,
    ...(objectives.length > 0 ? { objectives } : {}),
  };
  return { kind: 'scenario', scenario, files: [], notes: notes.sorted };
};
