import { nextLook, undecidedObjectives } from '../../judge/objectives/stopping-rule.ts';
import type { Observation } from '../../model/observation/observation.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { type Instant, milliseconds } from '../../model/quantity.ts';
import type { Result } from '../../model/result/result.ts';
import { groupRecorder } from '../../record/groups.ts';
import { timelineRecorder } from '../../record/timeline.ts';
import { timeText } from '../../report/text/number-text.ts';
import type { RunObserver } from './observer.ts';

/** The figures of some arrivals of a run under way. */
const openFigures = (plan: Plan) => {
  const [groups, timeline] = [groupRecorder(plan), timelineRecorder()];
  const state = { groups: groups.restore([]), timeline: timeline.restore([]) };
  return {
    state,
    record: (observation: Observation): void => {
      groups.record(state.groups, observation);
      timeline.record(state.timeline, observation);
    },
    add: (other: typeof state): void => {
      groups.add(state.groups, other.groups);
      timeline.add(state.timeline, other.timeline);
    },
    stored: () => ({
      groups: groups.store(state.groups),
      timeline: timeline.store(state.timeline),
    }),
  };
};

/** Returns a result that holds only what objectives are judged by. */
const resultUpTo = (
  plan: Plan,
  until: Instant,
  stored: Pick<Result, 'groups' | 'timeline'>,
): Result => ({
  format: 'result/1',
  weir: '',
  runId: '',
  plan,
  planHash: '',
  baseUrl: '',
  startedAt: '',
  slices: [],
  scheduled: milliseconds(until),
  ended: milliseconds(until),
  partial: null,
  notes: [],
  ...stored,
  failures: [],
  ledger: [],
  gatewayCounters: null,
});

/** The share of the arrivals up to a look that need not have ended: one that hangs would put the look off for ever. */
const mayBeMissing = 0.001;

/**
 * Looks, at growing intervals, whether every objective is sure. A look counts the arrivals that were due before it and
 * waits until they have ended, since the first ones to end are the fast ones.
 */
export const watchDecision = (
  plan: Plan,
): Required<Pick<RunObserver, 'isDecided'>> & RunObserver => {
  const settled = openFigures(plan);
  let later = openFigures(plan);
  let observed = 0;
  /** The look that waits for arrivals due before it; `null` between looks. */
  let look: { readonly at: Instant; missing: number } | null = null;
  let next = nextLook(plan, 0);
  const record = (observation: Observation): void => {
    observed += 1;
    if (look !== null && observation.due > look.at) return later.record(observation);
    if (look !== null) look.missing -= 1;
    settled.record(observation);
  };
  const endLook = (at: Instant): void => {
    settled.add(later.state);
    later = openFigures(plan);
    next = nextLook(plan, at);
    look = null;
  };
  return {
    onObservation: record,
    onWorkerUpdate: ({ observations }) => {
      for (const observation of observations) record(observation);
    },
    isDecided: (now, { due }) => {
      if (look !== null && now >= nextLook(plan, look.at)) endLook(look.at);
      if (look === null && now >= next) look = { at: now, missing: due - observed };
      if (look === null || look.missing > Math.max(1, observed * mayBeMissing)) return false;
      const { at } = look;
      const isSure = undecidedObjectives(resultUpTo(plan, at, settled.stored())).length === 0;
      endLook(at);
      return isSure;
    },
  };
};

/** Says when a run with `until: decided` ended and of which objectives it is not sure; none for another or a stopped run. */
export const decisionNotes = (result: Result, decidedAt: Instant | null): readonly string[] => {
  const { plan, partial, scheduled } = result;
  if (plan.until === undefined || partial !== null) return [];
  const unsure = undecidedObjectives(result).map(({ text }) => text);
  const notSure = `it is not sure of ${unsure.join(', ')}`;
  if (decidedAt === null) {
    const lasted = `The run lasted as long as it may, ${timeText(scheduled)}`;
    return [
      unsure.length === 0 ? `${lasted}; every objective is sure.` : `${lasted}, and ${notSure}.`,
    ];
  }
  const ended = `The run ended after ${timeText(decidedAt)}, since every objective was sure`;
  return [unsure.length === 0 ? `${ended}.` : `${ended}; with the last answers ${notSure}.`];
};
