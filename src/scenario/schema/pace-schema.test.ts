import { describe, expect, it } from 'vitest';
import type { WorkloadFiles } from '../../model/workload/workload.ts';
import { readScenario } from '../read-scenario.ts';

const findingsFile = (files: Readonly<Record<string, unknown>>): WorkloadFiles => {
  const absent = () => ({ ok: false as const, problem: 'it is missing' });
  return {
    media: absent,
    text: absent,
    prices: absent,
    dataset: absent,
    tokenizer: absent,
    trace: absent,
    findings: (file) =>
      file in files ? { ok: true, value: JSON.stringify(files[file]) } : absent(),
  };
};

const paceOf = (pace: string, limits = '{}', workload = findingsFile({})) => {
  const text = `traffic: [{kind: models}]\nload: {kind: constant, rate: 5/s, duration: 30s}\nlimits: ${limits}\npace: ${pace}\n`;
  const reading = readScenario({ text, name: 'f.yaml', environment: {}, workload });
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

describe('a pace that names findings', () => {
  const findings = (charging: unknown) =>
    findingsFile({ found: { format: 'token-limits/1', log: {}, findings: { charging } } });

  it('keeps what they say of charges', () => {
    const charging = { charged: 'prompt-sent', settle: 1500, times: 2 };
    const paced = paceOf('{charged: {file: found}}', '{}', findings(charging));
    expect(paced).toMatchObject({ charged: 'prompt-sent', settle: 1500, tokens: 1_000_000 });
    expect(paceOf('{charged: prompt-sent}')).not.toHaveProperty('settle');
  });

  it.each([
    [
      '{charged: {file: found}}',
      findings({ charged: 'soon' }),
      'found: expected the token-limits.json of',
    ],
    [
      '{charged: {file: found}}',
      findingsFile({ found: 3 }),
      'found: expected the token-limits.json of',
    ],
    ['{charged: {file: other}}', findings({}), 'it is missing'],
    [
      '{charged: late}',
      undefined,
      'expected sent, prompt-sent, ended, or {file: token-limits.json}',
    ],
  ])('%s is refused if it does not', (pace, files, problem) => {
    expect(paceOf(pace, '{}', files)).toEqual([
      expect.objectContaining({ message: expect.stringContaining(problem) as string }),
    ]);
  });
});
