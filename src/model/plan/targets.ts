import type { NamedTarget, Plan } from './plan.ts';

/**
 * This file splits a plan with named targets into one plan for each target. Code that knows only one target gets the
 * plan of one target. A plan without named targets has one target.
 */

/** Returns the name of the target to which a stage sends; `undefined` if the plan's only target has no name. */
export const targetNameOf = (
  { populations, stages }: Pick<Plan, 'populations' | 'stages'>,
  stage: number,
): string | undefined => {
  const name = stages[stage]?.population;
  return name === undefined ? undefined : populations?.find((each) => each.name === name)?.target;
};

/** Returns the position of a key's target among the targets of the plan; 0 if the plan's only target has no name. */
export const targetPlaceOfKey = (
  { targets = [] }: Pick<Plan, 'targets'>,
  { target }: { readonly target?: string },
): number =>
  Math.max(
    0,
    targets.findIndex(({ name }) => name === target),
  );

/** Returns the position of each stage's target among the targets of the plan. */
export const targetPlacesOfStages = (
  plan: Pick<Plan, 'populations' | 'stages' | 'targets'>,
): readonly number[] =>
  plan.stages.map((_, stage) => {
    const target = targetNameOf(plan, stage);
    return target === undefined ? 0 : targetPlaceOfKey(plan, { target });
  });

/** Returns the plan of a named target alone: its populations with their stages, and its keys. */
const planOfTarget = (plan: Plan, { name, target, wire, auth, headers }: NamedTarget): Plan => {
  const populations = (plan.populations ?? []).filter((each) => each.target === name);
  const isOwn = ({ population }: Plan['stages'][number]): boolean =>
    populations.some((each) => each.name === population);
  const { auth: _, targets: __, ...common } = plan;
  return {
    ...common,
    target,
    wire,
    ...(auth === undefined ? {} : { auth }),
    headers,
    transport: wire.http2 ? 'undici' : plan.transport,
    keys: plan.keys.filter((key) => key.target === name),
    populations,
    stages: plan.stages.filter(isOwn),
  };
};

/**
 * Returns the plan of each target alone, in the order of the targets. If the plan's only target has no name, returns
 * only the plan itself.
 */
export const plansByTarget = (plan: Plan): readonly [Plan, ...Plan[]] => {
  const [first, ...others] = plan.targets ?? [];
  if (first === undefined) return [plan];
  return [planOfTarget(plan, first), ...others.map((target) => planOfTarget(plan, target))];
};

/** Returns whether a plan sends to an address. Otherwise the plan sends only to reference gateways. */
export const sendsToAddress = (plan: Pick<Plan, 'target' | 'targets'>): boolean =>
  (plan.targets ?? [plan]).some(({ target }) => target.kind === 'url');
