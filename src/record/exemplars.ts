import { type Outcome, outcomeKinds } from '../model/observation/outcome.ts';
import type { Exemplar } from '../model/result/exemplar.ts';
import { attemptsOf, type Observation } from '../model/observation/observation.ts';
import type { Instant } from '../model/quantity.ts';
import { trafficKinds } from '../model/workload/traffic.ts';
import { describeFailure } from './failures.ts';
import { byText, type Recorder, streamOf } from './recorder.ts';

/** How many of the slowest completed requests are kept of each traffic kind. */
const slowestKept = 20;
/** How many of the first, and how many of the last, are kept of each failed outcome. */
const failedKept = 5;

/** The exemplars of one list in order of their rank; the lowest is kept first. */
type ExemplarList = { readonly rank: number; readonly exemplar: Exemplar }[];
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

/** The lists that a request may enter, with their length and its rank there. */
const listsFor = (
  outcome: Exemplar['outcome'],
  { traffic, due, ended }: Pick<Exemplar, 'traffic' | 'due' | 'ended'>,
): readonly (readonly [list: string, length: number, rank: number])[] =>
  outcome === 'completed'
    ? [[`slow ${traffic}`, slowestKept, due - ended]]
    : [
        [`first ${outcome}`, failedKept, ended],
        [`last ${outcome}`, failedKept, 0 - ended],
      ];

/** Equal ranks are ordered by text, so that merged parts keep what the whole keeps. */
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
    // The case of most requests.
    if (last !== undefined && list.length === length && rank > last.rank) continue;
    const entry = { rank, exemplar: makeExemplar() };
    const place = list.findIndex((other) => inOrder(entry, other) <= 0);
    const next = list[place];
    // An exemplar restored from a result may come twice: as one of the first and of the last.
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

/** Completed requests by traffic kind, the slowest first; then failed ones by outcome, in order of time. */
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

/** Keeps single requests as examples: the slowest of each traffic kind, and the first and last of each failed outcome. */
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
