import { limitsOfKey } from '../../model/plan/limits-per-minute.ts';
import { Problem } from '../../platform/problem.ts';
import { countText } from '../../report/text/number-text.ts';
import type { ReadPlan } from '../../run/input/read-plan.ts';
import { targetPlanFor, type TargetRequest } from '../../run/target/target-plan.ts';
import type { DeclaredQuota } from './experiment/probe-requests.ts';
import { perWindow } from './report/limits-sentence.ts';

const units = ['requests', 'tokens'] as const;
type Unit = (typeof units)[number];

const noLimits = { requests: null, tokens: null } as const;

/** The limits of the interface that are examined because nobody declared others; `null` for a limit that is declared. */
export type AssumedLimits = Readonly<Record<Unit, number | null>>;

const limitsIn = ({ plan }: Pick<ReadPlan, 'plan'>): AssumedLimits => {
  const { requestsPerMinute, tokensPerMinute } = limitsOfKey(plan, plan.keys[0]!.name);
  return { requests: requestsPerMinute, tokens: tokensPerMinute };
};

/**
 * Returns the limits of the first key that neither the scenario nor an option declares. `read` is the plan of the
 * request.
 */
export const assumedLimitsOf = async (
  request: TargetRequest,
  read: ReadPlan,
  environment: ReadPlan['environment'],
): Promise<AssumedLimits> => {
  const all = limitsIn(read);
  const declared = await targetPlanFor(request, environment, read).then(
    limitsIn,
    (error: unknown) => {
      if (!(error instanceof Problem)) throw error;
      // The scenario is valid with assumed limits only: an objective needs one, and none is declared.
      return noLimits;
    },
  );
  return {
    requests: declared.requests === null ? all.requests : null,
    tokens: declared.tokens === null ? all.tokens : null,
  };
};

const unitsIn = (limits: AssumedLimits): readonly Unit[] =>
  units.filter((unit) => limits[unit] !== null);

const amountsOf = (limits: AssumedLimits): string =>
  unitsIn(limits)
    .map((unit) => `${countText(limits[unit]!)} ${unit}`)
    .join(' and ');

const settingsFor = (limits: AssumedLimits, valueOf: (unit: Unit) => string): string[] =>
  unitsIn(limits).map((unit) => `--set limits.${unit}PerMinute=${valueOf(unit)}`);

/** Says which limits are assumed, and how others are named. The `window` is in ms. */
export const assumedText = (limits: AssumedLimits, window: number): string => {
  const few = unitsIn(limits);
  const what = few.length === units.length ? 'limit' : `limit of ${few.join()}`;
  const options = settingsFor(limits, () => '…').join(' or ');
  return `No ${what} was declared, so ${amountsOf(limits)} ${perWindow(window)} are assumed. Name ${few.length === 1 ? 'another' : 'others'} with ${options}.`;
};

const minute = 60_000;

/**
 * Throws a `Problem` if the headers of a gateway name another limit than the assumed one in the `window`, in ms, since a
 * verdict about a limit that nobody declared would mislead. The headers' limits are of a minute, or of a window that
 * they do not name.
 */
export const rejectOtherHeaders = (
  assumed: AssumedLimits,
  declared: DeclaredQuota | undefined,
  { examined, window }: { readonly examined: Unit; readonly window: number },
): void => {
  const [limit, named] = [assumed[examined], declared?.[examined] ?? null];
  if (limit === null || named === null || named === limit) return;
  if (named === Math.floor((limit * minute) / window)) return;
  const found = {
    requests: assumed.requests === null ? null : (declared?.requests ?? null),
    tokens: assumed.tokens === null ? null : (declared?.tokens ?? null),
  };
  const [what, where, options] =
    window === minute
      ? ['the limit', '', []]
      : ['the limit and its window', ` ${perWindow(window)}`, ['--window 60s']];
  const settings = [...settingsFor(found, (unit) => String(found[unit])), ...options].join(' ');
  throw new Problem(
    `no limit of ${examined} was declared, and the headers of this gateway name ${amountsOf(found)} a minute, not the ${countText(limit)} ${examined}${where} that would be assumed: declare ${what} to examine, such as ${settings}`,
  );
};
