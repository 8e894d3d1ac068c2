import type { Labels, Group } from '../model/measures/counts.ts';
import { type Observation, attemptsOf, wasSent } from '../model/observation/observation.ts';
import type { Plan } from '../model/plan/plan.ts';
import { targetNameOf } from '../model/plan/targets.ts';
import { warmUpParts } from '../model/result/found-warm-up.ts';
import {
  type Answer,
  answerNoteNames,
  finishOf,
  partialOf,
  plainFinish,
} from '../model/observation/outcome.ts';
import { decodeHistogram, emptyHistogram, type Histogram } from '../model/measures/histogram.ts';
import {
  type MeasureName,
  isTimed,
  measureNames,
  measures,
  measuresOfClasses,
  measuresOfFirst,
} from '../model/measures/measures.ts';
import { type DelayName, delayNames, recordDelays } from '../model/measures/read-delays.ts';
import { gaveUpNames } from '../model/observation/attempt.ts';
import { emptyOutcomeCounts, hasFinish } from '../model/measures/outcome-counts.ts';
import { type TrafficKind, trafficKinds } from '../model/workload/traffic.ts';
import { recordHangUp } from './hang-ups.ts';
import { recordBills, storeBills } from './bills.ts';
import { recordUsageAudit, storedUsageAudit } from './usage-audits.ts';
import { recordTokens, restoreTokens, storeTokens, type TokensBySource } from './token-sums.ts';
import { addCounts, byText, getOrCreate, mapInOrder, type Recorder, streamOf } from './recorder.ts';
import { type RequestObjective, objectivesMet } from '../model/plan/objective.ts';

/**
 * Adds 1 to the count of each per-request objective that an observation meets, and to `all` if the observation meets
 * all objectives. Observations that are not completed, or that the client planned to hang up on, add nothing.
 */
export const recordObjectiveCounts = (
  group: Pick<Group, 'good'>,
  objectives: readonly RequestObjective[],
  observation: Observation,
  stage: string,
): void => {
  if (objectives.length === 0) return;
  const good = (group.good ??= { all: 0, each: objectives.map(() => 0) });
  if (observation.outcome.kind !== 'completed' || observation.toCancel) return;
  const kept = objectivesMet(objectives, observation, stage);
  if (kept.every(Boolean)) good.all += 1;
  for (const [i, isKept] of kept.entries()) good.each[i]! += isKept ? 1 : 0;
};

/** The number of answers with each finish reason; `null` if finish reasons were not counted. */
type Finishes = Map<string, number> | null;

/**
 * A group counts at most this many finish reasons by name, in addition to those that always keep their names. A server
 * can invent a new reason for each answer.
 */
const maxFinishes = 20;
/** The name under which all further finish reasons are counted. */
const otherFinishes = 'others';
/** The finish reasons of the OpenAI API, which always keep their own names. */
const usualFinishes = ['stop', 'length', 'tool_calls', 'function_call', 'content_filter'];

/** Returns the finish reasons that always keep their own names. */
const keptFinishes = ({ fails, objectives }: Plan): ReadonlySet<string> =>
  new Set([
    otherFinishes,
    ...usualFinishes,
    ...(fails ?? []).map(({ finish }) => plainFinish(finish)),
    ...objectives.flatMap(({ figure }) => ('reason' in figure ? plainFinish(figure.reason) : [])),
  ]);

/**
 * Counts answers with a finish reason. Beyond the maximum number, only the first reasons in text order keep their
 * names. Parts of a run therefore have the same reasons as the whole run, and merged counts are exact. A dropped reason
 * counts under its OpenAI spelling if this spelling is always kept, and otherwise under `others`.
 */
const addFinish = (
  finishes: Map<string, number>,
  kept: ReadonlySet<string>,
  [reason, count]: readonly [reason: string, count: number],
): void => {
  const known = finishes.get(reason);
  finishes.set(reason, (known ?? 0) + count);
  if (known !== undefined || finishes.size <= maxFinishes) return;
  const names = [...finishes.keys()].filter((name) => !kept.has(name));
  if (names.length <= maxFinishes) return;
  const last = names.reduce((a, b) => (byText(a, b) < 0 ? b : a));
  const plain = plainFinish(last);
  const name = kept.has(plain) ? plain : otherFinishes;
  finishes.set(name, (finishes.get(name) ?? 0) + finishes.get(last)!);
  finishes.delete(last);
};

