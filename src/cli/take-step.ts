import { join } from 'node:path';
import type { SliceOrder } from '../engine/slice-order.ts';
import type { Plan } from '../model/plan.ts';
import { planHash } from '../model/plan-hash.ts';
import { milliseconds } from '../model/quantity.ts';
import type { Result } from '../model/result.ts';
import { withoutPrompts } from '../model/without-prompts.ts';
import { openRunFolder } from '../platform/files.ts';
import { weirVersion } from '../platform/machine.ts';
import type { Screen } from '../platform/screen.ts';
import { emptyTally, record, toResult } from '../record/tally.ts';
import type { Canary } from './canary.ts';
import { drive, type Driven, type Watch } from './drive.ts';
import { liveOn, shownRun } from './live.ts';
import type { StopSignal } from '../platform/interrupts.ts';
import { watchRefusals } from './refused-step.ts';
import type { ReadyTarget } from './target.ts';

/** Where steps are sent and shown. */
export interface StepSite {
  readonly target: ReadyTarget;
  readonly canary: Canary;
  readonly folder: string;
  /** `null` to be quiet. */
  readonly screen: Screen | null;
}

const whyCut = ({ stoppedBy, breach }: Driven): string =>
  breach === null
    ? `stopped by ${stoppedBy ?? 'somebody'} before the load had ended`
    : `ended early: ${breach.text}`;

const quietly = { note: () => undefined, add: () => undefined, draw: () => undefined };

export interface TakenStep {
  readonly result: Result;
  readonly stoppedBy: StopSignal | null;
  /** That the target refused every request, in a sentence; `null` where it did not. */
  readonly refused: string | null;
}

/**
 * Drives the plan of one step and leaves its result in a folder of its own, from which it can be
 * judged again. A step whose requests are all refused is ended early.
 */
export const takeStep = async (
  order: SliceOrder,
  plan: Plan,
  { target, canary, folder, screen }: StepSite,
): Promise<TakenStep> => {
  const tally = emptyTally(plan);
  const refusals = watchRefusals();
  const [{ name }] = plan.stages as [Plan['stages'][number]];
  const runId = `${order.runId}-${name}`;
  const watch: Watch = {
    live: screen === null ? quietly : liveOn(screen, { ...shownRun(plan), name }),
    say: () => undefined,
    begun: () => () => undefined,
    canary: canary.way,
    wrap: (transport) => transport,
    record: (observation) => {
      record(tally, observation);
      refusals.note(observation);
    },
    heard: () => undefined,
    breach: refusals.breach,
  };
  const driven = await drive({ ...order, plan, runId }, target, watch, null);
  screen?.clear();
  const { slices, stoppedBy, cut } = driven;
  const result = toResult(tally, {
    ...{ weir: weirVersion(), runId, plan: withoutPrompts(plan), planHash: planHash(plan) },
    slices: [...slices],
    scheduled: milliseconds(driven.loadEnded),
    partial: cut ? whyCut(driven) : null,
    ...{
      breach: undefined,
      notes: [...target.notes, ...canary.notes, ...driven.notes, ...canary.endNotes()],
      witness: null,
    },
  });
  const own = await openRunFolder(join(folder, name));
  await own.write('result.json', `${JSON.stringify(result)}\n`);
  return { result, stoppedBy, refused: refusals.sentence() };
};
