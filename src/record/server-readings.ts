import { type Instant, type Milliseconds, milliseconds } from '../model/quantity.ts';
import {
  maxServerSamples,
  type ServerMetrics,
  type ServerSample,
} from '../model/result/server-metrics.ts';
import { ProcessTurns } from './process-turns.ts';
import { type PrometheusSample, readPrometheusSample } from './prometheus-sample.ts';
import {
  canonicalMetric,
  type FigureSource,
  knownMetrics,
  metricsOf,
  serverSoftware,
  type ServerSoftware,
  serverSources,
} from './server-sources.ts';
import { sumOf } from '../model/sums.ts';

/** A server's figure that the scenario defines, in addition to the figures that Weir knows. */
export interface OwnFigure {
  readonly name: string;
  readonly metric: string;
  /** The kind of the figure. `rate` is the increase of a counter per second. */
  readonly as: 'gauge' | 'rate';
}

/** The samples of a scrape. The outer key is the metric, and the inner key is the identity of the series. */
type Reading = ReadonlyMap<string, ReadonlyMap<string, PrometheusSample>>;

const sourceOf = ({ metric, as }: OwnFigure): FigureSource => {
  const of = [canonicalMetric(metric)];
  return as === 'rate'
    ? { kind: 'rate', of, plus: [], factor: 1 }
    : { kind: 'gauge', of, over: 'sum', partLabel: null, factor: 1 };
};

/**
 * Matches the labels of ranks (processes) that work together on the same requests. Every such rank reports each
 * request. In SGLang, they are `tp_rank`, `pp_rank`, `moe_ep_rank` and `attn_cp_rank` (metrics of all schedulers). The
 * pattern also matches the labels of a federation, in which several Prometheus servers scrape the same process
 * (Prometheus Operator, Thanos, Cortex). In contrast, each rank of data parallelism (`dp_rank`) and each engine of vLLM
 * (`engine`) has its own requests.
 */
const sharedRank =
  /^(?:\w+_)?(?:d?cp|tp|pp|ep|sp|tensor_parallel|pipeline_parallel|expert_parallel|context_parallel)_rank$|^(?:prometheus_replica|receive_replica|__replica__)$/i;

/**
 * Returns labels without the labels of ranks that work together. If such a label was removed, the label of the process
 * is also removed, because each rank is a process.
 */
const withoutRanks = (labels: PrometheusSample['labels']): PrometheusSample['labels'] => {
  const others = labels.filter(([label]) => !sharedRank.test(label));
  // Python's client adds the label `pid` to gauges of several processes (prometheus_client, multiprocess mode).
  return others.length === labels.length ? labels : others.filter(([label]) => label !== 'pid');
};

/**
 * Returns the identity of a series. Ranks that report the same requests have the same identity. If only the scenario
 * names the metric, each rank has its own identity, because each may count something different.
 */
const seriesOf = (metric: string, { labels }: PrometheusSample): string =>
  JSON.stringify(knownMetrics.has(metric) ? withoutRanks(labels) : labels);

const isKnown = ({ value }: PrometheusSample): boolean => Number.isFinite(value);

/**
 * Reads the lines of wanted metrics. If several ranks report the same requests, the highest value counts. A series
 * without a finite value stays in the reading, so that the series does not seem to have disappeared. `onUnread` is
 * called with each line that is not a sample.
 */
const readLines = (lines: readonly string[], onUnread: (line: string) => void): Reading => {
  const reading = new Map<string, Map<string, PrometheusSample>>();
  for (const line of lines) {
    const sample = readPrometheusSample(line);
    if (sample === null) {
      onUnread(line);
      continue;
    }
    const metric = canonicalMetric(sample.name);
    const series = reading.get(metric) ?? new Map<string, PrometheusSample>();
    const key = seriesOf(metric, sample);
    const other = series.get(key);
    if (other === undefined || !isKnown(other) || other.value < sample.value)
      series.set(key, sample);
    reading.set(metric, series);
  }
  return reading;
};

/** Returns the finite values of the series that are not part of another series. */
const wholesOf = (
  series: Iterable<PrometheusSample>,
  partLabel: string | null,
): readonly number[] =>
  [...series]
    .filter(isKnown)
    .filter(({ labels }) => !labels.some(([name, value]) => name === partLabel && value !== ''))
    .map(({ value }) => value);

/** Returns the first of several names that occurs in a reading. */
const presentIn = (reading: Reading, names: readonly string[]): string | undefined =>
  names.find((name) => reading.has(name));

