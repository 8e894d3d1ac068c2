import { createServer } from 'node:http';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { measures } from '../model/measures.ts';
import { attemptsOf, type Observation } from '../model/observation.ts';
import { Problem } from './problem.ts';

/** Where metrics are offered. */
export interface MetricsAddress {
  readonly host: string;
  readonly port: number;
}

/** A run's figures while it runs, for Prometheus and its kin to fetch. */
export interface LiveMetrics {
  /** Where they are: `http://127.0.0.1:9464/metrics`. */
  readonly address: string;
  note(observation: Observation): void;
  /** Arrivals so far, and exchanges under way. */
  moved(motion: { readonly due: number; readonly inFlight: number }): void;
  close(): Promise<void>;
}

/** Seconds; fine where people wait for a first token, coarse where they wait for a whole answer. */
const buckets = [
  0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 1.5, 2, 3, 5, 7.5, 10,
  15, 20, 30, 60, 120,
];

type OpenMetrics = Registry<typeof Registry.OPENMETRICS_CONTENT_TYPE>;

const place = ['traffic', 'model', 'key', 'stage'] as const;

const timersIn = (registry: OpenMetrics) => {
  const registers = [registry];
  const timer = (name: string, help: string) =>
    new Histogram({ name, help, buckets, labelNames: place, registers });
  return {
    endToEnd: timer('weir_end_to_end_seconds', 'From due to the end, of completed requests.'),
    ttft: timer('weir_ttft_seconds', 'From due to the first token, of completed streams.'),
    firstAudio: timer(
      'weir_first_audio_seconds',
      'From due to the first audio, of completed speech.',
    ),
    lag: new Histogram({
      name: 'weir_lag_seconds',
      help: 'How late the generator itself was, of all attempts.',
      buckets: [0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1],
      registers,
    }),
  };
};

const instrumentsIn = (registry: OpenMetrics) => {
  const registers = [registry];
  return {
    ...timersIn(registry),
    run: new Gauge({
      name: 'weir_run_info',
      help: 'Always 1: what the labels say of the run.',
      labelNames: ['scenario', 'run_id', 'version'] as const,
      registers,
    }),
    due: new Gauge({ name: 'weir_due', help: 'Arrivals due so far.', registers }),
    inFlight: new Gauge({ name: 'weir_in_flight', help: 'Exchanges under way.', registers }),
    arrivals: new Counter({
      name: 'weir_arrivals_total',
      help: 'Arrivals by what became of them: each is in exactly one outcome.',
      labelNames: [...place, 'outcome'] as const,
      registers,
    }),
    attempts: new Counter({
      name: 'weir_attempts_total',
      help: 'Exchanges that were begun, by the status of their answer; 0 where none came.',
      labelNames: [...place, 'status'] as const,
      registers,
    }),
    tokens: new Counter({
      name: 'weir_tokens_total',
      help: 'Tokens of completed chats; input only where the server told it.',
      labelNames: [...place, 'direction'] as const,
      registers,
    }),
    remaining: new Gauge({
      name: 'weir_key_remaining',
      help: 'What the gateway last said is left of a key’s limit.',
      labelNames: ['key', 'unit'] as const,
      registers,
    }),
  };
};
type Instruments = ReturnType<typeof instrumentsIn>;

const timed = ['endToEnd', 'ttft', 'firstAudio'] as const;

const noteQuota = ({ remaining }: Instruments, { key, head }: Observation): void => {
  const { remainingRequests = null, remainingTokens = null } = head?.quota ?? {};
  if (remainingRequests !== null) remaining.set({ key, unit: 'requests' }, remainingRequests);
  if (remainingTokens !== null) remaining.set({ key, unit: 'tokens' }, remainingTokens);
};

const noteIn = (
  instruments: Instruments,
  stages: readonly string[],
  observation: Observation,
): void => {
  const { traffic, model, key, outcome } = observation;
  const stage = stages[observation.stage] ?? String(observation.stage);
  const labels = { traffic, model: model ?? '', key, stage };
  instruments.arrivals.inc({ ...labels, outcome: outcome.kind });
  for (const attempt of attemptsOf(observation)) {
    const { head, begun, released } = attempt;
    instruments.attempts.inc({ ...labels, key: attempt.key, status: String(head?.status ?? 0) });
    instruments.lag.observe(Math.max(0, begun - released) / 1000);
  }
  noteQuota(instruments, observation);
  if (outcome.kind !== 'completed') return;
  for (const name of timed) {
    for (const sample of measures[name].of(observation)) {
      instruments[name].observe(labels, sample / 1000);
    }
  }
  if (!('tokens' in outcome.answer)) return;
  const { input, output } = outcome.answer.tokens;
  instruments.tokens.inc({ ...labels, direction: 'output' }, output);
  if (input !== null) instruments.tokens.inc({ ...labels, direction: 'input' }, input);
};

const listening = (
  registry: OpenMetrics,
  { host, port }: MetricsAddress,
): Promise<{ readonly port: number; readonly close: () => Promise<void> }> =>
  new Promise((resolve, reject) => {
    const server = createServer((request, response) => {
      if (request.url !== '/metrics') {
        response.writeHead(404).end('Metrics are at /metrics\n');
        return;
      }
      void registry.metrics().then((text) => {
        response.writeHead(200, { 'content-type': registry.contentType }).end(text);
      });
    });
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason = error.code ?? error.message;
      reject(new Problem(`--metrics: ${host}:${port} cannot be listened on: ${reason}`));
    });
    server.listen(port, host, () => {
      const bound = server.address();
      resolve({
        port: typeof bound === 'object' && bound !== null ? bound.port : port,
        close: () =>
          new Promise((closed) => {
            server.close(() => closed());
            server.closeAllConnections();
          }),
      });
    });
  });

/** Offers a run's figures in OpenMetrics until it is closed; throws a `Problem` when the address is taken. */
export const openMetrics = async (
  address: MetricsAddress,
  run: {
    readonly scenario: string;
    readonly runId: string;
    readonly version: string;
    readonly stages: readonly string[];
  },
): Promise<LiveMetrics> => {
  const registry: OpenMetrics = new Registry();
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  const instruments = instrumentsIn(registry);
  const { scenario, runId, version, stages } = run;
  instruments.run.set({ scenario, run_id: runId, version }, 1);
  const { port, close } = await listening(registry, address);
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  return {
    address: `http://${host}:${port}/metrics`,
    note: (observation) => noteIn(instruments, stages, observation),
    moved: ({ due, inFlight }) => {
      instruments.due.set(due);
      instruments.inFlight.set(inFlight);
    },
    close,
  };
};
