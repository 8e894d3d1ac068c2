import { createHash } from 'node:crypto';
import { connectsAhead } from './connect-ahead.ts';
import type { Plan } from './plan.ts';
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
 * The word in the hash for each rule of complete streams. The default, `standard`, is hashed as `lenient`, so that its
 * runs stay comparable with those from before there was a default; so `lenient` needs another word.
 */
const hashedStreams = { standard: 'lenient', lenient: 'done', strict: 'strict' } as const;

/** Returns an entry without its expectation, which changes nothing that is sent. */
const withoutExpectation = (traffic: Traffic): Traffic => {
  if (!('expect' in traffic)) return traffic;
  const { expect: _, ...sent } = traffic;
  return sent;
};

/** The part of a plan that decides what is sent. */
export const hashedPartOf = (
  plan: Plan,
): Omit<Plan, keyof typeof fieldsNotHashed | 'streams'> & { readonly streams: string } => ({
  ...plan,
  ...fieldsNotHashed,
  streams: hashedStreams[plan.streams],
  // These settings are left out if they change nothing, so that such runs stay comparable with older ones.
  wire: {
    ...plan.wire,
    connectAhead: connectsAhead(plan) || undefined,
    reuse: plan.wire.reuse === false ? false : undefined,
    maxRequestsPerConnection: plan.wire.maxRequestsPerConnection ?? undefined,
  },
  stages: plan.stages.map((stage) => ({
    ...stage,
    traffic: stage.traffic.map(withoutExpectation),
  })),
});

/** Returns the SHA-256, in hex, of what a plan sends: results stay comparable when, say, a bound changes. */
export const planHash = (plan: Plan): string =>
  createHash('sha256')
    .update(JSON.stringify(canonical(hashedPartOf(plan))))
    .digest('hex');
