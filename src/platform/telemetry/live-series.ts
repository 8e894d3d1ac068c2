import { measures } from '../../model/measures/measures.ts';
import { attemptsOf, type Observation } from '../../model/observation/observation.ts';

/** Seconds; fine for the first token, coarse for a complete answer. */
const latencyBuckets = [
  0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 1.5, 2, 3, 5, 7.5, 10,
  15, 20, 30, 60, 120,
];

const requestLabels = ['traffic', 'model', 'key', 'stage'];

const latencyHistogram = (name: string, help: string) =>
  ({ kind: 'histogram', name, help, labels: requestLabels, buckets: latencyBuckets }) as const;

interface SeriesDescription {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
}

/** One series of live metrics; histograms count seconds. */
export type SeriesRow =
  | (SeriesDescription & { readonly kind: 'counter' })
  | (SeriesDescription & { readonly kind: 'gauge' })
  | (SeriesDescription & { readonly kind: 'histogram'; readonly buckets: readonly number[] });

/** All series of a run in progress; every exporter uses these names and labels. */
export const liveSeries = {
  run: {
    kind: 'gauge',
    name: 'weir_run_info',
    help: 'Always 1; the labels describe the run.',
    labels: ['scenario', 'run_id', 'version'],
  },
  due: { kind: 'gauge', name: 'weir_due', help: 'Arrivals due so far.', labels: [] },
  inFlight: { kind: 'gauge', name: 'weir_in_flight', help: 'Requests in flight.', labels: [] },
  arrivals: {
    kind: 'counter',
    name: 'weir_arrivals_total',
    help: 'Arrivals by outcome; each has exactly one.',
    labels: [...requestLabels, 'outcome'],
  },
  attempts: {
    kind: 'counter',
    name: 'weir_attempts_total',
    help: 'Requests sent, by the status of the answer; 0 without an answer.',
    labels: [...requestLabels, 'status'],
  },
  tokens: {
    kind: 'counter',
    name: 'weir_tokens_total',
    help: 'Tokens of completed chats; input only where the server reports it.',
    labels: [...requestLabels, 'direction'],
  },
  remaining: {
    kind: 'gauge',
    name: 'weir_key_remaining',
    help: 'Remaining requests or tokens of a key, as the gateway last reported.',
    labels: ['key', 'unit'],
  },
  endToEnd: latencyHistogram(
    'weir_end_to_end_seconds',
    'Time from due to the end, of completed requests.',
  ),
  ttft: latencyHistogram(
    'weir_ttft_seconds',
    'Time from due to the first token, of completed streams.',
  ),
  firstAudio: latencyHistogram(
    'weir_first_audio_seconds',
    'Time from due to the first audio, of completed speech.',
  ),
  lag: {
    kind: 'histogram',
    name: 'weir_lag_seconds',
    help: 'Delay of all attempts by the load generator itself.',
    labels: [],
    buckets: [0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1],
  },
} satisfies Record<string, SeriesRow>;

export type SeriesName = keyof typeof liveSeries;

export type SeriesLabels = Readonly<Record<string, string>>;

/** Records a value: counters add it, gauges are set to it, histograms count it. */
export type RecordValue = (series: SeriesName, value: number, labels: SeriesLabels) => void;

/** The run that the live metrics belong to. */
export interface ExportedRun {
  readonly scenario: string;
  /** Distinguishes this process's series from others. */
  readonly instance: string;
  readonly version: string;
}

/** Exports the series until closed. */
export interface MetricsExporter {
  /** A message for users at the start of the run. */
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

/** Records one observation in the series. */
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
  if (outcome.kind !== 'completed') return;
  for (const name of latencySeries) {
    for (const sample of measures[name].of(observation)) record(name, sample / 1000, labels);
  }
  if (!('tokens' in outcome.answer)) return;
  const { input, output } = outcome.answer.tokens;
  record('tokens', output, { ...labels, direction: 'output' });
  if (input !== null) record('tokens', input, { ...labels, direction: 'input' });
};
