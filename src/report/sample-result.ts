import { drawFrom } from '../model/draw.ts';
import type { EncodedHistogram } from '../model/histogram.ts';
import { measureNames, measures, type MeasureName } from '../model/measures.ts';
import type { Observation } from '../model/observation.ts';
import { planHash } from '../model/plan-hash.ts';
import { type Ledger, ledgerRow, refusalColumns } from '../model/ledger.ts';
import {
  type Failure,
  type GeneratorSample,
  type Group,
  type Labels,
  type Result,
  resultSchema,
} from '../model/result.ts';
import { emptyOutcomes } from '../model/outcomes.ts';
import { reportedPlan } from './reported-plan.ts';
import { hostileText } from './sample-answers.ts';
import { sampleObservations } from './sample-run.ts';
import { sampleExemplars } from './sample-exemplars.ts';
import { encoded, sampleTimeline } from './sample-timeline.ts';

/**
 * Test support: a result as a run would write it. Stages do not import each other, so this folds
 * `sampleObservations` a second time, in the plainest way and for the sample alone (every token
 * count of it is `usage`): the house's own folding, with its laws, is the stage `record`.
 */

const labelsOf = ({ traffic, model, key, stage, due }: Observation): Labels => ({
  traffic,
  model,
  key,
  stage: reportedPlan.stages[stage]!.name,
  warmUp: due < reportedPlan.warmUp,
});

const groupOf = (labels: Labels, observations: readonly Observation[]): Group => {
  const outcomes = emptyOutcomes();
  const tokens = { source: 'usage' as const, answers: 0, answersWithInput: 0, input: 0, output: 0 };
  const connections = { new: 0, reused: 0 };
  const notes: Group['notes'] = {};
  let [sent, buffered, coalescedEvents, tokenEvents] = [0, 0, 0, 0];
  for (const { outcome, ...observation } of observations) {
    outcomes[outcome.kind] += 1;
    if (observation.sent !== null) sent += 1;
    if (observation.connection !== null) connections[observation.connection] += 1;
    if (outcome.kind !== 'completed') continue;
    for (const note of outcome.answer.notes) notes[note] = (notes[note] ?? 0) + 1;
    if (!('tokens' in outcome.answer)) continue;
    tokens.answers += 1;
    tokens.answersWithInput += 1;
    tokens.input += outcome.answer.tokens.input ?? 0;
    tokens.output += outcome.answer.tokens.output;
    if (outcome.answer.kind !== 'chat-stream') continue;
    buffered += outcome.answer.buffered ? 1 : 0;
    coalescedEvents += outcome.answer.coalesced;
    tokenEvents += outcome.answer.tokenInstants.length;
  }
  const distributions: Partial<Record<MeasureName, EncodedHistogram>> = {};
  for (const name of measureNames) {
    const samples = observations.flatMap((each) => [...measures[name].of(each)]);
    if (samples.length > 0) distributions[name] = encoded(samples, 3);
  }
  return {
    labels,
    outcomes,
    sent,
    attempts: observations.length - outcomes.dropped,
    retried: 0,
    gaveUp: {},
    tokens: tokens.answers === 0 ? [] : [tokens],
    buffered,
    coalescedEvents,
    tokenEvents,
    connections,
    notes,
    distributions,
  };
};

const groups = (observations: readonly Observation[]): readonly Group[] => {
  const byLabels = Map.groupBy(observations, (each) => JSON.stringify(labelsOf(each)));
  return [...byLabels.values()].map((alike) => groupOf(labelsOf(alike[0]!), alike));
};

const ledger = (observations: readonly Observation[], key: string): Ledger => ({
  key,
  left: 0,
  rows: observations
    .filter((each) => each.key === key && each.head !== null && each.sent !== null)
    .map(({ sent, head, ended, traffic, outcome }) => {
      const { at: answered, status, quota } = head!;
      return ledgerRow({
        ...{ sent: sent!, answered, status, ended, traffic, tokens: null },
        ...{ limitRequests: quota?.limitRequests ?? null, limitTokens: quota?.limitTokens ?? null },
        remainingRequests: quota?.remainingRequests ?? null,
        remainingTokens: quota?.remainingTokens ?? null,
        ...refusalColumns(outcome),
      });
    }),
});

