import { tabledSamples } from '../../model/measures/measures.ts';
import { attemptsOf, type Observation } from '../../model/observation/observation.ts';

/**
 * The bounds of the histograms' buckets in seconds. The bounds are close together for times to the first token, and far
 * apart for complete answers.
 */
const latencyBuckets = [
  0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 1.5, 2, 3, 5, 7.5, 10,
  15, 20, 30, 60, 120,
];

const requestLabels = ['traffic', 'model', 'key', 'stage'];

/** One series of the live metrics. Histograms are in seconds. */
export interface SeriesRow {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  /** The bounds of a histogram's buckets in seconds; empty for other series. */
  readonly buckets: readonly number[];
}

const seriesRow = (
  kind: SeriesRow['kind'],
  name: string,
  help: string,
  labels: readonly string[] = [],
  buckets: readonly number[] = [],
): SeriesRow => ({ kind, name, help, labels, buckets });

const counter = (name: string, help: string, label: string): SeriesRow =>
  seriesRow('counter', name, help, [...requestLabels, label]);

const latencies = (name: string, help: string): SeriesRow =>
  seriesRow('histogram', name, help, requestLabels, latencyBuckets);

/** All series of a run in progress. Every exporter uses these names and labels. */
export const liveSeries = {
  run: seriesRow('gauge', 'weir_run_info', 'Always 1; the labels describe the run.', [
    'scenario',
    'run_id',
    'version',
  ]),
  due: seriesRow('gauge', 'weir_due', 'Arrivals due so far.'),
  inFlight: seriesRow('gauge', 'weir_in_flight', 'Requests in flight.'),
  arrivals: counter('weir_arrivals_total', 'Arrivals by outcome; each has exactly one.', 'outcome'),
  attempts: counter(
    'weir_attempts_total',
    'Requests sent, by the status of the answer; 0 without an answer.',
    'status',
  ),
  tokens: counter(
    'weir_tokens_total',
    'Tokens of completed chats; input only where the server reports it.',
    'direction',
  ),
  remaining: seriesRow(
    'gauge',
    'weir_key_remaining',
    'Remaining requests or tokens of a key, as the gateway last reported.',
    ['key', 'unit'],
  ),
  endToEnd: latencies(
    'weir_end_to_end_seconds',
    'Time from due to the end, of completed requests.',
  ),
  ttft: latencies(
    'weir_ttft_seconds',
    'Time from due to the first token, also of streams that failed later.',
  ),
  firstAudio: latencies(
    'weir_first_audio_seconds',
    'Time from due to the first audio, also of speech that failed later.',
  ),
  lag: seriesRow(
    'histogram',
    'weir_lag_seconds',
    'Delay of all attempts by the load generator itself.',
    [],
    [0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1],
  ),
} satisfies Record<string, SeriesRow>;

type SeriesName = keyof typeof liveSeries;

type SeriesLabels = Readonly<Record<string, string>>;

/**
 * Records a value in a series. A counter adds the value, a gauge is set to the value, and a histogram counts the value
 * in a bucket.
 */
export type RecordValue = (series: SeriesName, value: number, labels: SeriesLabels) => void;

/** Returns a function that records values with an exporter's writers. An exporter has one writer for each series. */
export const recordWith = (
  writerOf: (row: SeriesRow) => (value: number, labels: SeriesLabels) => void,
): RecordValue => {
  const writers = new Map<string, ReturnType<typeof writerOf>>(
    Object.entries(liveSeries).map(([series, row]) => [series, writerOf(row)]),
  );
  return (series, value, labels) => writers.get(series)!(value, labels);
};

export interface ExportedRun {
  readonly scenario: string;
  /** A name that distinguishes the series of this process from those of other processes. */
  readonly instance: string;
  readonly version: string;
}

export interface MetricsExporter {
  readonly announcement: string;
  readonly record: RecordValue;
  close(): Promise<void>;
}

const latencySeries = ['endToEnd', 'ttft', 'firstAudio'] as const;

const recordQuota = (record: RecordValue, { key, head }: Observation): void => {
  const { remainingRequests = null, remainingTokens = null } = head?.quota ?? {};
  if (remainingRequests !== null) record('remaining', remainingRequests, { key, unit: 'requests' });
  if (remainingTokens !== null) record('remaining', remainingTokens, { key, unit: 'tokens' });
};

export const recordLiveObservation = (
  record: RecordValue,
  stages: readonly string[],
  observation: Observation,
): void => {
  const { traffic, model, key, outcome } = observation;
  const stage = stages[observation.stage] ?? String(observation.stage);
  const labels = { traffic, model: model ?? '', key, stage };
  record('arrivals', 1, { ...labels, outcome: outcome.kind });
  for (const attempt of attemptsOf(observation)) {
    const { head, begun, released } = attempt;
    record('attempts', 1, { ...labels, key: attempt.key, status: String(head?.status ?? 0) });
    record('lag', Math.max(0, begun - released) / 1000, {});
  }
  recordQuota(record, observation);
  for (const name of latencySeries) {
    for (const sample of tabledSamples(name, observation)) record(name, sample / 1000, labels);
  }
  if (outcome.kind !== 'completed' || !('tokens' in outcome.answer)) return;
  const { input, output } = outcome.answer.tokens;
  record('tokens', output, { ...labels, direction: 'output' });
  if (input !== null) record('tokens', input, { ...labels, direction: 'input' });
};