interface GroupName {
  readonly labels: Labels;
  readonly key: string;
}

const groupKeyOf = ({ traffic, model, entry, key, stage, warmUp, warmUpPart }: Labels): string =>
  JSON.stringify([stage, traffic, model, entry, key, warmUp, warmUpPart]);

/** The number of recent group names that are cached. With more, a search would take longer than making a new name. */
const maxRemembered = 16;

/**
 * Creates a function that returns the group of each observation of a plan. Recent groups are cached, because most
 * observations belong to a recent group.
 */
const groupNames = (plan: Plan): ((observation: Observation) => GroupName) => {
  const warmUpPartOf = warmUpParts(plan);
  const known: (GroupName & { readonly stage: number })[] = [];
  return ({ traffic, model, entry, key, stage, due }) => {
    const warmUp = due < plan.warmUp;
    const warmUpPart = warmUp ? warmUpPartOf(due) : undefined;
    const found = known.find(
      ({ labels, stage: place }) =>
        place === stage &&
        labels.traffic === traffic &&
        labels.model === model &&
        labels.entry === entry &&
        labels.key === key &&
        labels.warmUp === warmUp &&
        labels.warmUpPart === warmUpPart,
    );
    if (found !== undefined) return found;
    const { name = `stage ${stage}`, population } = plan.stages[stage] ?? {};
    const target = targetNameOf(plan, stage);
    const labels = {
      traffic,
      model,
      ...(entry === undefined ? {} : { entry }),
      key,
      stage: name,
      ...(population === undefined ? {} : { population }),
      ...(target === undefined ? {} : { target }),
      warmUp,
      ...(warmUpPart === undefined ? {} : { warmUpPart }),
    };
    const made = { labels, key: groupKeyOf(labels), stage };
    if (known.length === maxRemembered) known.shift();
    known.push(made);
    return made;
  };
};

type FirstName = (typeof measuresOfFirst)[number];

/** A group during recording. Its distributions are histograms to which values can still be added. */
type OpenGroup = Omit<Group, 'distributions' | 'partials' | 'delays' | 'tokens' | 'finishes'> & {
  readonly tokens: TokensBySource;
  finishes: Finishes;
  readonly delays: Partial<Record<DelayName, Histogram>>;
  readonly distributions: Partial<Record<MeasureName, Histogram>>;
  readonly partials: Partial<Record<FirstName, Histogram>>;
};
export type Groups = Map<string, OpenGroup>;

const emptyGroup = (labels: Labels): OpenGroup => ({
  labels,
  outcomes: emptyOutcomeCounts(),
  sent: 0,
  attempts: 0,
  retried: 0,
  gaveUp: {},
  tokens: {},
  bills: {},
  buffered: 0,
  coalescedEvents: 0,
  tokenEvents: 0,
  connections: { new: 0, reused: 0 },
  notes: {},
  finishes: new Map(),
  distributions: {},
  partials: {},
  delays: {},
});

const groupOf = (groups: Groups, labels: Labels, key = groupKeyOf(labels)): OpenGroup =>
  getOrCreate(groups, key, () => emptyGroup(labels));

const histogramOf = ({ distributions }: OpenGroup, measure: MeasureName): Histogram =>
  (distributions[measure] ??= emptyHistogram());

const partialsIn = ({ partials }: OpenGroup, name: FirstName): Histogram =>
  (partials[name] ??= emptyHistogram());

const delaysIn = ({ delays }: OpenGroup, name: DelayName): Histogram =>
  (delays[name] ??= emptyHistogram());

/**
 * The measures of each traffic kind. `usual` lacks the measures that only an answer with token classes (such as cached
 * tokens) can have.
 */
const measuresOf: ReadonlyMap<
  TrafficKind,
  Readonly<Record<'all' | 'usual', readonly MeasureName[]>>
> = new Map(
  trafficKinds.map((kind) => {
    const all = measureNames.filter((name) => measures[name].traffic.includes(kind));
    return [kind, { all, usual: all.filter((name) => !measuresOfClasses.has(name)) }];
  }),
);

const hasClasses = (answer: Answer): boolean =>
  'tokens' in answer && (answer.tokens.cached ?? answer.tokens.reasoning) !== undefined;

