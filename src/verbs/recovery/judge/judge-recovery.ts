import { percentileWithFailures } from '../../../judge/statistics/percentile-with-failures.ts';
import type { PhaseCounts, PolicyRecovery, UnknownReason } from '../model/recovery-report.ts';
import type { PolicyPhases, SeenRequest } from '../model/seen-request.ts';
import { dueIn, inWindows, isWithin, windowsOf, type Yardstick, yardstickOf } from './windows.ts';

/**
 * Completed requests are counted in windows of this many ms. In shorter windows, chance would make the maximum too
 * high.
 */
const completionWindow = 2000;

/**
 * Unless the user sets the time, a request is good if it is answered within this factor times the p95 of the first base
 * (the load before an overload). With a factor of 2, a target with a steady queue that is busy for 0.8 of the time
 * would be judged bad in 11 % of runs, since a base of half a minute does not contain the queue's longest jams.
 */
const withinFactor = 3;

export interface OverloadRun {
  readonly requests: readonly SeenRequest[];
  readonly phases: readonly PolicyPhases[];
  /**
   * The time in ms within which a good request is answered (a stream: has its first token). `null` means three times
   * the p95 of the first base in which at most 5 % of requests failed.
   */
  readonly within: number | null;
  /** The end of the observed load. Policies that end later are not judged. */
  readonly seenUntil: number;
  /** Whether the load deviated from the plan. */
  readonly isInvalid: boolean;
}

/** Returns the highest rate of completed requests, per second, over windows of 2 s. */
const mostCompletedIn = (requests: readonly SeenRequest[]): number => {
  const completed = requests.filter(({ came }) => Number.isFinite(came));
  const counts = Map.groupBy(completed, ({ ended }) => Math.floor(ended / completionWindow));
  return (
    (1000 * Math.max(0, ...[...counts.values()].map((each) => each.length))) / completionWindow
  );
};

const countsOf = (requests: readonly SeenRequest[], within: number): PhaseCounts => {
  const good = requests.filter((request) => isWithin(request, within)).length;
  const failed = requests.filter(({ came }) => !Number.isFinite(came)).length;
  const attempts = attemptsOf(requests).length;
  const times = requests.map(({ came, due }) => came - due);
  const timeAt = (q: number): number | null => {
    const time = percentileWithFailures(times, q);
    return Number.isFinite(time) ? Math.max(0, time) : null;
  };
  return {
    due: requests.length,
    good,
    late: requests.length - good - failed,
    failed,
    attempts: requests.length === 0 ? 0 : attempts / requests.length,
    p50: timeAt(0.5),
    p95: timeAt(0.95),
  };
};

type Finding = Pick<PolicyRecovery, 'state' | 'reason' | 'needs' | 'after'>;

const unknown = (reason: UnknownReason, needs: number | null = null): Finding => ({
  state: 'unknown',
  reason,
  needs,
  after: null,
});

const stays = (state: 'kept' | 'stuck'): Finding => ({
  state,
  reason: null,
  needs: null,
  after: null,
});

const sentIn = (attempts: SeenRequest['attempts'], from: number, to: number): typeof attempts =>
  attempts.filter(({ sent }) => sent >= from && sent < to);

const attemptsOf = (requests: readonly SeenRequest[]): SeenRequest['attempts'] =>
  requests.flatMap(({ attempts }) => attempts);

/** Returns the figures at the end of a policy, from the last third of the time after the overload. */
const endOf = (own: readonly SeenRequest[], { gone, until }: PolicyPhases) => {
  const from = until - (until - gone) / 3;
  return {
    due: dueIn(own, from, until),
    sent: (1000 * sentIn(attemptsOf(own), from, until).length) / (until - from),
  };
};

/**
 * Two facts of a whole run: the highest rate of completed requests, and whether the target recovers without retries.
 */
interface Context {
  readonly most: number;
  readonly isBackAlone: boolean;
}

/**
 * Says why a target is still bad at the end. If surely more attempts come than the target ever completed, retries keep
 * the target bad. If fewer attempts come, the target may still be working off a queue, which holds at most the attempts
 * that had no answer at the end of the overload. If the time was enough for this queue, the policy without retries
 * decides. If the target recovers without retries, retries are the cause, otherwise something else.
 */
const stillBad = (
  own: readonly SeenRequest[],
  phases: PolicyPhases,
  { most, isBackAlone }: Context,
): Finding => {
  const { due, sent } = endOf(own, phases);
  // The attempts of one request come together, so the number of attempts varies as much as the number of requests.
  if (sent * (1 - 2 / Math.sqrt(due.length)) > most) return stays('kept');
  const { from, gone, until } = phases;
  const waiting = sentIn(attemptsOf(own), from, gone).filter(
    ({ isAnswered }) => !isAnswered,
  ).length;
  if (waiting > 0 && sent >= most) return unknown('balanced');
  const needs = waiting === 0 ? 0 : (1000 * waiting) / (most - sent);
  if (until - gone < needs) return unknown('draining', needs);
  return stays(isBackAlone ? 'kept' : 'stuck');
};

/**
 * Says when a target has recovered: at the end of the last window that is surely bad, if all later requests together
 * are surely good. Otherwise says why the target is still bad, or why this is unknown.
 */
