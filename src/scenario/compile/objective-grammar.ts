import { measureNames, measures } from '../../model/measures/measures.ts';
import {
  type ComparisonOperator,
  comparisonOperatorNames,
  type ObjectiveFigure,
  type Statistic,
  statistics,
} from '../../model/plan/objective.ts';
import { counts, rates, shares } from '../../model/measures/run-figures.ts';
import { readBound } from './objective-bound.ts';
import { didYouMean } from '../text/spelling.ts';

/**
 * The grammar of objectives: `FIGURE[.STATISTIC][{LABEL=VALUE, …}] COMPARISON BOUND`. What the labels
 * may be is known to the scenario only and judged there (`objective-rules.ts`).
 */

/** An objective as its text says it. */
export interface ParsedObjective {
  readonly figure: ObjectiveFigure;
  readonly labels: readonly { readonly label: LabelName; readonly name: string }[];
  readonly comparison: ComparisonOperator;
  readonly bound: number;
}

/** What is wrong with a text, and what to do. */
export interface ObjectiveError {
  readonly message: string;
  readonly hint: string | null;
}

export type ParseResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: ObjectiveError };

const labelNames = ['traffic', 'model', 'key', 'stage'] as const;
type LabelName = (typeof labelNames)[number];

const failure = (message: string, hint: string | null = null): ParseResult<never> => ({
  ok: false,
  error: { message, hint },
});

const success = <T>(value: T): ParseResult<T> => ({ ok: true, value });

const has = <K extends string>(table: Readonly<Record<K, unknown>>, name: string): name is K =>
  Object.hasOwn(table, name);

/** A short name that everybody knows. */
const aliases: Readonly<Record<string, keyof typeof measures>> = { e2e: 'endToEnd' };

const runFigures = [...Object.keys(counts), ...Object.keys(shares), ...Object.keys(rates)];

const quoted = (text: string): string => JSON.stringify(text);

const readStatistic = (text: string): Statistic | null => {
  if (text === 'median') return 0.5;
  const word = statistics.find((statistic) => statistic === text);
  if (word !== undefined) return word;
  const percent = /^p(\d{1,2}(?:\.\d{1,3})?)$/.exec(text)?.[1];
  const q = Number(percent ?? 0) / 100;
  return q > 0 ? Number(q.toFixed(5)) : null;
};

const statisticWords = ['p50', 'p90', 'p95', 'p99', 'median', ...statistics];

const measureFigure = (
  name: keyof typeof measures,
  written: string | null,
): ParseResult<ObjectiveFigure> => {
  if (written === null) {
    const message = `${quoted(name)} is a distribution: it needs a statistic`;
    return failure(message, `for example ${name}.p95`);
  }
  const statistic = readStatistic(written);
  if (statistic !== null) return success({ kind: 'measure', name, statistic });
  const message = `${quoted(written)} is not a statistic: expected a percentile such as p95, or mean, min, max or median`;
  return failure(message, didYouMean(written, statisticWords));
};

const runFigure = (name: string): ObjectiveFigure | null => {
  if (has(counts, name)) return { kind: 'count', name };
  if (has(shares, name)) return { kind: 'share', name };
  return has(rates, name) ? { kind: 'rate', name } : null;
};

const readFigure = (written: string, statistic: string | null): ParseResult<ObjectiveFigure> => {
  const name = aliases[written] ?? written;
  if (has(measures, name)) return measureFigure(name, statistic);
  const figure = runFigure(name);
  if (figure === null) {
    const hint =
      didYouMean(written, [...measureNames, ...runFigures]) ??
      'the README lists the measures; figures of the run are, for example, errorRate and completedRate';
    return failure(`${quoted(written)} is neither a measure nor a figure of the run`, hint);
  }
  if (statistic === null) return success(figure);
  const message = `${quoted(name)} is a single figure: it has no ${quoted(statistic)}`;
  return failure(message, `leave ".${statistic}" out`);
};

