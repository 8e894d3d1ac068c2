import { maxFinishLength } from '../../model/observation/outcome.ts';
import { measureNames, measures } from '../../model/measures/measures.ts';
import {
  type ComparisonOperator,
  comparisonOperatorNames,
  type ObjectiveFigure,
  type Statistic,
  statistics,
  whyNoQuota,
} from '../../model/plan/objective.ts';
import { counts, rates, shares, tokenShares } from '../../model/measures/run-figures.ts';
import { readBound } from './objective-bound.ts';
import { didYouMean } from '../text/spelling.ts';
import { reportedPercentiles } from '../../model/measures/headline.ts';

/**
 * This file parses objectives: `FIGURE[.STATISTIC][{LABEL=VALUE, …}] COMPARISON BOUND`. The file `objective-rules.ts`
 * checks the labels, since only the scenario knows which labels are allowed.
 */

export interface ParsedObjective {
  readonly figure: ObjectiveFigure;
  readonly labels: readonly { readonly label: LabelName; readonly name: string }[];
  readonly comparison: ComparisonOperator;
  readonly bound: number;
  /** With `excluded`, 429s that a declared limit explains do not count. Without this field, all 429s count. */
  readonly quota?: 'excluded';
}

export class ObjectiveError extends Error {
  readonly hint: string | null;

  constructor(message: string, hint: string | null = null) {
    super(message);
    this.hint = hint;
  }
}

export type ParseResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: ObjectiveError };

/** Returns the result of `read`, or the `ObjectiveError` that `read` throws. */
const resultOf = <T>(read: () => T): ParseResult<T> => {
  try {
    return { ok: true, value: read() };
  } catch (error) {
    if (error instanceof ObjectiveError) return { ok: false, error };
    throw error;
  }
};

const labelNames = ['traffic', 'model', 'key', 'stage', 'population', 'target'] as const;
export type LabelName = (typeof labelNames)[number];
const aggregateLabels = [...labelNames, 'quota'] as const;
interface Label {
  readonly label: LabelName | 'reason' | 'quota';
  readonly name: string;
}

const has = <K extends string>(table: Readonly<Record<K, unknown>>, name: string): name is K =>
  Object.hasOwn(table, name);

const statisticText = String.raw`p\(?\d+(?:\.\d+)?\)?|mean|avg|median|med|min|max`;

/** The short names for measures, which other tools use. */
const aliases: Readonly<Record<string, keyof typeof measures>> = { e2e: 'endToEnd' };

const runFigures = [counts, shares, rates, tokenShares].flatMap((table) => Object.keys(table));
const statisticWords = [...reportedPercentiles, 'median', ...statistics];

const quote = (text: string): string => JSON.stringify(text);

const readStatistic = (text: string): Statistic => {
  if (text === 'median') return 0.5;
  const word = statistics.find((statistic) => statistic === text);
  if (word !== undefined) return word;
  const percent = /^p(\d{1,2}(?:\.\d{1,3})?)$/.exec(text)?.[1];
  const q = Number(percent ?? 0) / 100;
  if (q > 0) return Number(q.toFixed(5));
  const message = `${quote(text)} is not a statistic: expected a percentile such as p95, or mean, min, max or median`;
  throw new ObjectiveError(message, didYouMean(text, statisticWords));
};

const runFigure = (name: string): ObjectiveFigure | null => {
  if (has(counts, name)) return { kind: 'count', name };
  if (has(shares, name)) return { kind: 'share', name };
  if (has(tokenShares, name)) return { kind: 'token-share', name };
  return has(rates, name) ? { kind: 'rate', name } : null;
};

/**
 * Reads a figure of the server, such as `server.waiting.max`. Other code checks whether the figure exists, since only
 * the scenario knows the figures.
 */
const readServerFigure = (text: string | undefined): ObjectiveFigure => {
  const [name = '', statistic, ...more] = (text ?? '').split('.');
  if (/^\w+$/.test(name) && statistic !== undefined && more.length === 0) {
    return { kind: 'server', name, statistic: readStatistic(statistic) };
  }
  const message = 'one of the server’s own figures needs its name and a statistic';
  throw new ObjectiveError(message, 'for example server.waiting.max');
};

