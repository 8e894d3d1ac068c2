import { describe, expect, it } from 'vitest';
import { parseScenarioText } from './yaml-document.ts';
import { applyOverrides, parseScalar } from './overrides.ts';
import { problemsText } from './scenario-problem.ts';
import { readScenario } from '../read-scenario.ts';

const start = 'load: {rate: 5/s}\ntraffic:\n  - {kind: chat}\n  - {kind: models}\n';

const applied = (...overrides: string[]) => {
  const { tree } = parseScenarioText(start);
  if (tree === null) throw new Error('the text gave no tree');
  return applyOverrides(tree, overrides);
};

describe('a value on the command line', () => {
  it.each([
    ['10', 10],
    ['-1.5', -1.5],
    ['1e3', 1000],
    ['true', true],
    ['null', null],
    ['10/s', '10/s'],
    ['007', '007'],
    ['yes', 'yes'],
    ['', ''],
    ['a: b # c', 'a: b # c'],
  ] as const)('%j is read as %j', (text, value) => {
    expect(parseScalar(text)).toBe(value);
  });
});

describe('an override', () => {
  it('changes the value at its path and keeps everything else, in its order', () => {
    const { tree, problems } = applied('traffic.0.model=m', 'load.rate=9/s', 'traffic[1]={}');
    expect(problems).toEqual([]);
    expect(JSON.stringify(tree.value)).toBe(
      '{"load":{"rate":"9/s"},"traffic":[{"kind":"chat","model":"m"},{}]}',
    );
  });

  it('can append to a list, and create one', () => {
    const { tree } = applied('traffic.2.kind=models', 'keys.0.name=a');
    expect(tree.value).toMatchObject({
      traffic: [{ kind: 'chat' }, { kind: 'models' }, { kind: 'models' }],
      keys: [{ name: 'a' }],
    });
  });

  it('sets one of the two limits where the scenario says that there are none', () => {
    const text = 'limits: none\nkeys: [{limits: none}]\nmock: {limits: none}\nload: {rate: none}';
    const { tree: without } = parseScenarioText(text);
    const { tree, problems } = applyOverrides(without!, [
      'limits.requestsPerMinute=90',
      'keys.0.limits.tokensPerMinute=5000',
    ]);
    expect(problems).toEqual([]);
    expect(tree.value).toMatchObject({
      limits: { requestsPerMinute: 90, tokensPerMinute: 'none' },
      keys: [{ limits: { requestsPerMinute: 'none', tokensPerMinute: 5000 } }],
    });
    const others = ['mock.limits.requestsPerMinute=9', 'load.rate.unit=s'];
    expect(applyOverrides(without!, others).problems).toHaveLength(2);
  });

  it('cannot reach outside the scenario', () => {
    const { tree } = applied('__proto__.polluted=1', 'load.constructor=2');
    expect(Object.keys(tree.value as object)).toContain('__proto__');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('is named if its path does not exist, without its value', () => {
    const { problems } = applied(
      'no equals sign: sk-123456',
      '=sk-123456',
      'load..rate=1',
      'traffic.3.kind=chat',
      'traffic.first.kind=chat',
      'traffic.kind=chat',
      'load.rate.unit=s',
      'keys.1.name=a',
      'name="sk-123456',
      'name=[sk-123456',
    );
    const text = problemsText(problems, 'f.yaml');
    expect(text).toMatchInlineSnapshot(`
      "--set: expected path=value, for example --set load.rate=10/s
      --set: expected path=value, for example --set load.rate=10/s
      --set load..rate: a path looks like load.rate or traffic.0.model
      --set traffic.3.kind: "traffic" is a list of 2: it has no position "3" (the first is 0)
      --set traffic.first.kind: "traffic" is a list of 2: it has no position "first" (the first is 0)
      --set traffic.kind: "traffic" is a list of 2: it has no position "kind" (the first is 0: traffic.0.kind)
      --set load.rate.unit: "load.rate" is a single value, so nothing can be set inside it
      --set keys.1.name: "keys" does not exist yet: its first position is 0
      --set name: its value is not valid YAML
      --set name: its value is not valid YAML"
    `);
    expect(text).not.toContain('sk-123456');
  });
});

describe('an error caused by an override', () => {
  const file = `traffic:
  - {kind: models}
load:
  kind: constant
  rate: 5/s
  duration: 1m
warmUp: 30s
mock:
  ttft: 100ms
`;
  const problemsOf = (text: string, overrides: readonly string[]): string => {
    const reading = readScenario({ text, name: 'f.yaml', environment: {}, overrides });
    return reading.ok ? 'nothing' : problemsText(reading.problems, 'f.yaml');
  };

  it.each([
    [['mock.truth.file=/tmp/x'], /^--set mock\.truth\.file: unknown key "truth"$/],
    [['mock.ttft=soon'], /^--set mock\.ttft: expected a length of time/],
    [
      ['load.duration=20s'],
      'f.yaml:7:9 with --set load.duration: the warm-up leaves nothing to measure: the load lasts 20s; shorten the warm-up or lengthen the load',
    ],
    [['load.kind=closed'], /f\.yaml:5:3 with --set load\.kind: "rate" is not a key of the kind/],
    [['seed=2', 'load.kind=closed'], /f\.yaml:3:1 with --set load\.kind: "users" is missing/],
    [['load.duration=90s', 'warmUp=90s'], /^--set warmUp: the warm-up leaves nothing/],
  ])('%j is reported with the override', (overrides, expected) => {
    expect(problemsOf(file, overrides)).toMatch(expected);
  });

  it('is one problem if --set adds a load to the stages of a file', () => {
    const stages =
      'traffic: [{kind: models}]\nstages:\n  - {name: a, load: {kind: constant, rate: 1/s, duration: 5s}}\n';
    expect(problemsOf(stages, ['load.rate=5/s'])).toMatchInlineSnapshot(
      `"f.yaml:2:1 with --set load.rate: a scenario has either "load" or "stages", and this one has both; keep one of them"`,
    );
  });

  it('names every override that causes it, and no other', () => {
    const stage = (name: string) =>
      `  - {name: ${name}, load: {kind: constant, rate: 5/s, duration: 20s}}\n`;
    const text = `traffic: [{kind: models}]\nstages:\n${stage('a')}${stage('b')}warmUp: 30s\n`;
    const shorter = [0, 1].map((place) => `stages.${place}.load.duration=14s`);
    expect(problemsOf(text, [...shorter, 'seed=2'])).toMatch(
      /^f\.yaml:5:9 with --set stages\.0\.load\.duration and --set stages\.1\.load\.duration: the warm-up/,
    );
    expect(problemsOf(text, shorter.slice(0, 1))).toBe('nothing');
  });

  it('is separate from the errors in the file', () => {
    expect(problemsOf(`${file}sed: 1\n`, ['load.duration=2s'])).toMatchInlineSnapshot(`
      "f.yaml:7:9 with --set load.duration: the warm-up leaves nothing to measure: the load lasts 2s; shorten the warm-up or lengthen the load
      f.yaml:10:1: unknown key "sed"; did you mean "seed"?"
    `);
  });
});
