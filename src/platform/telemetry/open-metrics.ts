import { type RecordValue, recordWith, type SeriesRow } from './live-series.ts';

export const openMetricsType = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

type Labels = Readonly<Record<string, string>>;

const escaped = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

/** Formats a number such as the bound of a bucket. OpenMetrics requires `1.0`, not `1`. */
const floatText = (value: number): string =>
  Number.isInteger(value) ? `${value}.0` : String(value);

const labelText = (labels: readonly (readonly [name: string, value: string])[]): string =>
  labels.length === 0
    ? ''
    : `{${labels.map(([name, value]) => `${name}="${escaped(value)}"`).join(',')}}`;

/** One combination of labels with its value, or with the counts and the sum of a histogram. */
interface Point {
  readonly labels: readonly (readonly [string, string])[];
  value: number;
  readonly counts: number[];
}

class Family {
  readonly #row: SeriesRow;
  readonly #points = new Map<string, Point>();

  constructor(row: SeriesRow) {
    this.#row = row;
  }

  record(value: number, labels: Labels): void {
    const { kind, buckets } = this.#row;
    const point = this.#pointOf(labels);
    point.value = kind === 'gauge' ? value : point.value + value;
    if (kind !== 'histogram') return;
    const index = buckets.findIndex((bound) => value <= bound);
    point.counts[index === -1 ? buckets.length : index]! += 1;
  }

  #pointOf(labels: Labels): Point {
    const values = this.#row.labels.map((name) => [name, labels[name] ?? ''] as const);
    const key = JSON.stringify(values);
    const found = this.#points.get(key);
    if (found !== undefined) return found;
    const counts = Array.from({ length: this.#row.buckets.length + 1 }, () => 0);
    const point = { labels: values, value: 0, counts };
    this.#points.set(key, point);
    return point;
  }

  #samplesOf({ labels, value, counts }: Point): readonly string[] {
    const { kind, name, buckets } = this.#row;
    if (kind !== 'histogram') return [`${name}${labelText(labels)} ${value}`];
    let total = 0;
    const cumulative = counts.map((count, index) => {
      total += count;
      const bound = index === buckets.length ? '+Inf' : floatText(buckets[index]!);
      return `${name}_bucket${labelText([...labels, ['le', bound]])} ${total}`;
    });
    const own = labelText(labels);
    return [...cumulative, `${name}_sum${own} ${value}`, `${name}_count${own} ${total}`];
  }

  lines(): readonly string[] {
    const { kind, name, help } = this.#row;
    // The samples of a counter have names that end in `_total`, but the name of the counter's family does not.
    const family = kind === 'counter' ? name.replace(/_total$/, '') : name;
    const points = [...this.#points.values()];
    return [
      `# TYPE ${family} ${kind}`,
      ...(family.endsWith('_seconds') ? [`# UNIT ${family} seconds`] : []),
      `# HELP ${family} ${escaped(help)}`,
      ...points.flatMap((point) => this.#samplesOf(point)),
    ];
  }
}

/**
 * Stores the live series and writes them in OpenMetrics 1.0 (https://prometheus.io/docs/specs/om/open_metrics_spec/).
 */
export class OpenMetrics {
  readonly #families: Family[] = [];

  readonly record: RecordValue = recordWith((row) => {
    const family = new Family(row);
    this.#families.push(family);
    return (value, labels) => family.record(value, labels);
  });

  text(): string {
    const lines = this.#families.flatMap((family) => family.lines());
    return `${[...lines, '# EOF'].join('\n')}\n`;
  }
}