/** The maximum number of characters of a line that a note shows. */
const maxShownLine = 120;

/**
 * Reads the metrics of one server during a run. Rates and ratios are differences between two scrapes. The used memory
 * has a fixed bound.
 */
export class ServerReadings {
  readonly #address: string;
  readonly #own: readonly OwnFigure[];
  #every: Milliseconds;
  #software: ServerSoftware | null = null;
  /** The time of the last scrape, in ms: the middle between sending it and receiving its answer. */
  #before: number | null = null;
  /** The last finite value of each series. This value is needed because a series may be missing from a reading. */
  readonly #last = new Map<string, Map<string, number>>();
  #samples: ServerSample[] = [];
  #scrapes = 0;
  #failed = 0;
  #lastFailure: string | null = null;
  #resets = 0;
  #unread = 0;
  #firstUnread = '';
  readonly #turns = new ProcessTurns();
  /**
   * Whether a counter has already dropped in the current reading. One restart makes several counters drop, but counts
   * as one reset.
   */
  #hasFallen = false;
  /** The interval of stored scrapes: 1 means all scrapes, 2 means every second scrape. */
  #keepEvery = 1;

  /**
   * The metrics that are known to be counters. A counter drops only if its server restarts, or if several processes
   * answer in turn. A scenario may also request the rate of a metric that is not in this set.
   */
  readonly #counters: ReadonlySet<string>;
  readonly #wanted: ReadonlySet<string>;

