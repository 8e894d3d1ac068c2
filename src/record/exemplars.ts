import { type Outcome, outcomeKinds } from '../model/observation/outcome.ts';
import type { Exemplar } from '../model/result/exemplar.ts';
import { attemptsOf, type Observation } from '../model/observation/observation.ts';
import type { Instant } from '../model/quantity.ts';
import { trafficKinds } from '../model/workload/traffic.ts';
import { describeFailure } from './failures.ts';
import { byText, type Recorder, streamOf } from './recorder.ts';

/** How many of the slowest completed requests are stored for each traffic kind. */
const maxSlowest = 20;
/** For each kind of failure, this many of the first failures and this many of the last failures are stored. */
const maxFailed = 5;

/** The exemplars of one list, in the order of their ranks. The exemplar with the lowest rank is the most important. */
type ExemplarList = { readonly rank: number; readonly exemplar: Exemplar }[];
export type Exemplars = Map<string, ExemplarList>;

const outputOf = (outcome: Outcome): Instant | null =>
  outcome.kind === 'completed' && outcome.answer.kind === 'speech'
    ? outcome.answer.firstAudio
    : (streamOf(outcome)?.firstToken ?? null);

const exemplarOf = (observation: Observation): Exemplar => {
  const { outcome, head, due, released, begun, connected, sent, ended } = observation;
  const { requestId, traffic, model, key, stage, connection } = observation;
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

/**
 * Returns the lists that a request may enter. Each list comes with its maximum length and the rank of the request in
 * the list.
 */
const listsFor = (
  outcome: Exemplar['outcome'],
  { traffic, due, ended }: Pick<Exemplar, 'traffic' | 'due' | 'ended'>,
): readonly (readonly [list: string, length: number, rank: number])[] =>
  outcome === 'completed'
    ? [[`slow ${traffic}`, maxSlowest, due - ended]]
    : [
        [`first ${outcome}`, maxFailed, ended],
        [`last ${outcome}`, maxFailed, 0 - ended],
      ];

/**
 * Compares exemplars by rank, and exemplars of equal rank by their text. Merged parts of a run therefore have the same
 * exemplars as the whole run.
 */
const inOrder = (a: ExemplarList[number], b: ExemplarList[number]): number =>
  a.rank - b.rank || byText(JSON.stringify(a.exemplar), JSON.stringify(b.exemplar));

const insertExemplar = (
  lists: Exemplars,
  places: ReturnType<typeof listsFor>,
  makeExemplar: () => Exemplar,
): void => {
  for (const [name, length, rank] of places) {
    const list = lists.get(name) ?? [];
    lists.set(name, list);
    const last = list.at(-1);
    // For most requests, the loop ends here, because most requests enter no list.
    if (last !== undefined && list.length === length && rank > last.rank) continue;
    const entry = { rank, exemplar: makeExemplar() };
    const place = list.findIndex((other) => inOrder(entry, other) <= 0);
    const next = list[place];
    // A restored request may already be in the list, because it can be stored both as a first and as a last failure.
    if (next !== undefined && inOrder(entry, next) === 0) continue;
    list.splice(place === -1 ? list.length : place, 0, entry);
    list.splice(length);
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

/**
 * Compares exemplars for reports. Completed requests come first, by traffic kind, with the slowest request first.
 * Failed requests follow, by outcome, in order of time.
 */
const inReportOrder = (a: Exemplar, b: Exemplar): number => {
  const outcome = outcomeKinds.indexOf(a.outcome) - outcomeKinds.indexOf(b.outcome);
  if (outcome !== 0) return outcome;
  const rank =
    a.outcome === 'completed'
      ? trafficKinds.indexOf(a.traffic) - trafficKinds.indexOf(b.traffic) ||
        a.due - a.ended - (b.due - b.ended)
      : a.ended - b.ended;
  return rank || byText(JSON.stringify(a), JSON.stringify(b));
};

/**
 * Records single requests as examples: the slowest requests of each traffic kind, and the first and the last failures
 * of each failed outcome.
 */
export const exemplarRecorder: Recorder<Exemplars, Exemplar> = {
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
