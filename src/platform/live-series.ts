import { measures } from '../model/measures.ts';
import { attemptsOf, type Observation } from '../model/observation.ts';

/** Seconds; fine where people wait for a first token, coarse where they wait for a whole answer. */
const waits = [
  0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 1.5, 2, 3, 5, 7.5, 10,
  15, 20, 30, 60, 120,
];

const place = ['traffic', 'model', 'key', 'stage'];

const timer = (name: string, help: string) =>
  ({ kind: 'histogram', name, help, labels: place, buckets: waits }) as const;

interface Named {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
}

/** One row of what can be watched while a run is on; histograms count seconds. */
export type SeriesRow =
  | (Named & { readonly kind: 'counter' })
  | (Named & { readonly kind: 'gauge' })
  | (Named & { readonly kind: 'histogram'; readonly buckets: readonly number[] });

/** All series of a run that is on: whoever exports them exports these, under these names and labels. */
export const liveSeries = {
  run: {
    kind: 'gauge',
    name: 'weir_run_info',
    help: 'Always 1: what the labels say of the run.',
    labels: ['scenario', 'run_id', 'version'],
  },
  due: { kind: 'gauge', name: 'weir_due', help: 'Arrivals due so far.', labels: [] },
  inFlight: { kind: 'gauge', name: 'weir_in_flight', help: 'Exchanges under way.', labels: [] },
  arrivals: {
    kind: 'counter',
    name: 'weir_arrivals_total',
    help: 'Arrivals by what became of them: each is in exactly one outcome.',
    labels: [...place, 'outcome'],
  },
  attempts: {
    kind: 'counter',
    name: 'weir_attempts_total',
    help: 'Exchanges that were begun, by the status of their answer; 0 where none came.',
    labels: [...place, 'status'],
  },
  tokens: {
    kind: 'counter',
    name: 'weir_tokens_total',
    help: 'Tokens of completed chats; input only where the server told it.',
    labels: [...place, 'direction'],
  },
  remaining: {
    kind: 'gauge',
    name: 'weir_key_remaining',
    help: 'What the gateway last said is left of a key’s limit.',
    labels: ['key', 'unit'],
  },
  endToEnd: timer('weir_end_to_end_seconds', 'From due to the end, of completed requests.'),
  ttft: timer('weir_ttft_seconds', 'From due to the first token, of completed streams.'),
  firstAudio: timer(
    'weir_first_audio_seconds',
    'From due to the first audio, of completed speech.',
  ),
  lag: {
    kind: 'histogram',
    name: 'weir_lag_seconds',
    help: 'How late the generator itself was, of all attempts.',
    labels: [],
    buckets: [0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1],
  },
} satisfies Record<string, SeriesRow>;

export type SeriesName = keyof typeof liveSeries;

export type SeriesLabels = Readonly<Record<string, string>>;

/** Takes a value: counters add it, gauges become it, histograms count it. */
export type Put = (series: SeriesName, value: number, labels: SeriesLabels) => void;

/** The run that live figures are of. */
export interface WatchedRun {
  readonly scenario: string;
  /** Tells this process's series from those of others. */
  readonly instance: string;
  readonly version: string;
}

/** Somebody who shows the series to others, until closed. */
export interface Exporter {
  /** What people are told of it when the run begins. */
  readonly told: string;
  readonly put: Put;
  close(): Promise<void>;
}

const timed = ['endToEnd', 'ttft', 'firstAudio'] as const;

const noteQuota = (put: Put, { key, head }: Observation): void => {
  const { remainingRequests = null, remainingTokens = null } = head?.quota ?? {};
  if (remainingRequests !== null) put('remaining', remainingRequests, { key, unit: 'requests' });
  if (remainingTokens !== null) put('remaining', remainingTokens, { key, unit: 'tokens' });
};

/** Puts into the series all that one observation adds to them. */
export const putObservation = (
  put: Put,
  stages: readonly string[],
  observation: Observation,
): void => {
  const { traffic, model, key, outcome } = observation;
  const stage = stages[observation.stage] ?? String(observation.stage);
  const labels = { traffic, model: model ?? '', key, stage };
  put('arrivals', 1, { ...labels, outcome: outcome.kind });
  for (const attempt of attemptsOf(observation)) {
    const { head, begun, released } = attempt;
    put('attempts', 1, { ...labels, key: attempt.key, status: String(head?.status ?? 0) });
    put('lag', Math.max(0, begun - released) / 1000, {});
  }
  noteQuota(put, observation);
  if (outcome.kind !== 'completed') return;
  for (const name of timed) {
    for (const sample of measures[name].of(observation)) put(name, sample / 1000, labels);
  }
  if (!('tokens' in outcome.answer)) return;
  const { input, output } = outcome.answer.tokens;
  put('tokens', output, { ...labels, direction: 'output' });
  if (input !== null) put('tokens', input, { ...labels, direction: 'input' });
};
