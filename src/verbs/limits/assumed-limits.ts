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

/** For each unit, the interface's limit, which Weir assumes; `null` if a limit of this unit is declared. */
export type AssumedLimits = Readonly<Record<Unit, number | null>>;

const limitsIn = ({ plan }: Pick<ReadPlan, 'plan'>): AssumedLimits => {
  const { requestsPerMinute, tokensPerMinute } = limitsOfKey(plan, plan.keys[0]!.name);
  return { requests: requestsPerMinute, tokens: tokensPerMinute };
};

/**
 * Returns the limits that Weir assumes for the first key because neither the scenario nor an option declares these
 * limits. `read` is the plan of the request.
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
      // If an objective needs a limit and none is declared, the plan is invalid. So this error means that none is
      // declared.
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

/** Says which limits are assumed, and which options declare other limits. The `window` is in ms. */
export const assumedText = (limits: AssumedLimits, window: number): string => {
  const few = unitsIn(limits);
  const what = few.length === units.length ? 'limit' : `limit of ${few.join()}`;
  const options = settingsFor(limits, () => '…').join(' or ');
  return `No ${what} was declared, so ${amountsOf(limits)} ${perWindow(window)} are assumed. Name ${few.length === 1 ? 'another' : 'others'} with ${options}.`;
};

const minute = 60_000;

/**
 * Matches the words of a limit per period, such as `1,000 requests a day`. A cap on concurrency, such as `10 parallel
 * requests`, has no period and does not match.
 */
const isOfTime = / (?:an?|in) /;

/**
 * Returns, in words, a limit in the headers that contradicts the limit assumed for a `window` in ms; `null` if none
 * does.
 */
const contradictionOf = (
  unit: Unit,
  assumed: number | null,
  declared: DeclaredQuota,
  window: number,
): string | null => {
  if (assumed === null) return null;
  const named = declared[unit];
  if (named === null)
    return declared.longer.find((words) => isOfTime.test(words) && words.includes(unit)) ?? null;
  const isSame = named === assumed || named === Math.floor((assumed * minute) / window);
  return isSame ? null : `${countText(named)} ${unit} a minute`;
};

/** Returns the options that declare a limit given in words, such as `80,000 input tokens a minute`. */
const optionsFor = (unit: Unit, words: string, examined: Unit): readonly string[] => {
  const [, part] = /((?:in|out)put) tokens/.exec(words) ?? [];
  const setting = `--set limits.${unit}PerMinute=`;
  // An examination of the limit of requests cannot keep a limit of only input or only output tokens, so this limit is
  // declared as `none`.
  if (part !== undefined && examined === 'requests') return [`${setting}none`];
  const amount = Number.parseInt(words.replaceAll(',', ''), 10);
  const ofPart = part === undefined ? [] : [`--unit ${part}-tokens`];
  return [`${setting}${amount === 0 ? '…' : amount}`, ...ofPart];
};

/**
 * Throws a `Problem` if the headers of a gateway contradict an assumed limit, since a verdict about a limit that nobody
 * declared would mislead. The limit that is not examined is also checked, since a refusal by that limit would look like
 * an early refusal. `window` is the window of the assumed limits, in ms. The limits in the headers have a window of a
 * minute, a longer one, or an unnamed one.
 */
export const rejectOtherHeaders = (
  assumed: AssumedLimits,
  declared: DeclaredQuota | undefined,
  { examined, window }: { readonly examined: Unit; readonly window: number },
): void => {
  if (declared === undefined) return;
  const found = units.flatMap((unit) => {
    const words = contradictionOf(unit, assumed[unit], declared, window);
    return words === null ? [] : [{ unit, words, limit: assumed[unit]! }];
  });
  if (found.length === 0) return;
  const options = found.flatMap(({ unit, words }) => optionsFor(unit, words, examined));
  const isOfMinute = found.every(({ words }) => words.endsWith(' a minute'));
  const ofWindow = window === minute ? [] : ['--window 60s'];
  const settings = [...options, ...(isOfMinute ? ofWindow : ['--window …'])].join(' ');
  const names = found.map(({ words }) => words).join(' and ');
  const limits = found.map(({ unit, limit }) => `${countText(limit)} ${unit}`).join(' and ');
  throw new Problem(
    `no limit of ${found.map(({ unit }) => unit).join(' and ')} was declared, and the headers of this gateway name ${names}, not the ${limits} ${perWindow(window)} that would be assumed: declare the limit to examine: ${settings}`,
  );
};
