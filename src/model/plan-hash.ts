import { createHash } from 'node:crypto';
import type { Plan } from './plan.ts';

const canonical = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, entry]) => [key, canonical(entry)]),
  );
};

const withoutThese = {
  objectives: undefined,
  perRequest: undefined,
  budget: undefined,
  workers: undefined,
};

/**
 * SHA-256 over the plan's canonical JSON, in hex: equal for equal plans, whatever the order of their
 * fields. Objectives, the budget and workers are left out: they judge, end or share a run and change
 * nothing that it sends, so that results stay comparable when a bound is moved or a thread added.
 */
export const planHash = (plan: Plan): string =>
  createHash('sha256')
    .update(JSON.stringify(canonical({ ...plan, ...withoutThese })))
    .digest('hex');
