import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseModule } from './module-tree.ts';
import { problemsText } from './scenario-problem.ts';
import { readScenario } from '../read-scenario.ts';

const load = { kind: 'constant', rate: '5/s', duration: '30s' };
const traffic = [{ kind: 'models' }];

const problemsOf = (exported: unknown, overrides: readonly string[] = []): string => {
  const { tree, problems } = parseModule(exported);
  if (tree === null) return problemsText(problems, 'my.ts');
  const reading = readScenario({ text: tree, name: 'my.ts', environment: {}, overrides });
  return reading.ok ? '' : problemsText(reading.problems, 'my.ts');
};

const openedValue = (exported: unknown): unknown => parseModule(exported).tree?.value;

describe('a value that a module exports', () => {
  it('is used as it is if JSON can represent it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        // JSON has no negative zero.
        const plain: unknown = JSON.parse(JSON.stringify(value));
        expect(openedValue(plain)).toEqual(plain);
      }),
      { numRuns: 50 },
    );
  });

  it('treats a key that is undefined as absent, and a repeated value as two values', () => {
    const twice = { to: '1/s' };
    expect(openedValue({ a: undefined, b: [twice, twice] })).toEqual({ b: [twice, twice] });
    expect(openedValue({ a: undefined })).not.toHaveProperty('a');
  });

  it('is copied, so that later changes have no effect', () => {
    const exported = { traffic: [{ kind: 'models' }] };
    const opened = openedValue(exported);
    exported.traffic.push({ kind: 'chat' });
    expect(opened).toEqual({ traffic: [{ kind: 'models' }] });
  });

  it('has problems with the path to each, all together', () => {
    expect(
      problemsOf({
        traffic: [{ kind: 'chat', model: 'm', maxTokns: 5 }],
        load: { kind: 'constant', rate: 5 },
        seed: Number.NaN,
      }),
    ).toMatchInlineSnapshot(`
      "my.ts: traffic.0.maxTokns: "maxTokns" is not a key of the kind "chat"; did you mean "maxTokens"?
      my.ts: load.rate: expected a rate such as 20/s, 60/min or 3600/h, got the number 5; a number needs its unit: 5/s, 5/min or 5/h
      my.ts: load.duration: "duration" is missing: expected a length of time such as 30s, 500ms, 2m or 1h30m
      my.ts: seed: expected a whole number from 0 to 9,007,199,254,740,991, got the number NaN"
    `);
  });

  it('cannot contain what no file can contain', () => {
    const own: Record<string, unknown> = { load };
    own['traffic'] = [own];
    expect(problemsOf(own)).toMatchInlineSnapshot(`"my.ts: traffic.0: this value contains itself"`);
    expect(
      problemsOf({
        name: Symbol('n'),
        description: () => 'later',
        target: new URL('https://gateway.example/v1'),
        traffic: [undefined],
        load: Promise.resolve(load),
        seed: 5n,
        warmUp: new Map(),
      }),
    ).toMatchInlineSnapshot(`
      "my.ts: name: expected text, a number, true, false, a list or a mapping, got a symbol
      my.ts: description: expected text, a number, true, false, a list or a mapping, got a function; call it and use its result
      my.ts: target: expected text, a number, true, false, a list or a mapping, got an object of the class URL; use its text
      my.ts: traffic.0: expected text, a number, true, false, a list or a mapping, got undefined
      my.ts: load: expected text, a number, true, false, a list or a mapping, got an object of the class Promise; await it
      my.ts: seed: expected text, a number, true, false, a list or a mapping, got a bigint; use a number
      my.ts: warmUp: expected text, a number, true, false, a list or a mapping, got an object of the class Map; use its text"
    `);
  });

  it('is refused if it is not a mapping', () => {
    expect([[], 'text', null].map((exported) => problemsOf(exported))).toMatchInlineSnapshot(`
      [
        "my.ts: expected a mapping with "traffic" and "load", got a list",
        "my.ts: expected a mapping with "traffic" and "load", got "text"",
        "my.ts: the scenario is empty: expected at least "traffic" and "load"; start with a copy of scenarios/quickstart.yaml",
      ]
    `);
  });

  it('may contain references to the environment, but no key', () => {
    const target = 'https://gateway.example/v1';
    const key = 'sk-1234567890';
    expect(problemsOf({ target, keys: key, traffic, load })).toMatchInlineSnapshot(
      `"my.ts: keys: a key does not belong in a scenario file; write \${env:NAME} to take it from an environment variable, \${secret:PATH} to read it from a file, or \${command:…} to take it from what a command prints"`,
    );
    expect(problemsOf({ target, keys: '${env:K}', traffic, load })).toMatchInlineSnapshot(
      `"my.ts: keys: the environment variable K is not set; set it before the run, for example: export K=…"`,
    );
  });

  it('is overridden like a file, and the problems of overrides name their option', () => {
    expect(problemsOf({ traffic, load: { ...load, rate: 5 } }, ['load.rate=5/s'])).toBe('');
    expect(problemsOf({ traffic, load }, ['load.rate=5'])).toMatchInlineSnapshot(
      `"--set load.rate: expected a rate such as 20/s, 60/min or 3600/h, got the number 5; a number needs its unit: 5/s, 5/min or 5/h"`,
    );
  });
});
