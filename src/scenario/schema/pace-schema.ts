import { z } from 'zod';
import {
  chargingMoments,
  type LearnedCharging,
  learnedChargingSchema,
  type Pace,
  type PaceAmounts,
} from '../../model/plan/pace.ts';
import type { ReadResult, WorkloadFiles } from '../../model/workload/workload.ts';
import type { LimitsPerMinute } from '../../model/plan/limits-per-minute.ts';
import { parsedJson } from '../../model/parsed-json.ts';
import { milliseconds, type PerSecond } from '../../model/quantity.ts';
import {
  durationField,
  type IssueParams,
  mapping,
  optionalField,
  positiveDurationField,
  textField,
  wholeNumberField,
  withDefault,
} from './fields.ts';
import { rateNotation } from './notation.ts';

/** The limit of a pace: a number, the word "limit" (the declared limit), or `null` for no limit. */
type PaceLimit = PerSecond | 'limit' | null;

/** The highest limit per minute that a scenario may declare. */
const maxPerMinute = 1_000_000_000_000;
const expectedPace = `expected ${rateNotation.expected}, or limit, or none`;

const paceLimitField = () =>
  z
    .string({
      error: ({ input }) =>
        typeof input === 'number'
          ? `${expectedPace}; a number needs its unit: ${rateNotation.withUnit(input)}`
          : expectedPace,
    })
    .meta({ pattern: `${rateNotation.pattern}|^limit$|^none$|\\$\\{env:` })
    .transform((text, context): PaceLimit => {
      if (text === 'limit') return text;
      if (text === 'none') return null;
      const value = rateNotation.read(text);
      if (value !== null && value > 0 && value * 60 <= maxPerMinute) return value;
      const params: IssueParams = value === null ? { choices: ['limit', 'none'] } : {};
      const message =
        value === null ? expectedPace : `expected a rate above 0/s and at most ${maxPerMinute}/min`;
      context.issues.push({ code: 'custom', message, input: text, params });
      return z.NEVER;
    });

const burstField = () =>
  z.union([wholeNumberField(1, 1_000_000), z.literal('limit')], {
    error: 'expected a whole number from 1 to 1,000,000, or limit',
  });

const chargedField = () =>
  z.union(
    [
      z.enum(chargingMoments),
      z.strictObject({
        file: textField().describe(
          'The token-limits.json of weir limits --tokens, or its folder, relative to the scenario’s folder.',
        ),
      }),
    ],
    { error: `expected ${chargingMoments.join(', ')}, or {file: token-limits.json}` },
  );

/** The schema of a pace, which keeps the client within limits. Without a pace, requests are sent when they are due. */
export const scenarioPaceSchema = mapping('a mapping such as {requests: 60/min, tokens: limit}', {
  requests: withDefault(paceLimitField(), 'limit').describe(
    'Requests per key: a rate such as 60/min, "limit" for what "limits" declares, or none.',
  ),
  tokens: withDefault(paceLimitField(), 'limit').describe(
    'Tokens per key, prompt and answer: a rate such as 2000000/min, "limit" for what "limits" declares, or none.',
  ),
  burst: optionalField(burstField()).describe(
    'The most requests that a key sends at once: a number, or "limit" for the whole limit; 1 spreads them evenly. The sustained rate is the same. Default: learned, from an eighth of the limit on, more with each answer; 1 after a refusal.',
  ),
  window: withDefault(positiveDurationField(), '60s').describe(
    'The length of the window in which the gateway counts.',
  ),
  margin: optionalField(durationField()).describe(
    'How much later than it was sent the gateway may count a request; the pace waits that much longer. Default: a sixtieth of the window.',
  ),
  charged: withDefault(chargedField(), 'ended').describe(
    'When the gateway charges tokens: "sent" when it admits a request, "prompt-sent" its prompt then and the answer later, "ended" all at any time until its answer has ended, which is safe for every gateway but loses the length of an answer in each window; or {file: token-limits.json}, the findings of weir limits --tokens.',
  ),
});
export type ScenarioPace = z.output<typeof scenarioPaceSchema>;

/** The limits that a scenario declares, and those of each key if some keys have limits of their own. */
export interface LimitsOfKeys extends LimitsPerMinute {
  /** The limits of each key; absent if no key has its own limits. */
  readonly keys?: readonly LimitsPerMinute[];
}

const chargingOf = (
  charged: ScenarioPace['charged'],
  learned: LearnedCharging | null,
): Pick<Pace, 'charged' | 'settle'> => {
  if (typeof charged === 'string') return { charged };
  return learned === null
    ? { charged: 'ended' }
    : { charged: learned.charged, settle: learned.settle };
};

/**
 * Compiles a pace. `learned` says how the gateway charges tokens. This information comes from the file of findings that
 * the pace names.
 */
export const compilePace = (
  { requests, tokens, burst, window, margin, charged }: ScenarioPace,
  { keys, ...limits }: LimitsOfKeys,
  learned: LearnedCharging | null = null,
): Pace => {
  /**
   * Returns how many units (requests or tokens) a window allows, as a whole number; `null` without a limit. A rule
   * refuses 0, since no request could be sent.
   */
  const unitsPerWindow = (pace: PaceLimit, declared: number | null): number | null => {
    const perMinute = typeof pace === 'number' ? pace * 60 : pace === null ? null : declared;
    // A rate per minute, divided by 60, is often not exact in binary. So the result is rounded before `Math.floor`.
    return perMinute && Math.floor(Number(((perMinute * window) / 60_000).toPrecision(12)));
  };
  /** Returns how many tokens of usage fit into a limit. The gateway may charge more tokens than it reports as usage. */
  const chargedTokens = (most: number | null): number | null =>
    most && Math.floor(most / (learned?.times ?? 1));
  const amountsOf = ({ requestsPerMinute, tokensPerMinute }: LimitsPerMinute): PaceAmounts => {
    const most = unitsPerWindow(requests, requestsPerMinute);
    const atOnce = burst === 'limit' ? (most ?? undefined) : burst;
    return {
      requests: most,
      tokens: chargedTokens(unitsPerWindow(tokens, tokensPerMinute)),
      ...(atOnce === undefined ? {} : { burst: atOnce }),
    };
  };
  const asked = { requests, tokens };
  const follows = (['requests', 'tokens'] as const).filter((name) => asked[name] === 'limit');
  return {
    ...amountsOf(limits),
    window,
    margin: margin ?? milliseconds(window / 60),
    ...chargingOf(charged, learned),
    ...(follows.length === 0 ? {} : { follows }),
    ...(keys === undefined ? {} : { keys: keys.map(amountsOf) }),
  };
};

/** A pace needs only this part of the findings of `weir limits --tokens`. */
const findingsSchema = z.object({
  format: z.literal('token-limits/1'),
  findings: z.object({ charging: learnedChargingSchema }),
});

/** Reads how a gateway charges tokens from the file of findings that a pace names; `null` if the pace names no file. */
export const readLearnedCharging = (
  { charged }: ScenarioPace,
  files: WorkloadFiles,
): ReadResult<LearnedCharging | null> => {
  if (typeof charged === 'string') return { ok: true, value: null };
  const { file } = charged;
  const text = files.findings(file);
  if (!text.ok) return text;
  const { data } = findingsSchema.safeParse(parsedJson(text.value));
  if (data !== undefined) return { ok: true, value: data.findings.charging };
  const problem = `${file}: expected the token-limits.json of this version of \`weir limits --tokens\``;
  return { ok: false, problem };
};