const failures = (observations: readonly Observation[]): readonly Failure[] => {
  const failed = observations.filter(({ outcome }) => outcome.kind !== 'completed');
  const cause = ({ outcome }: Observation): string => {
    if (outcome.kind === 'malformed') return outcome.issue;
    if (outcome.kind === 'broken' || outcome.kind === 'dropped') return outcome.cause;
    return 'refusal' in outcome ? (outcome.refusal.code ?? '') : '';
  };
  const text = ({ outcome }: Observation): string => {
    if (outcome.kind === 'malformed' || outcome.kind === 'broken') return outcome.detail;
    return 'refusal' in outcome
      ? outcome.refusal.message
      : 'the cap on requests in flight was reached';
  };
  const alike = Map.groupBy(
    failed,
    (each) => `${each.traffic} ${each.outcome.kind} ${cause(each)}`,
  );
  return [...alike.values()].map((each) => ({
    traffic: each[0]!.traffic,
    outcome: each[0]!.outcome.kind as Failure['outcome'],
    status: 'refusal' in each[0]!.outcome ? each[0]!.outcome.refusal.status : null,
    cause: cause(each[0]!),
    message: text(each[0]!).replace(/\d+/g, '#'),
    sameText: new Set(each.map(text)).size === 1,
    count: each.length,
    first: each[0]!.ended,
    last: each.at(-1)!.ended,
    example: {
      requestId: each[0]!.requestId,
      serverId: each[0]!.head?.serverId ?? null,
      text: text(each[0]!),
    },
  }));
};

const generator = (seconds: number): readonly GeneratorSample[] =>
  Array.from({ length: seconds }, (_, second) => {
    const draw = drawFrom(3, second);
    const busy = 0.08 + 0.002 * second + 0.04 * draw.uniform();
    return {
      second,
      utilisation: busy,
      delayP99: 0.4 + draw.uniform(),
      delayMax: 1 + 3 * draw.uniform(),
      loops: 900,
      events: 400,
      eventsWaiting: 12,
      gcMax: 1.5 * draw.uniform(),
      gcTotal: 2,
      cpu: busy * 1.1,
      cpuWait: 0.004 * draw.uniform(),
      throttled: null,
      memory: 96_000_000 + 100_000 * second,
    };
  });

const foldedSample = (): Result => {
  const observations = sampleObservations();
  const seconds = sampleTimeline(observations);
  const ended = Math.max(...observations.map((each) => each.ended));
  return resultSchema.parse({
    format: 'result/1',
    weir: '0.1.0',
    runId: '01J8-sample',
    plan: reportedPlan,
    planHash: planHash(reportedPlan),
    baseUrl: 'http://127.0.0.1:8080/v1',
    startedAt: '2025-11-03T09:30:00Z',
    slices: [
      {
        index: 0,
        count: 1,
        startedAt: '2025-11-03T09:30:00Z',
        baseUrl: 'http://127.0.0.1:8080/v1',
        machine: { node: 'v24.0.0', platform: 'linux x64', cpu: 'A sample processor', cores: 4 },
        generator: generator(seconds.length),
      },
    ],
    scheduled: 60_000,
    ended,
    partial: null,
    notes: [`The target refused stream_options.include_usage: ${hostileText}`],
    groups: groups(observations),
    timeline: seconds,
    failures: failures(observations),
    exemplars: sampleExemplars(observations),
    ledger: reportedPlan.keys.map(({ name }) => ledger(observations, name)),
    witness: { 'requests.chat-stream': 1204, 'responses.429': 233 },
  });
};

let folded: Result | undefined;

/** About sixty seconds of mixed traffic that meets every outcome; the same at every call, and the caller's own. */
export const sampleResult = (): Result => structuredClone((folded ??= foldedSample()));
