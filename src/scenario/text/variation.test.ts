import { describe, expect, it } from 'vitest';
import { readScenario, readVariables } from '../read-scenario.ts';
import { problemsText } from './scenario-problem.ts';

const start = `traffic:
  - {kind: chat-stream, model: m, prompt: {tokens: 10}}
  - {kind: chat, model: m}
  - {kind: models}
load: {kind: closed, users: 1, duration: 10s}
`;

const variablesOf = (flags: readonly string[], text = start) =>
  readVariables({ text, name: 'f.yaml', environment: {} }, flags);

const valuesOf = (flag: string) => variablesOf([flag]).variables[0]?.values.map(({ text }) => text);

const faultsOf = (flags: readonly string[], text = start): string =>
  problemsText(variablesOf(flags, text).problems, 'f.yaml');

/** Reads a scenario with one value at a path. */
const readAt = (path: string, value: unknown, text = start) =>
  readScenario({
    text,
    name: 'f.yaml',
    environment: {},
    point: [{ path, flag: `--vary ${path}`, value }],
  });

const problemsAt = (path: string, value: unknown): string => {
  const reading = readAt(path, value);
  return reading.ok ? '' : problemsText(reading.problems, 'f.yaml');
};

it('a scenario that is no YAML has its own problems, not those of its variables', () => {
  expect(faultsOf(['load.users=1,2'], 'traffic: [')).toMatch(/^f\.yaml:1:1/);
});

describe('the values of a variable', () => {
  it.each([
    ['load.users=1,2,4', ['1', '2', '4']],
    ['load.users= 1 , 2', ['1', '2']],
    ['load.users=1..16*2', ['1', '2', '4', '8', '16']],
    ['load.users=1..10*2,12', ['1', '2', '4', '8', '12']],
    ['prompt.tokens=100..400+100', ['100', '200', '300', '400']],
    ['load.rate=1/s..8/s*2', ['1/s', '2/s', '4/s', '8/s']],
    ['load.rate=1..5/s+2', ['1/s', '3/s', '5/s']],
    ['x=0.1..0.3+0.1', ['0.1', '0.2', '0.3']],
    ['load={kind: closed, users: 1},"a,b"', ['{"kind":"closed","users":1}', 'a,b']],
    ['model=a/b..c', ['a/b..c']],
  ])('%s', (flag, texts) => {
    expect(valuesOf(flag)).toEqual(texts);
  });

  it.each([
    ['load.users', '--vary: expected PATH=VALUES, for example load.users=1,2,4'],
    ['load.users=', '--vary load.users: expected values between commas, such as 1,2,4,8'],
    ['load.users=1,,2', '--vary load.users: expected values between commas'],
    ['load.users=1,2,1', '--vary load.users: the value 1 is given twice: keep one'],
    ['load.users=1..9*1', 'expected a range that rises'],
    ['load.users=9..1+1', 'expected a range that rises'],
    ['load.rate=1/s..9/min*2', 'expected one unit in a range'],
    ['load.users=1..1000+1', 'expected at most 100 values'],
    ['load.rate=1/s..5/s', 'with its step, such as 1/s..5/s+1/s, or 1/s..5/s*2 for doubling'],
    ['prompt.tokens=100..500', 'such as 100..500+100, or 100..500*2'],
    ['load.users=1..4', 'such as 1..4+1, or 1..4*2'],
    ['load.rate=1/s..9/min', '1/s..9/min: expected one unit in a range'],
  ])('%s is refused', (flag, message) => {
    expect(faultsOf([flag])).toContain(message);
  });

  it('a range from 0 has no advice to double', () => {
    const message = faultsOf(['load.users=0..10']);
    expect(message).toContain('such as 0..10+3');
    expect(message).not.toContain('doubling');
  });

  it('come from the file too, and flags replace those of the same path', () => {
    const text = `${start}vary: {load.users: [1, 2], prompt.tokens: 10..40*2}\n`;
    const { variables } = variablesOf(['load.users=7'], text);
    expect(variables.map(({ path, values }) => [path, values.map(({ value }) => value)])).toEqual([
      ['prompt.tokens', [10, 20, 40]],
      ['load.users', [7]],
    ]);
    expect(faultsOf([], `${start}vary: {load.users: []}`)).toBe(
      'f.yaml:6:20: expected at least one value',
    );
  });

  it('of one path are given once', () => {
    expect(faultsOf(['load.users=1', 'load.users=2'])).toContain('it is given twice');
  });
});

describe('a value at the path of a variable', () => {
  it('changes the field of every traffic entry that writes it', () => {
    const reading = readAt('prompt.tokens', 99);
    const traffic = reading.ok ? reading.plan.stages[0]!.traffic : [];
    expect(traffic[0]).toMatchObject({ conversations: { tokens: 99 } });
    expect(traffic[1]).toMatchObject({ conversations: expect.any(Array) });
  });

  it('goes to every entry that may have it if none writes it, and leaves the others alone', () => {
    const reading = readAt('temperature', 0.5);
    const bodies = reading.ok
      ? reading.plan.stages[0]!.traffic.map((entry) => ('body' in entry ? entry.body : null))
      : [];
    expect(bodies).toEqual([{ temperature: 0.5 }, { temperature: 0.5 }, null]);
  });

  it('is read in addition to the overrides, and `vary` itself then has no effect', () => {
    const reading = readScenario({
      text: `${start}vary: {load.users: [1, 2]}`,
      name: 'f.yaml',
      environment: {},
      overrides: ['load.duration=5s'],
      point: [{ path: 'load.users', flag: 'x', value: 4 }],
    });
    expect(reading.ok && reading.plan.stages[0]!.load).toMatchObject({ users: 4, duration: 5000 });
  });

  it('can vary one limit where the scenario says that there are none', () => {
    const reading = readAt('limits.requestsPerMinute', 90, `${start}limits: none\n`);
    expect(reading.ok && reading.plan.limits).toMatchObject({
      requestsPerMinute: 90,
      tokensPerMinute: null,
    });
  });

  it.each([
    [
      'promt.tokens',
      1,
      '"promt" is neither a field of the scenario nor of its traffic; did you mean "prompt"?',
    ],
    ['lod.users', 1, 'did you mean "load"?'],
    ['load.usrs', 1, 'did you mean "users"?'],
    ['load.users', 'many', '--vary load.users: expected a whole number'],
    ['voice', 'x', 'no traffic entry may have "voice"'],
    ['traffic.7.model', 'x', 'is a list of 3'],
  ])('%s: %j is refused', (path, value, message) => {
    expect(problemsAt(path, value)).toContain(message);
    expect(problemsAt(path, value)).toContain(`--vary ${path}`);
  });
});