const recordAnswer = (group: OpenGroup, { outcome }: Observation): void => {
  const stream = streamOf(outcome);
  if (stream !== null) {
    group.tokenEvents += stream.tokenInstants.length;
    group.coalescedEvents += stream.coalesced;
  }
  if (outcome.kind !== 'completed') return;
  if (stream?.buffered === true) group.buffered += 1;
  for (const note of outcome.answer.notes) group.notes[note] = (group.notes[note] ?? 0) + 1;
  if (!('tokens' in outcome.answer)) return;
  recordTokens(group.tokens, outcome.answer.tokens);
};

/**
 * Records the samples of a completed request. For a failed request, only the times to the first parts of the answer are
 * recorded. A request on which the client planned to hang up has no times.
 */
const recordSamples = (group: OpenGroup, observation: Observation): void => {
  const { toCancel } = observation;
  if (!toCancel && partialOf(observation.outcome) !== null) {
    for (const name of measuresOfFirst) {
      const samples = measures[name].ofPartial(observation);
      if (samples.length > 0) partialsIn(group, name).recordAll(samples);
    }
  }
  if (observation.outcome.kind !== 'completed') return;
  const named = hasClasses(observation.outcome.answer) ? 'all' : 'usual';
  for (const measure of measuresOf.get(observation.traffic)?.[named] ?? []) {
    if (toCancel && isTimed(measures[measure])) continue;
    const samples = measures[measure].of(observation);
    if (samples.length === 0) continue;
    const histogram = histogramOf(group, measure);
    histogram.recordAll(samples);
  }
};

const recordInto = (group: OpenGroup, observation: Observation): void => {
  group.outcomes[observation.outcome.kind] += 1;
  const attempts = attemptsOf(observation);
  if (wasSent(observation)) group.sent += 1;
  group.attempts += attempts.length;
  if (attempts.length > 1) group.retried += 1;
  const { gaveUp } = observation;
  if (gaveUp !== null) group.gaveUp[gaveUp] = (group.gaveUp[gaveUp] ?? 0) + 1;
  for (const { connection, reconnected } of attempts) {
    if (connection !== null)
      group.connections[connection] = (group.connections[connection] ?? 0) + 1;
    if (reconnected !== undefined) group.reconnected = (group.reconnected ?? 0) + 1;
  }
  recordAnswer(group, observation);
  recordUsageAudit(group, observation);
  // Results of older versions do not contain the cost of each attempt, so their groups have no bills.
  if (group.bills !== undefined) recordBills(group.bills, observation);
  if (observation.toCancel) recordHangUp(group, observation);
  else recordDelays(observation, (name) => delaysIn(group, name));
  recordSamples(group, observation);
};

const addGroup = (into: OpenGroup, from: OpenGroup, kept: ReadonlySet<string>): void => {
  const { labels: _, distributions, partials, delays, finishes, bills, ...counts } = from;
  addCounts(into, counts);
  if (finishes === null) into.finishes = null;
  if (into.bills === undefined || bills === undefined) delete into.bills;
  else addCounts(into.bills, bills);
  for (const each of finishes ?? []) if (into.finishes) addFinish(into.finishes, kept, each);
  for (const measure of measureNames) {
    const histogram = distributions[measure];
    if (histogram !== undefined) histogramOf(into, measure).add(histogram);
  }
  for (const name of measuresOfFirst) {
    const histogram = partials[name];
    if (histogram !== undefined) partialsIn(into, name).add(histogram);
  }
  for (const name of delayNames) {
    const histogram = delays[name];
    if (histogram !== undefined) delaysIn(into, name).add(histogram);
  }
};

const storeFinishes = ({
  finishes,
  labels,
}: Pick<OpenGroup, 'finishes' | 'labels'>): Pick<Group, 'finishes'> =>
  finishes === null || !hasFinish(labels.traffic)
    ? {}
    : {
        finishes: Array.from(finishes, ([reason, count]) => ({ reason, count })).toSorted((a, b) =>
          byText(a.reason, b.reason),
        ),
      };

