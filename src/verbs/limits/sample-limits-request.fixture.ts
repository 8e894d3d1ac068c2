import type { LimitsRequest } from './limits.ts';

/** A request for an examination of the requests of a reference gateway, without any option. */
export const sampleLimitsRequest: LimitsRequest = {
  scenario: undefined,
  target: 'mock',
  set: [],
  key: undefined,
  secondKey: undefined,
  sameTeam: false,
  model: undefined,
  preflight: true,
  window: undefined,
  permitted: undefined,
  checks: undefined,
  price: undefined,
  sustain: undefined,
  quick: false,
  explain: false,
  yes: false,
  out: undefined,
};