  constructor(address: string, every: Milliseconds, own: readonly OwnFigure[]) {
    this.#address = address;
    this.#every = every;
    this.#own = own;
    this.#wanted = new Set(this.#allSources().flatMap(metricsOf));
    this.#counters = new Set(
      this.#allSources()
        .filter(({ kind }) => kind !== 'gauge')
        .flatMap(metricsOf)
        .filter(
          (metric) => knownMetrics.has(metric) || /_(?:total|sum|count|bucket)$/.test(metric),
        ),
    );
  }

  /**
   * Returns whether a figure needs the metric with this name. The name may be in the spelling of a server or of a
   * collector.
   */
  wants(metric: string): boolean {
    return this.#wanted.has(canonicalMetric(metric));
  }

  #allSources(): readonly FigureSource[] {
    const known = serverSoftware.flatMap((name) => Object.values(serverSources[name]));
    return [...known, ...this.#own.map(sourceOf)];
  }

  /** Adds the lines of a scrape. Returns `null` for a usable scrape, or the reason why it is unusable. */
  add(lines: readonly string[], sent: Instant, received: Instant): string | null {
    const reading = readLines(lines, (line) => this.noteUnread(line));
    const samples = [...reading.values()].flatMap((series) => [...series.values()]);
    if (samples.length > 0 && !samples.some(isKnown))
      return this.fail('none of its metrics has a number');
    for (const [metric, series] of reading)
      if (this.#counters.has(metric)) this.#turns.add(metric, series);
    this.#software ??=
      serverSoftware.find((name) =>
        Object.values(serverSources[name])
          .flatMap(metricsOf)
          .some((metric) => reading.has(metric)),
      ) ?? null;
    const values = this.#valuesOf(reading, (sent + received) / 2);
    this.#remember(reading, (sent + received) / 2);
    if (this.#hasFallen) this.#resets += 1;
    this.#hasFallen = false;
    if (this.#software === null && Object.keys(values).length === 0) {
      return this.fail('it has no metric that Weir knows, or that `server.figures` names');
    }
    if (this.#scrapes % this.#keepEvery === 0) this.#keep({ sent, received, values });
    this.#scrapes += 1;
    return null;
  }

  #remember(reading: Reading, at: number): void {
    this.#before = at;
    for (const [metric, series] of reading) {
      const last = this.#last.get(metric) ?? new Map<string, number>();
      this.#last.set(metric, last);
      for (const [key, sample] of series) if (isKnown(sample)) last.set(key, sample.value);
    }
  }

  noteUnread(line: string): void {
    if (this.#unread === 0) this.#firstUnread = line;
    this.#unread += 1;
  }

  /** Returns sentences that say which data is missing from the figures. */
  notes(): readonly string[] {
    const notes: string[] = [];
    if (this.#turns.areSeveral) {
      notes.push(
        `The server’s metrics: several processes answer at ${this.#address} in turn, since its counters return to earlier values. Rates, shares and means over time are left out; each other figure is that of one process. Give the address of one process, or of a collector of all.`,
      );
    }
    if (this.#unread > 0) {
      const first = JSON.stringify(this.#firstUnread.slice(0, maxShownLine));
      const lines = this.#unread === 1 ? '1 line' : `${this.#unread.toLocaleString('en-US')} lines`;
      notes.push(
        `The server’s metrics: ${lines} of all readings of ${this.#address} could not be read and ${this.#unread === 1 ? 'is' : 'are'} left out; the first is ${first}.`,
      );
    }
    return notes;
  }

  /** Counts a scrape without values, and returns the given reason. */
  fail(reason: string): string {
    this.#scrapes += 1;
    this.#failed += 1;
    this.#lastFailure = reason;
    return reason;
  }

  result(): ServerMetrics {
    return {
      address: this.#address,
      software: this.#software,
      every: this.#every,
      scrapes: this.#scrapes,
      failed: this.#failed,
      lastFailure: this.#lastFailure,
      resets: this.#turns.areSeveral ? 0 : this.#resets,
      samples: this.#turns.areSeveral ? this.#samples.map(this.#withGauges) : [...this.#samples],
    };
  }

  /** Returns a sample with only the values that can be computed without an earlier reading. */
  readonly #withGauges = ({ values, ...sample }: ServerSample): ServerSample => {
    const gauges = this.#sources()
      .filter(([, { kind }]) => kind === 'gauge')
      .flatMap(([name]) => (values[name] === undefined ? [] : [[name, values[name]] as const]));
    return { ...sample, values: Object.fromEntries(gauges) };
  };

  #sources(): readonly (readonly [string, FigureSource])[] {
    const known = this.#software === null ? [] : Object.entries(serverSources[this.#software]);
    return [...known, ...this.#own.map((figure) => [figure.name, sourceOf(figure)] as const)];
  }

  #keep(sample: ServerSample): void {
    this.#samples.push(sample);
    if (this.#samples.length < maxServerSamples) return;
    this.#samples = this.#samples.filter((_, i) => i % 2 === 0);
    this.#keepEvery *= 2;
    this.#every = milliseconds(this.#every * 2);
  }

  #valuesOf(reading: Reading, at: number): Record<string, number> {
    const found = this.#sources().flatMap(([name, source]) => {
      const value = this.#valueOf(source, reading, at);
      return value === null ? [] : [[name, value] as const];
    });
    return Object.fromEntries(found);
  }

  #valueOf(source: FigureSource, reading: Reading, at: number): number | null {
    if (source.kind === 'gauge') {
      const metric = presentIn(reading, source.of);
      if (metric === undefined) return null;
      const values = wholesOf(reading.get(metric)!.values(), source.partLabel);
      if (values.length === 0) return null;
      return (sumOf(values) / (source.over === 'sum' ? 1 : values.length)) * source.factor;
    }
    const seconds = this.#before === null ? 0 : (at - this.#before) / 1000;
    if (seconds <= 0) return null;
    if (source.kind === 'rate') {
      const increase = this.#increaseOfAll(reading, source.of, source.plus);
      return increase === null ? null : (increase / seconds) * source.factor;
    }
    const part = this.#increaseOf(reading, source.part);
    const whole = this.#increaseOfAll(reading, source.whole, source.plus);
    return part === null || whole === null || whole === 0 ? null : (part / whole) * source.factor;
  }

  #increaseOfAll(reading: Reading, names: readonly string[], plus: readonly string[]) {
    const increase = this.#increaseOf(reading, names);
    const more = plus.map((name) => this.#increaseOf(reading, [name]) ?? 0);
    return increase === null ? null : increase + sumOf(more);
  }

  /**
   * Returns the increase of a counter since the last scrape; `null` without an earlier scrape. A counter that dropped
   * is assumed to have restarted at 0, as in Prometheus's `increase`. A series that was missing continues from its last
   * value. A new series starts from 0.
   */
  #increaseOf(reading: Reading, names: readonly string[]): number | null {
    const metric = presentIn(reading, names);
    if (metric === undefined || this.#before === null) return null;
    const last = this.#last.get(metric);
    let increase = 0;
    for (const [key, { value }] of reading.get(metric)!) {
      if (!Number.isFinite(value)) continue;
      const earlier = last?.get(key) ?? 0;
      if (value < earlier) this.#hasFallen = true;
      increase += value < earlier ? value : value - earlier;
    }
    return increase;
  }
}
