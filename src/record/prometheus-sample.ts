export interface PrometheusSample {
  readonly name: string;
  /** The labels, sorted by name. So a series has the same labels in whatever order the server writes them. */
  readonly labels: readonly (readonly [name: string, value: string])[];
  /** The value, which may be NaN or infinite. */
  readonly value: number;
}

const namePattern = /[ \t]*([A-Za-z_:][\w:]*)(?:[ \t]+|(?=\{))/y;
/**
 * Matches the beginning of a line whose name is quoted and comes first within the braces, as Prometheus 3 writes UTF-8
 * names.
 */
const quotedName = /[ \t]*\{[ \t]*"([A-Za-z_:][\w:.]*)"[ \t]*(?:,|(?=\}))/y;
/** Matches a label and the white space after the label. */
const labelPattern = /[ \t]*([A-Za-z_]\w*)[ \t]*=[ \t]*"((?:[^"\\]|\\.)*)"[ \t]*/y;
const closingPattern = /[ \t]*\}[ \t]*/y;
/**
 * Matches a value and the optional parts that may follow the value: a time (in ms, or in OpenMetrics in seconds with a
 * fraction) and an exemplar of OpenMetrics. Only the value is used.
 */
const valuePattern =
  /([^ \t]+)(?:[ \t]+[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)?[ \t]*(?:[ \t]#[ \t]*\{.*)?$/iy;
const decimalPattern = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const infinityPattern = /^([+-]?)inf(?:inity)?$/i;

/**
 * Returns the name at the beginning of a line, and the index at which the labels or the value of the line begin; `null`
 * for a comment or an invalid line. If the name is quoted, the labels follow within the same braces.
 */
const readName = (line: string) => {
  namePattern.lastIndex = 0;
  const plain = namePattern.exec(line)?.[1];
  if (plain !== undefined) {
    const behind = namePattern.lastIndex;
    return { name: plain, labelsFrom: line[behind] === '{' ? behind + 1 : null, behind };
  }
  quotedName.lastIndex = 0;
  const quoted = quotedName.exec(line)?.[1];
  if (quoted === undefined) return null;
  return { name: quoted, labelsFrom: quotedName.lastIndex, behind: quotedName.lastIndex };
};

/** Returns the name of the metric of a line; empty for a comment or an invalid line. */
export const metricOfLine = (line: string): string => readName(line)?.name ?? '';

const unescape = (text: string): string =>
  text.replaceAll(/\\(.)/g, (both, one: string) => {
    if (one === 'n') return '\n';
    return one === '\\' || one === '"' ? one : both;
  });

const numberOf = (text: string): number | null => {
  if (decimalPattern.test(text)) return Number(text);
  if (/^nan$/i.test(text)) return Number.NaN;
  const infinity = infinityPattern.exec(text);
  if (infinity === null) return null;
  return infinity[1] === '-' ? -Infinity : Infinity;
};

/**
 * Reads labels from the index `from`, which is just after the opening brace. Returns the labels and the index after the
 * closing brace; `null` if the labels are malformed.
 */
const readLabels = (line: string, from: number) => {
  const labels = new Map<string, string>();
  let at = from;
  for (;;) {
    closingPattern.lastIndex = at;
    if (closingPattern.test(line)) {
      const sorted = [...labels].toSorted(([a], [b]) => (a < b ? -1 : 1));
      return { labels: sorted, end: closingPattern.lastIndex };
    }
    labelPattern.lastIndex = at;
    const [, name, value] = labelPattern.exec(line) ?? [];
    if (name === undefined || value === undefined || labels.has(name)) return null;
    labels.set(name, unescape(value));
    at = labelPattern.lastIndex;
    if (line[at] === ',') at += 1;
    else if (line[at] !== '}') return null;
  }
};

/**
 * Reads a line of Prometheus's text format, version 0.0.4, or of OpenMetrics 1.0. The line has no line end. Returns
 * `null` for a comment or a malformed line. Source:
 * https://prometheus.io/docs/instrumenting/exposition_formats/#text-format-details and
 * https://github.com/prometheus/OpenMetrics/blob/main/specification/OpenMetrics.md#exemplars
 */
export const readPrometheusSample = (line: string): PrometheusSample | null => {
  const begin = readName(line);
  if (begin === null) return null;
  const { name, labelsFrom, behind } = begin;
  const found = labelsFrom === null ? { labels: [], end: behind } : readLabels(line, labelsFrom);
  if (found === null) return null;
  valuePattern.lastIndex = found.end;
  const value = numberOf(valuePattern.exec(line)?.[1] ?? '');
  return value === null ? null : { name, labels: found.labels, value };
};