const recoveryIn = (
  own: readonly SeenRequest[],
  phases: PolicyPhases,
  { length, isBad, isGood }: Yardstick,
  context: Context,
): Finding => {
  const { peak, gone, until } = phases;
  const after = windowsOf(own, { from: gone, to: until }, length);
  const overload = [
    dueIn(own, peak, gone),
    ...windowsOf(own, { from: peak, to: gone }, length),
    ...after.slice(0, 1),
  ];
  if (!overload.some((each) => isBad(each, overload.length))) return unknown('unharmed');
  const bad = after.findLastIndex((each) => isBad(each, after.length));
  const back = (bad + 1) * length;
  if (isGood(dueIn(own, gone + back, until)))
    return { state: 'back', reason: null, needs: null, after: back };
  return isBad(endOf(own, phases).due) ? stillBad(own, phases, context) : unknown('unsure');
};

/**
 * Returns the windows of all phases. The first window of a phase begins with the phase. The time after the last whole
 * window of a phase is in no window.
 */
const shownWindows = (
  own: readonly SeenRequest[],
  { from, peak, gone, until }: PolicyPhases,
  { within, length, isBad }: Yardstick,
): PolicyRecovery['windows'] => {
  const attempts = attemptsOf(own);
  const asked = Math.floor((until - gone) / length + 1e-9);
  return [
    { from, to: peak },
    { from: peak, to: gone },
    { from: gone, to: until },
  ].flatMap((part) => {
    const sent = inWindows(attempts, (attempt) => attempt.sent, part, length);
    return windowsOf(own, part, length).map((some, place) => ({
      from: part.from + place * length,
      due: some.length,
      good: some.filter((request) => isWithin(request, within)).length,
      sent: sent[place]!.length,
      isBad: isBad(some, asked),
    }));
  });
};

/**
 * A policy with its requests, and what its base shows. `usual` is the p95 of the base in ms; infinity if more than 5 %
 * failed.
 */
interface PolicyBase {
  readonly phases: PolicyPhases;
  readonly own: readonly SeenRequest[];
  readonly base: readonly SeenRequest[];
  readonly usual: number;
  readonly median: number;
}

const baseOf = (requests: readonly SeenRequest[], phases: PolicyPhases): PolicyBase => {
  const own = requests.filter(({ policy }) => policy === phases.policy);
  const base = dueIn(own, phases.from, phases.peak);
  const times = base.map(({ came, due }) => came - due);
  const [usual, median] = [0.95, 0.5].map((q) => percentileWithFailures(times, q));
  return { phases, own, base, usual: usual!, median: median! };
};

const yardstickFor = ({ own, phases, usual, median }: PolicyBase, within: number) =>
  Number.isFinite(usual) ? yardstickOf(own, phases, { median, within }) : null;

/**
 * The facts that are needed to judge a policy, besides its own requests. `earlier` is the first yardstick from the base
 * of an earlier policy; `null` if no earlier base gave a yardstick.
 */
interface PolicyTerms extends Context, Pick<OverloadRun, 'seenUntil' | 'isInvalid'> {
  /** A good request is answered within this many ms. */
  readonly within: number;
  readonly yardstick: Yardstick | null;
  readonly earlier: Yardstick | null;
}

/**
 * Judges a policy against its own base. If this base is worse than an earlier one, the effects of the previous policy
 * are not over, and the result is unknown.
 */
const judgePolicy = (each: PolicyBase, terms: PolicyTerms): PolicyRecovery => {
  const { phases, own, base, usual } = each;
  const { within, yardstick, earlier, seenUntil, isInvalid } = terms;
  const { policy, ...times } = phases;
  const { peak, gone, until } = times;
  const finding = ((): Finding => {
    if (until > seenUntil) return unknown('partial');
    if (isInvalid) return unknown('invalid');
    if (earlier?.isBad(base) === true) return unknown('base-worse');
    if (!Number.isFinite(usual)) return unknown('base-fails');
    if (yardstick === null) return unknown('few');
    return recoveryIn(own, phases, yardstick, terms);
  })();
  return {
    policy,
    ...finding,
    phases: times,
    within: Number.isFinite(within) ? within : null,
    resolution: yardstick?.length ?? null,
    base: countsOf(base, within),
    overload: countsOf(dueIn(own, peak, gone), within),
    watched: countsOf(dueIn(own, gone, until), within),
    named: own.reduce((sum, { named }) => sum + named, 0),
    sentAtEnd: endOf(own, phases).sent,
    windows: yardstick === null ? [] : shownWindows(own, phases, yardstick),
  };
};

export const judgeRecovery = (
  run: OverloadRun,
): { readonly mostCompleted: number; readonly policies: PolicyRecovery[] } => {
  const { requests, phases, seenUntil, isInvalid } = run;
  const most = mostCompletedIn(requests);
  const bases = phases.map((each) => baseOf(requests, each));
  const usual = bases.map((each) => each.usual).find(Number.isFinite) ?? Infinity;
  const within = run.within ?? withinFactor * usual;
  const yardsticks = bases.map((each) => yardstickFor(each, within));
  const first = yardsticks.findIndex((each) => each !== null);
  const judge = (place: number, isBackAlone: boolean): PolicyRecovery =>
    judgePolicy(bases[place]!, {
      most,
      isBackAlone,
      within,
      seenUntil,
      isInvalid,
      yardstick: yardsticks[place]!,
      earlier: first >= 0 && place > first ? yardsticks[first]! : null,
    });
  const none = phases.findIndex(({ policy }) => policy === 'none');
  const isBackAlone = none >= 0 && judge(none, false).state === 'back';
  return { mostCompleted: most, policies: bases.map((_, place) => judge(place, isBackAlone)) };
};
