import type { LimitsPerMinute } from '../../model/plan/limits-per-minute.ts';
import type { LimitsOfKeys } from '../schema/pace-schema.ts';
import type { Scenario } from '../schema/scenario-schema.ts';

type OwnLimits = Partial<Record<keyof LimitsPerMinute, number | null | undefined>>;

/** Returns the limits of a key. A limit that the key does not declare is taken from the scenario. */
export const limitsWith = (limits: LimitsPerMinute, own: OwnLimits): LimitsPerMinute => ({
  requestsPerMinute:
    own.requestsPerMinute === undefined ? limits.requestsPerMinute : own.requestsPerMinute,
  tokensPerMinute: own.tokensPerMinute === undefined ? limits.tokensPerMinute : own.tokensPerMinute,
});

export const limitsOfKeys = ({
  limits: { requestsPerMinute, tokensPerMinute },
  keys,
}: Pick<Scenario, 'limits' | 'keys'>): LimitsOfKeys => {
  const common = { requestsPerMinute, tokensPerMinute };
  if (!Array.isArray(keys) || keys.every(({ limits }) => limits === undefined)) return common;
  return { ...common, keys: keys.map(({ limits }) => limitsWith(common, limits ?? {})) };
};

/** Returns the name in the plan of a key at a named target. */
export const keyNameAt = (key: string, target: string): string => `${key}@${target}`;