/** Returns advice for a figure that is written as in another tool: `p95`, `e2e_p95`, `successRate`. */
const otherFigure = (written: string): string | null => {
  const [, figure, statistic] =
    new RegExp(String.raw`^(?:(\w+?)_)?(${statisticText})$`, 'i').exec(written) ?? [];
  if (statistic !== undefined) return `write ${figure ?? 'e2e'}.${statistic.toLowerCase()}`;
  return /^(?:availability|uptime|success(?:_?rate)?|status|completed)$/i.test(written)
    ? 'write errorRate < 1% for more than 99% that succeed'
    : null;
};

const readFigure = (written: string, statistic: string | undefined): ObjectiveFigure => {
  if (written === 'server') return readServerFigure(statistic);
  const name = aliases[written] ?? written;
  if (has(measures, name)) {
    if (statistic !== undefined) {
      return { kind: 'measure', name, statistic: readStatistic(statistic) };
    }
    const message = `${quote(name)} is a distribution: it needs a statistic`;
    throw new ObjectiveError(message, `for example ${name}.p95`);
  }
  const figure = runFigure(name);
  if (figure === null) {
    const hint =
      otherFigure(written) ??
      didYouMean(written, [...measureNames, ...runFigures]) ??
      'reports/figures.md lists the measures; figures of the run are, for example, errorRate and completedRate';
    const message = `${quote(written)} is neither a measure nor a figure of the run`;
    throw new ObjectiveError(message, hint);
  }
  if (statistic === undefined) return figure;
  const message = `${quote(name)} is a single figure: it has no ${quote(statistic)}`;
  throw new ObjectiveError(message, `leave ".${statistic}" out`);
};

