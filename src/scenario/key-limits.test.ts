import { describe, expect, it } from 'vitest';
import { problemsText } from './text/scenario-problem.ts';
import { readScenario } from './read-scenario.ts';

const readingOf = (text: string) =>
  readScenario({ text, name: 'f.yaml', environment: { A: 'a', B: 'b' } });

const planOf = (text: string) => {
  const reading = readingOf(text);
  if (!reading.ok) throw new Error(problemsText(reading.problems, 'f.yaml'));
  return reading.plan;
};

const problemsOf = (text: string): string[] => {
  const reading = readingOf(text);
  return reading.ok ? [] : problemsText(reading.problems, 'f.yaml').split('\n');
};

const keysWith = (a: string, b: string): string =>
  `keys:\n  - {name: a, key: "\${env:A}"${a}}\n  - {name: b, key: "\${env:B}"${b}}\n`;
const entry = 'traffic: [{kind: chat, model: m, prompt: Hi, maxTokens: 5}]\n';
const rest = `${entry}load: {kind: constant, rate: 5/s, duration: 30s}\n`;
const common = 'limits: {requestsPerMinute: 60, tokensPerMinute: 9000}\n';

describe('the limits of a key', () => {
  it('are its own, and in what it leaves out those of the scenario', () => {
    const text = keysWith(', limits: {requestsPerMinute: 10}', '');
    expect(planOf(text + common + rest).keys).toEqual([
      expect.objectContaining({ limits: { requestsPerMinute: 10, tokensPerMinute: 9000 } }),
      { name: 'b', template: '${env:B}', weight: 1 },
    ]);
    const none = keysWith(', limits: none', ', limits: {tokensPerMinute: none}');
    expect(planOf(none + common + rest).keys.map(({ limits }) => limits)).toEqual([
      { requestsPerMinute: null, tokensPerMinute: null },
      { requestsPerMinute: 60, tokensPerMinute: null },
    ]);
  });

  it('are what its pace keeps', () => {
    const text = keysWith(', limits: {requestsPerMinute: 10, tokensPerMinute: none}', '');
    const pace = 'pace: {tokens: limit, window: 30s, burst: limit}\n';
    expect(planOf(text + common + rest + pace).pace).toMatchObject({
      requests: 30,
      tokens: 4500,
      keys: [
        { requests: 5, tokens: null, burst: 5 },
        { requests: 30, tokens: 4500, burst: 30 },
      ],
    });
    expect(planOf(keysWith('', '') + common + rest + pace).pace).not.toHaveProperty('keys');
  });

  it('are refused where they are wrong, with what was expected', () => {
    const faulty = [
      '60',
      '{requests: 60}',
      '{requestsPerMinute: 0}',
      '{requestsPerMinute: 60, class: any}',
    ];
    const lines = faulty.flatMap((limits) =>
      problemsOf(keysWith(`, limits: ${limits}`, '') + rest),
    );
    expect(lines.join('\n')).toMatchInlineSnapshot(`
      "f.yaml:2:40: expected a mapping such as {requestsPerMinute: 60, tokensPerMinute: 100000}, or none, got the number 60
      f.yaml:2:41: unknown key "requests"; expected "requestsPerMinute" or "tokensPerMinute"
      f.yaml:2:60: expected a whole number from 1 to 1,000,000,000, or none, got the number 0
      f.yaml:2:64: unknown key "class"; expected "tokensPerMinute""
    `);
  });

  it('must leave a pace room for one request, and an objective without quota something to leave out', () => {
    const small = keysWith(', limits: {requestsPerMinute: 1}', '');
    expect(problemsOf(`${small}${rest}pace: {requests: limit, window: 30s}\n`)).toEqual([
      expect.stringContaining('has no room for even one of the requests'),
    ]);
    const none = `${keysWith(', limits: none', ', limits: none')}${rest}`;
    expect(problemsOf(`${none}pace: {}\n`)).toEqual([
      expect.stringContaining('the pace has no limit to keep'),
    ]);
    expect(problemsOf(`${none}objectives: ["e2e.p95{quota=excluded} < 5s"]\n`)).toEqual([
      expect.stringContaining('and none is declared'),
    ]);
    const one = keysWith(', limits: none', ', limits: {requestsPerMinute: 5}');
    expect(problemsOf(`${one}limits: none\n${rest}pace: {}\n`)).toEqual([]);
  });
});

it('has no limits but those that it declares, where none may be assumed', () => {
  const limitsOf = (text: string, overrides: readonly string[] = []) => {
    const environment = { A: 'a', B: 'b' };
    const source = { text, name: 'f.yaml', environment, overrides, needsDeclaredLimits: true };
    const reading = readScenario(source);
    return reading.ok ? reading.plan.limits : problemsText(reading.problems, 'f.yaml');
  };
  const none = { requestsPerMinute: null, tokensPerMinute: null };
  expect(limitsOf(rest)).toMatchObject(none);
  expect(planOf(rest).limits).toMatchObject({ requestsPerMinute: 60 });
  expect(limitsOf(common + rest)).toMatchObject({ requestsPerMinute: 60, tokensPerMinute: 9000 });
  expect(limitsOf(rest, ['limits.requestsPerMinute=90'])).toEqual({
    ...none,
    requestsPerMinute: 90,
    limiter: null,
  });
  expect(limitsOf(`${rest}pace: {}\n`)).toMatchObject(none);
  expect(limitsOf(`limits: {limiter: sliding-log}\n${rest}`)).toContain('"requestsPerMinute"');
  expect(limitsOf('')).toContain('the scenario is empty');
});
