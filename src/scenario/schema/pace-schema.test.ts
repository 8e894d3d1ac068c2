import { expect, it } from 'vitest';
import { readScenario } from '../read-scenario.ts';

const paceOf = (pace: string, limits = '{}') => {
  const text = `traffic: [{kind: models}]\nload: {kind: constant, rate: 5/s, duration: 30s}\nlimits: ${limits}\npace: ${pace}\n`;
  const reading = readScenario({ text, name: 'f.yaml', environment: {} });
  return reading.ok ? reading.plan.pace : reading.problems;
};

it.each([
  ['{}', '{}', { requests: 60, tokens: 2_000_000, window: 60_000, margin: 1000 }],
  ['{requests: 60/min, tokens: none}', '{}', { requests: 60, tokens: null }],
  ['{tokens: 2000000/min}', '{}', { requests: 60, tokens: 2_000_000 }],
  ['{requests: 7/s, window: 6s, margin: 20ms}', '{}', { requests: 42, window: 6000, margin: 20 }],
  ['{window: 6s}', '{requestsPerMinute: 55}', { requests: 5, tokens: 200_000, margin: 100 }],
  ['{}', '{tokensPerMinute: none}', { requests: 60, tokens: null }],
])(
  'a pace of %s with limits of %s gives these limits within a window',
  (pace, limits, expected) => {
    expect(paceOf(pace, limits)).toMatchObject(expected);
  },
);
