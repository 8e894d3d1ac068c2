import { isDeepStrictEqual } from 'node:util';
import { hashedPartOf } from '../../../model/plan/plan-hash.ts';
import type { Plan } from '../../../model/plan/plan.ts';
import { modelOf } from '../../../model/workload/traffic.ts';
import type { Result } from '../../../model/result/result.ts';
import type { Repetition, Side } from '../../../judge/series/repetition.ts';
import { targetOf, unusableRunReason, type UnusableRun } from '../../../judge/series/usable-run.ts';

/** Two sides must agree in these properties unless the user allows a difference. */
export const overridable = ['plan', 'target', 'model', 'seed', 'slices', 'validity'] as const;
export type ComparedProperty = (typeof overridable)[number] | UnusableRun['what'];

/** A reason for refusing a comparison. The message does not end with a full stop. */
export interface SideDifference {
  readonly what: ComparedProperty;
  readonly message: string;
}

export const modelsOf = ({ stages }: Plan): readonly string[] => {
  const models = stages.flatMap(({ traffic }) => traffic.flatMap((each) => modelOf(each) ?? []));
  return [...new Set(models.sort())];
};

/**
 * Returns whether each side has a single address. If so, the addresses may differ, since the purpose of a comparison is
 * often to compare gateways.
 */
export const hasOneAddressEach = (...sides: readonly Side[]): boolean =>
  sides.every(({ repetitions: [first, ...others] }) => {
    const { plan } = first.result;
    const hasAddresses = (plan.targets ?? [plan]).every(({ target }) => target.kind === 'url');
    return hasAddresses && others.every(({ result }) => targetOf(result.plan) === targetOf(plan));
  });

const comparedFacts: Readonly<
  Record<Exclude<ComparedProperty, 'plan' | 'validity' | 'success'>, (result: Result) => string>
> = {
  target: ({ plan }) => targetOf(plan),
  model: ({ plan }) => modelsOf(plan).join(', ') || 'none',
  seed: ({ plan }) => String(plan.seed),
  slices: ({ slices }) => String(slices[0]?.count),
};

/**
 * Returns the settings that decide what a plan sends. Settings that are compared separately, such as the target, are
 * left out.
 */
const otherSettings = ({ plan }: Result): unknown => ({
  ...hashedPartOf(plan),
  target: null,
  targets: hashedPartOf(plan).targets?.map((each) => ({ ...each, target: null })),
  seed: null,
  stages: plan.stages.map((stage) => ({
    ...stage,
    traffic: stage.traffic.map((each) => ('model' in each ? { ...each, model: null } : each)),
  })),
});

/**
 * Returns whether plans differ in more than the target, the model or the seed. Of prompts, only the lengths are
 * compared, since prompts are not stored.
 */
const planDiffers = (one: Result, other: Result, isExplained: boolean): boolean =>
  one.planHash !== other.planHash &&
  !(isExplained && isDeepStrictEqual(otherSettings(one), otherSettings(other)));

const differencesBetween = (one: Repetition, other: Repetition): readonly SideDifference[] => {
  const facts = Object.keys(comparedFacts) as (keyof typeof comparedFacts)[];
  const namedDifferences = facts.flatMap((what) => {
    const [expected, found] = [one, other].map(({ result }) => comparedFacts[what](result));
    if (expected === found) return [];
    const message = `the ${what} differs: ${expected} in ${one.file}, ${found} in ${other.file}`;
    return [{ what, message }];
  });
  const isExplained = namedDifferences.some(({ what }) => what !== 'slices');
  if (!planDiffers(one.result, other.result, isExplained)) return namedDifferences;
  const hashes = [one, other].map(({ result }) => result.planHash.slice(0, 12));
  const message = `the plan differs (its hash): ${hashes[0]} in ${one.file}, ${hashes[1]} in ${other.file}`;
  return [{ what: 'plan', message }, ...namedDifferences];
};

/** Returns the reasons for refusing a comparison: the first difference in each property, and all unusable runs. */
export const sideDifferences = (base: Side, next: Side): readonly SideDifference[] => {
  const [first, ...others] = [...base.repetitions, ...next.repetitions];
  const faults = [first, ...others].flatMap((repetition) => unusableRunReason(repetition) ?? []);
  const differing = others.flatMap((other) => differencesBetween(first, other));
  const once = differing.filter(
    ({ what }, i) => differing.findIndex((each) => each.what === what) === i,
  );
  return [...once, ...faults];
};
