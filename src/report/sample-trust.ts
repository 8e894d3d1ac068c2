import type { Trust } from '../model/verdict.ts';

/** Test support: the generator's verdict at each level. */

export const validTrust: Trust = {
  level: 'valid',
  evidence: [
    {
      signal: 'lag p99',
      level: 'valid',
      observed: '1.2 ms',
      expected: 'below 2 ms',
      advice: null,
    },
  ],
};

export const degradedTrust: Trust = {
  level: 'degraded',
  evidence: [
    {
      signal: 'event-loop utilisation',
      level: 'degraded',
      observed: '0.64 in second 41',
      expected: 'below 0.5',
      advice: 'Spread the load over more workers, or lower the rate.',
    },
    ...validTrust.evidence,
  ],
};

export const invalidTrust: Trust = {
  level: 'invalid',
  evidence: [
    {
      signal: 'lag p99',
      level: 'invalid',
      observed: '48 ms',
      expected: 'below 2 ms',
      advice: 'Lower the rate, or give the generator a processor of its own.',
    },
  ],
};
