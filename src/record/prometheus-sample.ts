export interface PrometheusSample {
  readonly name: string;
  /**
   * The labels in the order of their names. So a series has the same labels in whatever order the server writes them.
   */
  readonly labels: readonly (readonly [name: string, value: string])[];
  /** The value, which may be NaN or infinite. */
  readonly value: number;
}

const namePattern = /[ \t]*([A-Za-z_:][\w:]*)(?:[ \t]+|(?=\{))/y;
/** Matches a label and the character after it. */
const labelPattern = /[ \t]*([A-Za-z_]\w*)[ \t]*=[ \t]*"((?:[^"\\]|\\.)*)"[ \t]*/y;
const closingPattern = /[ \t]*\}[ \t]*/y;
/**
 * Matches a value and what may follow it: a time (in ms, or in OpenMetrics in seconds with a fraction) and an exemplar
 * of OpenMetrics. Neither is used.
 */
const valuePattern =
  /([^ \t]+)(?:[ \t]+[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)?[ \t]*(?:[ \t]#[ \t]*\{.*)?$/iy;
const decimalPattern = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const infinityPattern = /^([+-]?)inf(?:inity)?$/i;

/** Returns the name of the metric of a line; empty for a comment or an invalid line. */
export const metricOfLine = (line: string): string => {
  namePattern.lastIndex = 0;
  return namePattern.exec(line)?.[1] ?? '';
};

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
 * Reads labels from the brace at `from`. Returns them with the index after the closing brace; `null` if they are
 * malformed.
 */
const readLabels = (line: string, from: number) => {
  const labels = new Map<string, string>();
  let at = from + 1;
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
 * Reads a line of Prometheus's text format, version 0.0.4, or of OpenMetrics 1.0, without its line end; `null` for a comment or a malformed
 * line. Source: https://prometheus.io/docs/instrumenting/exposition_formats/#text-format-details and
 * https://github.com/prometheus/OpenMetrics/blob/main/specification/OpenMetrics.md#exemplars
 */
export const readPrometheusSample = (line: string): PrometheusSample | null => {
  namePattern.lastIndex = 0;
  const name = namePattern.exec(line)?.[1];
  if (name === undefined) return null;
  const behind = namePattern.lastIndex;
  const found = line[behind] === '{' ? readLabels(line, behind) : { labels: [], end: behind };
  if (found === null) return null;
  valuePattern.lastIndex = found.end;
  const value = numberOf(valuePattern.exec(line)?.[1] ?? '');
  return value === null ? null : { name, labels: found.labels, value };
};
