import { type Draw, drawFrom } from '../model/draw.ts';
import type { Observation, Outcome } from '../model/observation.ts';
import { instant } from '../model/quantity.ts';
import { modelOf, type TrafficKind } from '../model/traffic.ts';
import { reportedPlan } from './reported-plan.ts';
import { completedExchange, type End, exponential, failing, limited } from './sample-answers.ts';

/** Test support: the observations behind `sampleResult`. */

const dueAt = (index: number): number => {
  if (index < 800) return index * 50 + drawFrom(1, index).uniform() * 40;
  // The area under a ramp from 20/s to 60/s: n = 20 t + t².
  return 40_000 + (Math.sqrt(100 + (index - 800)) - 10) * 1000;
};

/** The steady stage's kinds: the rare ones first, the others in turn. */
const steadyKind = (index: number): TrafficKind => {
  if (index % 67 === 0) return 'models';
  if (index % 20 === 7) return 'speech';
  if (index % 25 === 13) return 'transcription';
  return index % 5 === 3 ? 'chat' : 'chat-stream';
};

/** What an arrival is before anything became of it. */
const setting = (index: number) => {
  const due = dueAt(index);
  const stage = due < 40_000 ? 0 : 1;
  return {
    due,
    stage,
    traffic: stage === 1 ? ('chat-stream' as const) : steadyKind(index),
    key: index % 3 === 0 ? 'beta' : 'alpha',
    load: Math.max(0, (due - 40_000) / 20_000),
  };
};

const failedAt = (draw: Draw, sent: number, outcome: Outcome): number =>
  sent + (outcome.kind === 'limited' ? 6 + exponential(draw, 4) : 40 + 700 * draw.uniform());

const endOf = (draw: Draw, index: number, used: number, sent: number): End => {
  const { stage, traffic, load } = setting(index);
  if (stage === 1 && load > 0.9 && draw.uniform() < 0.2) {
    return { outcome: { kind: 'dropped', cause: 'saturated' }, ended: sent };
  }
  const failure = used > 600 ? limited : failing(draw, traffic, index);
  return failure === null
    ? completedExchange[traffic](draw, sent, load)
    : { outcome: failure, ended: failedAt(draw, sent, failure) };
};

const statusOf = (outcome: Outcome): number =>
  'refusal' in outcome ? outcome.refusal.status : 200;

const exchangeOf = (index: number, used: number, begun: number) => {
  const sent = begun + 0.1;
  const { outcome, ended } = endOf(drawFrom(4, index), index, used, sent);
  if (outcome.kind === 'dropped') {
    return {
      outcome,
      connected: null,
      connection: null,
      sent: null,
      head: null,
      ended: instant(begun),
    };
  }
  const at = instant(Math.min(ended, sent + 30));
  const told = { at, status: statusOf(outcome), quota: quota(used), serverId: `srv-${index}` };
  return {
    outcome,
    connected: instant(begun + 0.05),
    connection: index < 30 ? ('new' as const) : ('reused' as const),
    sent: instant(sent),
    head: outcome.kind === 'broken' ? null : told,
    ended: instant(ended),
  };
};

const modelFor = (stage: number, kind: TrafficKind): string | null => {
  const entry = reportedPlan.stages[stage]!.traffic.find((each) => each.kind === kind);
  return entry === undefined ? null : modelOf(entry);
};

const observationAt = (index: number, spent: Map<string, number>): Observation => {
  const { due, stage, traffic, key } = setting(index);
  const used = (spent.get(key) ?? 0) + 1;
  spent.set(key, used);
  const begun = due + 0.05 + exponential(drawFrom(2, index), 0.2);
  return {
    requestId: `req-${String(index).padStart(5, '0')}`,
    stage,
    index,
    traffic,
    model: modelFor(stage, traffic),
    key,
    due: instant(due),
    released: instant(due),
    reserved: null,
    begun: instant(begun),
    earlier: [],
    gaveUp: null,
    ...exchangeOf(index, used, begun),
  };
};

const quota = (used: number) => ({
  limitRequests: 600,
  remainingRequests: Math.max(0, 600 - used),
  limitTokens: 2_000_000,
  remainingTokens: Math.max(0, 2_000_000 - used * 110),
});

/** About 1,600 arrivals in due order. */
export const sampleObservations = (): readonly Observation[] => {
  const spent = new Map<string, number>();
  return Array.from({ length: 1600 }, (_, index) => observationAt(index, spent));
};
