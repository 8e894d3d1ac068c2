import {
  type MeasureName,
  measureNames,
  measures,
  tabledSamples,
} from '../model/measures/measures.ts';
import {
  attemptsOf,
  type Observation,
  paceWaitOf,
  retryWaitOf,
} from '../model/observation/observation.ts';
import type { Answer, TokenCounts } from '../model/observation/outcome.ts';
import type { Plan } from '../model/plan/plan.ts';
import { targetNameOf } from '../model/plan/targets.ts';
import { describeFailure } from './failures.ts';
import { roundedFigure, streamOf } from './recorder.ts';

/**
 * This file presents requests as a table with one row for each arrival. The rows contain the values from which reports
 * compute percentiles, rounded as in the histograms. A missing value is `null`, never 0.
 */

/** The type of a column. The values of an `instant` column are in ms since 1970, UTC. */
export type ColumnType = 'text' | 'integer' | 'real' | 'boolean' | 'instant';
export type RequestCell = string | number | boolean | null;

export interface RowContext {
  readonly plan: Pick<Plan, 'populations' | 'stages' | 'warmUp'>;
  /** The wall-clock time of the instant 0, in ms since 1970. */
  readonly zero: number;
}

/** A column. Its name includes its unit. */
export interface RequestColumn {
  readonly name: string;
  readonly type: ColumnType;
  readonly of: (observation: Observation, context: RowContext) => RequestCell;
}

const answerOf = ({ outcome }: Observation): Answer | null =>
  outcome.kind === 'completed' ? outcome.answer : null;

const streamAnswerOf = (observation: Observation) => {
  const answer = answerOf(observation);
  return answer?.kind === 'chat-stream' ? answer : null;
};

const chatOf = (observation: Observation) => {
  const answer = answerOf(observation);
  return answer?.kind === 'chat-stream' || answer?.kind === 'chat' ? answer : null;
};

const tokensOf = (observation: Observation): TokenCounts | null =>
  chatOf(observation)?.tokens ?? null;

const column =
  (type: ColumnType) =>
  (name: string, of: RequestColumn['of']): RequestColumn => ({ name, type, of });
const text = column('text');
const integer = column('integer');
const boolean = column('boolean');
const real = (
  name: string,
  of: (observation: Observation) => number | null | undefined,
): RequestColumn => ({ name, type: 'real', of: (observation) => roundedFigure(of(observation)) });

/** Returns the median of a stream's chunk gaps, by nearest rank; `null` without gaps. */
const medianGap = (observation: Observation): number | null => {
  const gaps = Float64Array.from(measures.gap.of(observation)).sort();
  return gaps.length === 0 ? null : gaps[Math.ceil(gaps.length / 2) - 1]!;
};

const isSent = ({ outcome }: Observation): boolean => outcome.kind !== 'dropped';

const identityColumns: readonly RequestColumn[] = [
  { name: 'due_at', type: 'instant', of: ({ due }, { zero }) => Math.round(zero + due) },
  real('due_ms', ({ due }) => due),
  text('stage', ({ stage }, { plan }) => plan.stages[stage]?.name ?? `stage ${stage}`),
  text('population', ({ stage }, { plan }) => plan.stages[stage]?.population ?? null),
  text('target', ({ stage }, { plan }) => targetNameOf(plan, stage) ?? null),
  boolean('warm_up', ({ due }, { plan }) => due < plan.warmUp),
  boolean('hang_up', ({ toCancel }) => toCancel === true),
  text('kind', ({ traffic }) => traffic),
  text('entry', ({ entry }) => entry ?? null),
  text('model', ({ model }) => model),
  text('key', ({ key }) => key),
];

/** The columns that say how a request ended, for every outcome. */
const endColumns: readonly RequestColumn[] = [
  text('outcome', ({ outcome }) => outcome.kind),
  integer('status', (observation) =>
    isSent(observation) ? (observation.head?.status ?? null) : null,
  ),
  text('failure', ({ outcome }) => describeFailure(outcome)?.cause ?? null),
];

/** The columns of waits and times. Most of these values are `null` for a request that was not sent. */
const timeColumns: readonly RequestColumn[] = [
  real('elapsed_ms', (observation) =>
    isSent(observation) ? observation.ended - observation.due : null,
  ),
  integer('attempts', (observation) => attemptsOf(observation).length),
  text('gave_up', ({ gaveUp }) => gaveUp),
  real('retry_wait_ms', retryWaitOf),
  real('pace_wait_ms', paceWaitOf),
  real('lag_ms', (observation) =>
    isSent(observation) ? observation.begun - observation.released : null,
  ),
  text('connection', ({ connection }) => connection),
];

