import { createHash } from 'node:crypto';
import { connectsAhead } from './connect-ahead.ts';
import type { Plan } from './plan.ts';
import { plansByTarget } from './targets.ts';
import type { Traffic } from '../workload/traffic.ts';

const canonical = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, entry]) => [key, canonical(entry)]),
  );
};

const fieldsNotHashed = {
  objectives: undefined,
  perRequest: undefined,
  budget: undefined,
  workers: undefined,
  canary: undefined,
  server: undefined,
  fails: undefined,
} as const;

/**
 * The word in the hash for each setting of `streams`. Older plans had no such setting and were hashed with the word
 * `lenient`. New plans with the default setting must stay comparable with older plans. The default setting `standard`
 * therefore has the word `lenient`, and the setting `lenient` has another word.
 */
const hashedStreams = { standard: 'lenient', lenient: 'done', strict: 'strict' } as const;

/** Returns a traffic entry without its expectation, because the expectation does not change what is sent. */
const withoutExpectation = (traffic: Traffic): Traffic => {
  if (!('expect' in traffic)) return traffic;
  const { expect: _, ...sent } = traffic;
  return sent;
};

/**
 * Returns the connection settings without those that have no effect. So runs with such settings stay comparable with
 * older runs.
 */
const hashedWire = (plan: Plan) => ({
  ...plan.wire,
  connectAhead: connectsAhead(plan) || undefined,
  reuse: plan.wire.reuse === false ? (false as const) : undefined,
  maxRequestsPerConnection: plan.wire.maxRequestsPerConnection ?? undefined,
});

/** Returns the part of a plan that decides what is sent. */
export const hashedPartOf = (
  plan: Plan,
): Omit<Plan, keyof typeof fieldsNotHashed | 'streams'> & { readonly streams: string } => ({
  ...plan,
  ...fieldsNotHashed,
  streams: hashedStreams[plan.streams],
  wire: hashedWire(plan),
  ...(plan.targets === undefined
    ? {}
    : {
        targets: plan.targets.map((target, place) => ({
          ...target,
          wire: hashedWire(plansByTarget(plan)[place]!),
        })),
      }),
  stages: plan.stages.map((stage) => ({
    ...stage,
    traffic: stage.traffic.map(withoutExpectation),
  })),
});

/**
 * Returns the SHA-256, in hex, of the part of a plan that decides what is sent. Results with the same hash are
 * comparable, even if the bounds of their objectives differ.
 */
export const planHash = (plan: Plan): string =>
  createHash('sha256')
    .update(JSON.stringify(canonical(hashedPartOf(plan))))
    .digest('hex');
