import type { Credential, SliceOptions } from '../../engine/slice-options.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { growingRedactor } from '../../model/plan/secret.ts';
import { plansByTarget, targetPlaceOfKey } from '../../model/plan/targets.ts';
import { weirVersion } from '../../platform/host/machine.ts';
import type { MockProcess } from '../../platform/process/mock-process.ts';
import type { ReadPlan, ReadPlanWithFiles } from '../input/read-plan.ts';
import { closeTarget, type LookOptions, prepareOnly, type ReadyTarget } from './prepare-target.ts';

/** All targets of a plan in the plan's order, and the fields that all targets share. Most plans have one target. */
export interface ReadyTargets extends Pick<
  ReadyTarget,
  'credentials' | 'secrets' | 'renewableKeys' | 'notes' | 'warnings' | 'keysWereUsed'
> {
  readonly targets: readonly [ReadyTarget, ...ReadyTarget[]];
  /** The addresses of the targets as one text, with the names of named targets. */
  readonly baseUrl: string;
  /** The reference gateways among the targets. */
  readonly mocks: readonly MockProcess[];
}

/** Returns a sentence about targets that have the same address. The load on one of these targets affects the others. */
const sameAddressNotes = ({ targets = [] }: Plan): readonly string[] => {
  const addressed = targets.flatMap(({ name, target }) =>
    target.kind === 'url' ? [{ name, url: target.url }] : [],
  );
  return [...Map.groupBy(addressed, ({ url }) => url)]
    .filter(([, same]) => same.length > 1)
    .map(
      ([url, same]) =>
        `The targets ${same.map(({ name }) => name).join(' and ')} have the same address, ${url}: each feels the other’s load, and limits of keys are counted for each of them apart.`,
    );
};

/** Joins the prepared targets of a plan. The keys are in the order of the plan. */
export const joinTargets = (
  plan: Plan,
  targets: readonly [ReadyTarget, ...ReadyTarget[]],
): ReadyTargets => {
  const names = plan.targets?.map(({ name }) => name);
  const named = (place: number, text: string): string =>
    names === undefined ? text : `${names[place]}: ${text}`;
  const credentials = plan.keys.map((key): Credential => {
    const target = targetPlaceOfKey(plan, key);
    const own = targets[target]!.credentials.find(({ name }) => name === key.name)!;
    return names === undefined ? own : { ...own, target };
  });
  const texts = (field: 'notes' | 'warnings'): readonly string[] =>
    targets.flatMap((target, place) => target[field].map((text) => named(place, text)));
  const shared = sameAddressNotes(plan);
  return {
    targets,
    baseUrl: targets
      .map(({ baseUrl }, place) => (names === undefined ? baseUrl : `${names[place]} ${baseUrl}`))
      .join(', '),
    mocks: targets.flatMap(({ mock }) => mock ?? []),
    credentials,
    secrets: targets.flatMap(({ secrets }) => secrets),
    renewableKeys: targets.flatMap((target) =>
      target.renewableKeys.map((key) => {
        const { name } = target.credentials[key.index]!;
        return { ...key, index: plan.keys.findIndex((each) => each.name === name) };
      }),
    ),
    notes: [...shared, ...texts('notes')],
    warnings: [...shared, ...texts('warnings')],
    keysWereUsed: targets.some((target) => target.keysWereUsed),
  };
};

/**
 * Starts or checks all targets before the plan sends anything. If a target is unusable, stops the targets that have
 * started, and throws a `Problem`.
 */
export const prepareTargets = async (
  read: ReadPlan,
  options: LookOptions = {},
): Promise<ReadyTargets> => {
  const preparing = plansByTarget(read.plan).map((plan) => prepareOnly({ ...read, plan }, options));
  const prepared = await Promise.allSettled(preparing);
  const ready = prepared.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  const failure = prepared.find((each) => each.status === 'rejected');
  if (failure === undefined)
    return joinTargets(read.plan, ready as [ReadyTarget, ...ReadyTarget[]]);
  await Promise.all(ready.map(closeTarget));
  throw failure.reason;
};

export const sliceOptionsFor = (
  { plan, clips, workload }: ReadPlanWithFiles,
  { targets, credentials, secrets, keysWereUsed }: ReadyTargets,
  { slice, runId, lease }: Pick<SliceOptions, 'slice' | 'runId' | 'lease'>,
): SliceOptions => ({
  slice,
  runId,
  ...(lease === undefined ? {} : { lease }),
  plan,
  clips,
  workload,
  credentials,
  keysWereUsed,
  targets: targets.map(({ auth, headers }) => ({ auth, headers })),
  userAgent: `weir/${weirVersion()}`,
  redact: growingRedactor(secrets),
});