/**
 * Names the column of each measure; `null` if the measure has none. Chunk gaps have many values per request, so the
 * table has only their median and maximum. The cached share follows from two other columns.
 */
export const columnOfMeasure = {
  ttft: 'ttft_ms',
  endToEnd: 'end_to_end_ms',
  gap: null,
  stall: 'gap_max_ms',
  tpot: 'tpot_ms',
  outputSpeed: 'output_tokens_per_s',
  inputTokens: 'input_tokens',
  outputTokens: 'output_tokens',
  cachedTokens: 'cached_tokens',
  cachedShare: null,
  reasoningTokens: 'reasoning_tokens',
  cost: 'cost',
  retryWait: 'retry_wait_ms',
  paceWait: 'pace_wait_ms',
  ttftService: 'ttft_from_sent_ms',
  firstEvent: 'first_event_ms',
  firstVisible: 'first_visible_ms',
  closing: 'stream_close_ms',
  serviceTime: 'service_ms',
  headers: 'headers_ms',
  connect: 'connect_ms',
  tokensPerChunk: 'tokens_per_chunk',
  firstAudio: 'first_audio_ms',
  firstByte: 'first_byte_ms',
  speechFactor: 'speech_ms_per_audio_s',
  speechSeconds: 'audio_received_s',
  speechBytes: 'audio_bytes',
  speakingSpeed: 'characters_per_s',
  characters: 'characters',
  transcriptionFactor: 'transcription_ms_per_audio_s',
  clipSeconds: 'audio_sent_s',
  wordErrorRate: 'word_errors_percent',
  catalogue: 'models_listed',
} as const satisfies Record<MeasureName, string | null>;

/** The units whose values are whole numbers. */
const wholeUnits = new Set<string>(['characters', 'bytes', 'models']);

const measureColumn = (name: MeasureName): RequestColumn => ({
  ...real(columnOfMeasure[name] ?? name, (observation) => tabledSamples(name, observation)[0]),
  type: wholeUnits.has(measures[name].unit) ? 'integer' : 'real',
});

/** The columns that interest most users, in order of interest. */
const headlineColumns: readonly RequestColumn[] = [
  measureColumn('ttft'),
  measureColumn('endToEnd'),
  real('gap_p50_ms', medianGap),
  measureColumn('stall'),
  measureColumn('tpot'),
  measureColumn('outputSpeed'),
];

/** Returns the cost in the currency of the scenario's prices; `null` if the cost is unknown. */
const costOf = (observation: Observation): number | null => {
  const [micros] = measures.cost.of(observation);
  return micros === undefined ? null : micros / 1e6;
};

const quantities: readonly RequestColumn[] = [
  integer('input_tokens', (observation) => tokensOf(observation)?.input ?? null),
  integer('output_tokens', (observation) => tokensOf(observation)?.output ?? null),
  text('output_tokens_source', (observation) => tokensOf(observation)?.source ?? null),
  integer('requested_input_tokens', (observation) => tokensOf(observation)?.asked ?? null),
  integer(
    'chunks',
    ({ outcome }) =>
      (outcome.kind === 'completed' || outcome.kind === 'cancelled' ? streamOf(outcome) : null)
        ?.tokenInstants.length ?? null,
  ),
  { name: 'cost', type: 'real', of: (observation) => costOf(observation) },
];

/** The columns at the start of the file, in the order of the file. */
const placedColumns: readonly RequestColumn[] = [
  ...identityColumns,
  ...endColumns,
  ...headlineColumns,
  ...quantities,
  ...timeColumns,
];
const taken = new Set<string | null>([null, ...placedColumns.map(({ name }) => name)]);

/** All columns, in the order of the file. */
export const requestColumns: readonly RequestColumn[] = [
  ...placedColumns,
  ...measureNames.filter((name) => !taken.has(columnOfMeasure[name])).map(measureColumn),
  boolean('buffered', (observation) => streamAnswerOf(observation)?.buffered ?? null),
  text('finish', (observation) => chatOf(observation)?.finish ?? null),
  text('request_id', ({ requestId }) => requestId),
  text('server_request_id', ({ head }) => head?.serverId ?? null),
];

/** Returns the cells of one arrival, in the order of `requestColumns`. */
export const requestRow = (observation: Observation, context: RowContext): readonly RequestCell[] =>
  requestColumns.map(({ of }) => of(observation, context));