const storeGroup = ({ delays, finishes, partials, hangUps, ...group }: OpenGroup): Group => ({
  ...group,
  outcomes: { ...group.outcomes },
  ...(hangUps === undefined ? {} : { hangUps: structuredClone(hangUps) }),
  ...storedUsageAudit(group),
  connections: { ...group.connections },
  ...(group.good === undefined ? {} : { good: structuredClone(group.good) }),
  gaveUp: mapInOrder(gaveUpNames, group.gaveUp, (count) => count),
  notes: mapInOrder(answerNoteNames, group.notes, (count) => count),
  ...storeFinishes({ labels: group.labels, finishes }),
  tokens: storeTokens(group.tokens),
  ...(group.bills === undefined ? {} : { bills: storeBills(group.bills) }),
  distributions: mapInOrder(measureNames, group.distributions, (each) => each.toJSON()),
  ...(Object.keys(partials).length === 0
    ? {}
    : { partials: mapInOrder(measuresOfFirst, partials, (each) => each.toJSON()) }),
  ...(Object.keys(delays).length === 0
    ? {}
    : { delays: mapInOrder(delayNames, delays, (each) => each.toJSON()) }),
});

/**
 * Splits a group into parts whose sum is the group: one with the counts, and one for each histogram. Storing a part
 * takes less than a millisecond.
 */
function* partsOf(group: OpenGroup): Generator<OpenGroup> {
  const { labels, distributions, partials, delays } = group;
  yield { ...group, distributions: {}, partials: {}, delays: {} };
  for (const name of measureNames) {
    const histogram = distributions[name];
    if (histogram !== undefined)
      yield { ...emptyGroup(labels), distributions: { [name]: histogram } };
  }
  for (const name of measuresOfFirst) {
    const histogram = partials[name];
    if (histogram !== undefined) yield { ...emptyGroup(labels), partials: { [name]: histogram } };
  }
  for (const name of delayNames) {
    const histogram = delays[name];
    if (histogram !== undefined) yield { ...emptyGroup(labels), delays: { [name]: histogram } };
  }
}

const restoreGroup = (stored: Group): OpenGroup => {
  const group = structuredClone(stored);
  return {
    ...group,
    tokens: restoreTokens(group.tokens),
    finishes:
      group.finishes === undefined
        ? null
        : new Map(group.finishes.map(({ reason, count }) => [reason, count])),
    distributions: mapInOrder(measureNames, group.distributions, decodeHistogram),
    partials: mapInOrder(measuresOfFirst, group.partials ?? {}, decodeHistogram),
    delays: mapInOrder(delayNames, group.delays ?? {}, decodeHistogram),
  };
};

/**
 * Records counts and distributions of arrivals, in one group for all arrivals with the same labels. Groups are ordered
 * by stage as in the plan, then by traffic, model, entry and key; the warm-up comes first.
 */
export const groupRecorder = (plan: Plan): Recorder<Groups, Group> => {
  const stageNames = plan.stages.map(({ name }) => name);
  const namesOf = groupNames(plan);
  const kept = keptFinishes(plan);
  const inOrder = (a: Labels, b: Labels): number =>
    stageNames.indexOf(a.stage) - stageNames.indexOf(b.stage) ||
    byText(a.stage, b.stage) ||
    trafficKinds.indexOf(a.traffic) - trafficKinds.indexOf(b.traffic) ||
    byText(a.model ?? '', b.model ?? '') ||
    byText(a.entry ?? '', b.entry ?? '') ||
    byText(a.key, b.key) ||
    Number(b.warmUp) - Number(a.warmUp) ||
    (a.warmUpPart ?? 0) - (b.warmUpPart ?? 0);
  return {
    record: (groups, observation) => {
      const { labels, key } = namesOf(observation);
      const group = groupOf(groups, labels, key);
      recordInto(group, observation);
      const finish = finishOf(observation.outcome);
      if (finish !== null && group.finishes) addFinish(group.finishes, kept, [finish, 1]);
      recordObjectiveCounts(group, plan.perRequest, observation, labels.stage);
    },
    add: (into, from) => {
      for (const group of from.values()) addGroup(groupOf(into, group.labels), group, kept);
    },
    store: (groups) =>
      [...groups.values()].toSorted((a, b) => inOrder(a.labels, b.labels)).map(storeGroup),
    restore: (stored) =>
      new Map(stored.map((group) => [groupKeyOf(group.labels), restoreGroup(group)])),
    *split(groups) {
      for (const [key, group] of groups) {
        for (const part of partsOf(group))
          yield { state: new Map([[key, part]]), stored: [storeGroup(part)] };
      }
    },
  };
};