/** `label=value` or `label="value"`, to the end of the braces. */
const labelText = /\s*([^\s=,"]+)\s*=\s*(?:"([^"]*)"|([^,"]*?))\s*(?:,|$)/y;

const readLabels = (text: string): ParseResult<ParsedObjective['labels']> => {
  const labels: ParsedObjective['labels'][number][] = [];
  let at = 0;
  while (text.slice(at).trim() !== '') {
    labelText.lastIndex = at;
    const [, word = '', inQuotes, plain = ''] = labelText.exec(text) ?? [];
    const given = inQuotes ?? plain;
    if (given === '') {
      const example = '{traffic=chat-stream, stage="climb 2/s"}';
      return failure(`expected labels such as ${example}, got ${quoted(`{${text}}`)}`);
    }
    const label = labelNames.find((name) => name === word);
    if (label === undefined) {
      const message = `${quoted(word)} is not a label: expected traffic, model, key or stage`;
      return failure(message, didYouMean(word, labelNames));
    }
    if (labels.some((before) => before.label === label)) {
      return failure(`the label ${quoted(label)} is set twice`, 'keep one of them');
    }
    labels.push({ label, name: given });
    at = labelText.lastIndex;
  }
  return success(labels);
};

/** No objective needs more; the pattern below takes long over thousands of blanks. */
const longestObjective = 1000;

const partsOf = (text: string): RegExpExecArray | null =>
  text.length > longestObjective ? null : objectivePattern.exec(text);

const objectivePattern =
  /^\s*([A-Za-z]\w*)\s*(?:\.([\w.%]+))?\s*(?:\{((?:[^"{}]|"[^"]*")*)\})?\s*([<>=!~≤≥]+)\s*(.*?)\s*$/;

const quotedStart = (text: string): string =>
  quoted(text.length > longestObjective ? `${text.slice(0, 40)}…` : text);

/** Puts the parts together, whose order of findings is that of the text. */
const parseParts = (
  figure: ObjectiveFigure,
  parts: RegExpExecArray,
): ParseResult<ParsedObjective> => {
  const [, , , written, sign = '', boundText = ''] = parts;
  const labels = readLabels(written ?? '');
  if (!labels.ok) return labels;
  const comparison = comparisonOperatorNames.find((name) => name === sign);
  if (comparison === undefined) return failure(`expected <, <=, > or >=, got ${quoted(sign)}`);
  const read = readBound(figure, boundText);
  if ('expected' in read) {
    const [expected = '', advice = null] = read.expected.split('; ');
    return failure(`${quoted(boundText)} is not a bound for ${figure.name}: ${expected}`, advice);
  }
  return success({ figure, labels: labels.value, comparison, bound: read.bound });
};

/** An aggregate objective: `ttft.p95{traffic=chat-stream} < 800ms`, `errorRate < 1%`. */
export const parseObjective = (text: string): ParseResult<ParsedObjective> => {
  const parts = partsOf(text);
  if (parts === null) {
    const message = `${quotedStart(text)} is not an objective: expected a figure, a comparison and a bound`;
    return failure(message, 'for example ttft.p95{traffic=chat-stream} < 800ms, or errorRate < 1%');
  }
  const figure = readFigure(parts[1] ?? '', parts[2] ?? null);
  return figure.ok ? parseParts(figure.value, parts) : figure;
};

/** What each request is held to: `ttft < 500ms`. A single request has no statistics. */
export const parseRequestObjective = (
  text: string,
): ParseResult<
  ParsedObjective & { readonly figure: Extract<ObjectiveFigure, { kind: 'measure' }> }
> => {
  const parts = partsOf(text);
  if (parts === null) {
    const message = `${quotedStart(text)} is not an objective for a request: expected a measure, a comparison and a bound`;
    return failure(message, 'for example ttft < 500ms');
  }
  const [, written = '', statistic] = parts;
  const name = aliases[written] ?? written;
  if (statistic !== undefined) {
    const message = `a single request has no ${quoted(statistic)}: expected a measure alone`;
    return failure(message, `write ${name} here, or move the whole objective to "objectives"`);
  }
  if (!has(measures, name)) {
    return runFigure(name) === null
      ? failure(`${quoted(written)} is not a measure`, didYouMean(written, measureNames))
      : failure(`${quoted(name)} is a figure of the whole run`, 'move it to "objectives"');
  }
  const figure = { kind: 'measure', name, statistic: 'max' } as const;
  const parsed = parseParts(figure, parts);
  return parsed.ok ? success({ ...parsed.value, figure }) : parsed;
};