/** Matches `label=value` or `label="value"`, up to a comma or the end of the braces. */
const labelText = /\s*([^\s=,"]+)\s*=\s*(?:"([^"]*)"|([^,"]*?))\s*(?:,|$)/y;

const readLabels = (text: string, names: readonly Label['label'][]): readonly Label[] => {
  const labels: Label[] = [];
  let at = 0;
  while (text.slice(at).trim() !== '') {
    labelText.lastIndex = at;
    const [, word = '', inQuotes, plain = ''] = labelText.exec(text) ?? [];
    const given = inQuotes ?? plain;
    if (given === '') {
      const example = '{traffic=chat-stream, stage="climb 2/s"}';
      throw new ObjectiveError(`expected labels such as ${example}, got ${quote(`{${text}}`)}`);
    }
    const label = names.find((name) => name === word);
    if (label === undefined) {
      const message = `${quote(word)} is not a label: expected ${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
      const hint = word === 'reason' ? 'only finish has a reason' : didYouMean(word, names);
      throw new ObjectiveError(message, hint);
    }
    if (labels.some((before) => before.label === label)) {
      throw new ObjectiveError(`the label ${quote(label)} is set twice`, 'keep one of them');
    }
    labels.push({ label, name: given });
    at = labelText.lastIndex;
  }
  return labels;
};

/**
 * The maximum length of an objective in characters. A longer text is refused, because the pattern below takes long for
 * a text with thousands of blanks.
 */
const longestObjective = 1000;

const partsOf = (text: string): RegExpExecArray | null =>
  text.length > longestObjective ? null : objectivePattern.exec(text);

const quotedStart = (text: string): string =>
  quote(text.length > longestObjective ? `${text.slice(0, 40)}…` : text);

const objectivePattern =
  /^\s*([A-Za-z]\w*)\s*(?:\.([\w.%]+))?\s*(?:\{((?:[^"{}]|"[^"]*")*)\})?\s*([<>=!~≤≥]+)\s*(.*?)\s*$/;

/**
 * Returns whether labels can be read and contain no label `quota`. A search for the text `quota=` would not be enough,
 * since a quoted name may contain this text.
 */
const canHaveQuota = (labels: string): boolean => {
  const read = resultOf(() => readLabels(labels, ['reason', ...aggregateLabels]));
  return read.ok && read.value.every(({ label }) => label !== 'quota');
};

/** Returns the text of an objective with an additional label for a population. */
export const withPopulation = (text: string, population: string): string => {
  const [, name, statistic, labels = '', sign, bound] = partsOf(text) ?? [];
  if (name === undefined) return text;
  return withLabel({ name, statistic, labels, sign, bound }, `population=${population}`);
};

/**
 * Returns the text of an objective with the additional label `quota=excluded`. A text that is not an objective stays
 * unchanged.
 */
export const withQuota = (text: string): string => {
  const [, name, statistic, labels = '', sign, bound] = partsOf(text) ?? [];
  if (name === undefined || !canHaveQuota(labels)) return text;
  return withLabel({ name, statistic, labels, sign, bound }, 'quota=excluded');
};

type ObjectiveParts = Readonly<
  Record<'name' | 'labels', string> & Record<'statistic' | 'sign' | 'bound', string | undefined>
>;

const withLabel = (
  { name, statistic, labels, sign, bound }: ObjectiveParts,
  label: string,
): string => {
  const others = labels.trim().replace(/,$/, '');
  const all = [others, label].filter((each) => each !== '').join(', ');
  return `${name}${statistic === undefined ? '' : `.${statistic}`}{${all}} ${sign} ${bound}`;
};

/**
 * Returns the finish reason that an objective on `finish` names. Any word can be a reason, since servers can invent
 * reasons.
 */
const finishReasonIn = (labels: readonly Label[]): string => {
  const reason = labels.find(({ label }) => label === 'reason')?.name ?? '';
  const example = 'for example finish{reason=length} < 5%';
  if (reason === '') throw new ObjectiveError('"finish" needs the reason that it counts', example);
  if (reason.length <= maxFinishLength) return reason;
  throw new ObjectiveError(
    `a finish reason has at most ${maxFinishLength} characters in results`,
    example,
  );
};

const quotaIn = (labels: readonly Label[], figure: ObjectiveFigure): { quota?: 'excluded' } => {
  const quota = labels.find(({ label }) => label === 'quota');
  if (quota === undefined) return {};
  if (quota.name !== 'excluded')
    throw new ObjectiveError(
      `${quote(quota.name)} is no quota: expected excluded`,
      'write quota=excluded, or leave it out',
    );
  const reason = whyNoQuota(figure);
  if (reason === null) return { quota: 'excluded' };
  throw new ObjectiveError(
    `quota=excluded leaves out 429s, and this figure ${reason}`,
    'percentiles of times that each request has, shares, failed and limited can have it',
  );
};

/** Parses the parts that follow the figure of an objective. */
const withParts = <Figure extends ObjectiveFigure>(
  figure: Figure,
  [, , , written = '', sign = '', boundText = '']: RegExpExecArray,
  names: readonly Label['label'][],
) => {
  const isFinish = figure.kind === 'share' && figure.name === 'finish';
  const all = readLabels(written, isFinish ? ['reason', ...names] : names);
  const reason = isFinish ? { reason: finishReasonIn(all) } : {};
  const labels = all.flatMap(({ label, name }) =>
    label === 'reason' || label === 'quota' ? [] : { label, name },
  );
  const quota = quotaIn(all, figure);
  const comparison = comparisonOperatorNames.find((name) => name === sign);
  if (comparison === undefined) {
    const meant = { '≤': '<=', '≥': '>=', '=<': '<=', '=>': '>=' }[sign];
    throw new ObjectiveError(
      `expected <, <=, > or >=, got ${quote(sign)}`,
      meant === undefined ? null : `write ${meant}`,
    );
  }
  const read = readBound(figure, boundText);
  if ('bound' in read)
    return { figure: { ...figure, ...reason }, labels, comparison, bound: read.bound, ...quota };
  const message = `${quote(boundText)} is not a bound for ${figure.name}: expected ${read.expected}`;
  throw new ObjectiveError(message, read.advice);
};

const signs: readonly (readonly [words: RegExp, sign: string])[] = [
  [/\s+(?:is )?(?:at most|max|less than or equal to)\s+(?![<>])/i, ' <= '],
  [/\s+(?:is )?(?:at least|min|greater than or equal to)\s+(?![<>])/i, ' >= '],
  [/\s+(?:is )?(?:under|below|less than|lower than|lt)\s+(?![<>])/i, ' < '],
  [/\s+(?:is )?(?:over|above|more than|greater than|gt)\s+(?![<>])/i, ' > '],
];

/**
 * Rewrites an objective that has a word in place of its sign, or that begins with its bound (`1s > ttft.p95`); `null`
 * for any other text.
 */
const withSign = (text: string): string | null => {
  const [, bound, sign, figure] =
    /^\s*([\d.]+\s*[a-z%/]*)\s*([<>]=?)\s*([a-z][\w.]*(?:\{[^}]*\})?)\s*$/i.exec(text) ?? [];
  if (figure !== undefined)
    return `${figure} ${sign!.startsWith('<') ? sign!.replace('<', '>') : sign!.replace('>', '<')} ${bound}`;
  const found = signs.find(([words]) => words.test(text));
  return found === undefined ? null : text.replace(...found).trim();
};

/**
 * Returns advice for an objective that is written as in another tool: `p95(ttft) < 1s`, `ttft p95 < 1s`, k6's
 * thresholds.
 */
const otherForm = (text: string): string | null => {
  if (/^\s*http_req/.test(text))
    return 'this is a threshold of k6, of which `weir import` makes an objective: for example serviceTime.p95 < 500ms, or errorRate < 1%';
  if (/^\s*\d+\w*\s*$/.test(text))
    return 'a comma ends an item here: write the number with a point, such as 0.8s';
  const signed = withSign(text);
  if (signed !== null) return otherForm(signed) ?? `write ${signed}`;
  const [, outer, inner, rest] =
    new RegExp(String.raw`^\s*(${statisticText})\((\w+)\)(\s*[<>].*)$`).exec(text) ?? [];
  if (outer !== undefined) return `write ${inner}.${outer}${rest}`;
  const [, figure, after, bound] =
    new RegExp(String.raw`^\s*(\w+?)[ _-](${statisticText})(\s*[<>].*)$`).exec(text) ?? [];
  return figure === undefined ? null : `write ${figure}.${after!.replaceAll(/[()]/g, '')}${bound}`;
};

/** Parses an objective of the run such as `ttft.p95{traffic=chat-stream} < 800ms` or `errorRate < 1%`. */
export const parseObjective = (text: string): ParseResult<ParsedObjective> =>
  resultOf(() => {
    const parts = partsOf(text);
    if (parts !== null) return withParts(readFigure(parts[1]!, parts[2]), parts, aggregateLabels);
    throw new ObjectiveError(
      `${quotedStart(text)} is not an objective: expected a figure, a comparison and a bound`,
      otherForm(text) ?? 'for example ttft.p95{traffic=chat-stream} < 800ms, or errorRate < 1%',
    );
  });

/** Parses an objective of single requests such as `ttft < 500ms`. An objective of single requests has no statistic. */
export const parseRequestObjective = (text: string) =>
  resultOf(() => {
    const parts = partsOf(text);
    if (parts === null) {
      const message = `${quotedStart(text)} is not an objective for a request: expected a measure, a comparison and a bound`;
      throw new ObjectiveError(message, 'for example ttft < 500ms');
    }
    const [, written = '', statistic] = parts;
    const name = aliases[written] ?? written;
    if (statistic !== undefined) {
      const message = `a single request has no ${quote(statistic)}: expected a measure alone`;
      const hint = `write ${name} here, or move the whole objective to "objectives"`;
      throw new ObjectiveError(message, hint);
    }
    if (has(measures, name))
      return withParts({ kind: 'measure', name, statistic: 'max' }, parts, labelNames);
    throw runFigure(name) === null
      ? new ObjectiveError(`${quote(written)} is not a measure`, didYouMean(written, measureNames))
      : new ObjectiveError(
          `${quote(name)} is a figure of the whole run`,
          'move it to "objectives"',
        );
  });
