import {
  checkUsage,
  type UsageAudit,
  type AuditName,
  auditNames,
  type UsageCounts,
} from '../model/measures/usage-audit.ts';
import type { Observation } from '../model/observation/observation.ts';
import { plainFinish } from '../model/observation/outcome.ts';
import { mapInOrder } from './recorder.ts';

/**
 * Checks the usage of a completed answer, and adds the findings to the group. An answer without usage is not checked.
 */
export const recordUsageAudit = (
  group: { usageAudit?: UsageAudit | undefined },
  { outcome, size }: Observation,
): void => {
  if (outcome.kind !== 'completed' || !('tokens' in outcome.answer)) return;
  const { answer } = outcome;
  const { tokens, finish } = answer;
  if (tokens.source !== 'usage') return;
  const received = {
    limit: size?.maxTokens ?? null,
    finish: finish === null ? null : plainFinish(finish),
    events: answer.kind === 'chat-stream' ? answer.tokenInstants.length : null,
  };
  checkUsage(tokens, received, (check, reported, bound, differs) =>
    add((group.usageAudit ??= {}), check, { reported, bound, differs }),
  );
};

interface Checked {
  readonly reported: number;
  readonly bound: number;
  readonly differs: boolean;
}

const add = (audit: UsageAudit, check: AuditName, { reported, bound, differs }: Checked): void => {
  const counts = (audit[check] ??= { answers: 0, differing: 0, reported: 0, bound: 0 });
  counts.answers += 1;
  if (!differs) return;
  counts.differing += 1;
  counts.reported += reported;
  counts.bound += bound;
};

/** Returns the stored form of the findings; an empty object if no answer was checked. */
export const storedUsageAudit = ({
  usageAudit,
}: {
  readonly usageAudit?: UsageAudit | undefined;
}): { readonly usageAudit?: UsageAudit } =>
  usageAudit === undefined
    ? {}
    : { usageAudit: mapInOrder(auditNames, usageAudit, structuredClone<UsageCounts>) };
