import { type Outcome, outcomeKinds } from '../model/observation/outcome.ts';
import type { Exemplar } from '../model/result/exemplar.ts';
import { attemptsOf, type Observation } from '../model/observation/observation.ts';
import type { Instant } from '../model/quantity.ts';
import { trafficKinds } from '../model/workload/traffic.ts';
import { describeFailure } from './failures.ts';
import { byText } from './by-text.ts';
import type { Recorder } from './recorder.ts';
import { streamOf } from './stream-of.ts';

/** So many of the slowest completed requests are kept of each kind of traffic. */
const slowestKept = 20;
/** So many of the first, and as many of the last, are kept of each way to fail. */
const failedKept = 5;

/** The exemplars of one sort, the one that is wanted most first, and how much each is not wanted. */
type ExemplarList = { readonly unwanted: number; readonly exemplar: Exemplar }[];
export type Exemplars = Map<string, ExemplarList>;

const outputOf = (outcome: Outcome): Instant | null =>
  outcome.kind === 'completed' && outcome.answer.kind === 'speech'
    ? outcome.answer.firstAudio
    : (streamOf(outcome)?.firstToken ?? null);

const exemplarOf = (observation: Observation): Exemplar => {
  const { requestId, traffic, model, key, stage, outcome, head, connection } = observation;
  const { due, released, begun, connected, sent, ended } = observation;
  return {
    requestId,
    serverId: head?.serverId ?? null,
    traffic,
    model,
    key,
    stage,
    outcome: outcome.kind,
    status: head?.status ?? null,
    cause: describeFailure(outcome)?.cause ?? null,
    attempts: attemptsOf(observation).length,
    connection,
    due,
    released,
    begun,
    connected,
    sent,
    head: head?.at ?? null,
    output: outputOf(outcome),
    ended,
  };
};

/** Where a request of this end might stand: on which shelves, of how many places, and how little it is wanted there. */
const listsFor = (
  outcome: Exemplar['outcome'],
  { traffic, due, ended }: Pick<Exemplar, 'traffic' | 'due' | 'ended'>,
): readonly (readonly [shelf: string, places: number, unwanted: number])[] =>
  outcome === 'completed'
    ? [[`slow ${traffic}`, slowestKept, due - ended]]
    : [
        [`first ${outcome}`, failedKept, ended],
        [`last ${outcome}`, failedKept, 0 - ended],
      ];

/** Of equals the one whose text comes first is kept, so that merged parts keep what the whole does. */
const inOrder = (a: ExemplarList[number], b: ExemplarList[number]): number =>
  a.unwanted - b.unwanted || byText(JSON.stringify(a.exemplar), JSON.stringify(b.exemplar));

const insertExemplar = (
  lists: Exemplars,
  places: ReturnType<typeof listsFor>,
  makeExemplar: () => Exemplar,
): void => {
  for (const [name, kept, unwanted] of places) {
    const list = lists.get(name) ?? [];
    lists.set(name, list);
    const last = list.at(-1);
    // Most requests end here.
    if (last !== undefined && list.length === kept && unwanted > last.unwanted) continue;
    const each = { unwanted, exemplar: makeExemplar() };
    const place = list.findIndex((other) => inOrder(each, other) <= 0);
    const there = list[place];
    // Restored from a result, one exemplar comes twice: as one of the first and of the last.
    if (there !== undefined && inOrder(each, there) === 0) continue;
    list.splice(place === -1 ? list.length : place, 0, each);
    list.splice(kept);
  }
};

const addExemplars = (into: Exemplars, exemplars: Iterable<Exemplar>): void => {
  for (const exemplar of exemplars) {
    insertExemplar(into, listsFor(exemplar.outcome, exemplar), () => exemplar);
  }
};

const exemplarsIn = (lists: Exemplars): Exemplar[] => [
  ...new Map(
    [...lists.values()].flat().map(({ exemplar }) => [JSON.stringify(exemplar), exemplar]),
  ).values(),
];

/** Completed ones by kind, the slowest first; then failed ones by their way to fail, in time. */
const inReportOrder = (a: Exemplar, b: Exemplar): number => {
  const way = outcomeKinds.indexOf(a.outcome) - outcomeKinds.indexOf(b.outcome);
  if (way !== 0) return way;
  const rank =
    a.outcome === 'completed'
      ? trafficKinds.indexOf(a.traffic) - trafficKinds.indexOf(b.traffic) ||
        a.due - a.ended - (b.due - b.ended)
      : a.ended - b.ended;
  return rank || byText(JSON.stringify(a), JSON.stringify(b));
};

/** The requests that people ask about first: the slowest of each kind, and the first and last of each way to fail. */
export const exemplarRecorder: Recorder<Exemplars, Exemplar> = {
  empty: () => new Map(),
  record: (lists, observation) =>
    insertExemplar(lists, listsFor(observation.outcome.kind, observation), () =>
      exemplarOf(observation),
    ),
  add: (into, from) => addExemplars(into, exemplarsIn(from)),
  store: (lists) => exemplarsIn(lists).toSorted(inReportOrder),
  restore: (stored) => {
    const lists: Exemplars = new Map();
    addExemplars(lists, stored);
    return lists;
  },
  split: (lists) => [{ state: lists, stored: exemplarsIn(lists) }],
};
