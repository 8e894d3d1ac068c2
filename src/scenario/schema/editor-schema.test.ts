// @gate 1 s
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { readScenario } from '../read-scenario.ts';
import { decideUnions } from './editor-schema.ts';
import { scenarioJsonSchema, scenarioSchema } from './scenario-schema.ts';
import { validScenario, slips } from './slips.fixture.ts';

/** Compiles a schema once. Problems inside `then` are listed by themselves, so the `if` around them is omitted. */
const problemsBy = (schema: object) => {
  const validate = new Ajv({ allErrors: true, strict: false }).compile(schema);
  return (value: unknown): readonly string[] => {
    validate(value);
    return (validate.errors ?? [])
      .filter(({ keyword }) => keyword !== 'if')
      .map(({ instancePath, message }) => `${instancePath} ${message}`);
  };
};

const problemsOf = problemsBy(scenarioJsonSchema());

const validateCount = (text: string): number => {
  const reading = readScenario({ text, name: 'evening.yaml', environment: {} });
  return reading.ok ? 0 : reading.problems.length;
};

describe('the schema for editors', () => {
  it('accepts a valid scenario', () => {
    expect(problemsOf(parse(validScenario))).toEqual([]);
    expect(validateCount(validScenario)).toBe(0);
  });

  it.each(slips)('shows $shown for $name, and weir validate reports $reported', (slip) => {
    expect(problemsOf(parse(slip.text))).toHaveLength(slip.shown);
    expect(validateCount(slip.text)).toBe(slip.reported);
  });

  it('shows a tenth of the problems that it shows with undecided unions', () => {
    const undecided = problemsBy(
      z.toJSONSchema(scenarioSchema, { io: 'input', target: 'draft-7' }),
    );
    const before = slips.map(({ text }) => undecided(parse(text)).length);
    const sum = (counts: readonly number[]): number => counts.reduce((a, b) => a + b, 0);
    expect(sum(before)).toBeGreaterThan(10 * sum(slips.map(({ shown }) => shown)));
  });

  it('decides by a property that has different values in each branch', () => {
    const branch = (kind: string, key: string) => ({
      type: 'object',
      properties: { kind: { const: kind }, [key]: { type: 'number' } },
      required: ['kind', key],
      additionalProperties: false,
    });
    const problems = problemsBy(
      decideUnions({
        properties: { part: { anyOf: [{ $ref: '#/definitions/a' }, branch('b', 'y')] } },
        definitions: { a: branch('a', 'x') },
      }),
    );
    expect(problems({ part: { kind: 'a', x: 1 } })).toEqual([]);
    expect(problems({ part: { kind: 'b', y: 1 } })).toEqual([]);
    expect(problems({ part: { kind: 'a', y: 1 } })).toHaveLength(2);
    expect(problems({ part: { kind: 'c' } })).toEqual([
      '/part/kind must be equal to one of the allowed values',
    ]);
    expect(problems({ part: {} })).toEqual(["/part must have required property 'kind'"]);
  });

  it('decides by the type of the value, and does not change a union of one type', () => {
    const problems = problemsBy(
      decideUnions({
        anyOf: [
          { type: 'integer', minimum: 1 },
          { const: 'none' },
          { type: 'string', pattern: 'x' },
        ],
      }),
    );
    expect(problems(1)).toEqual([]);
    expect(problems('none')).toEqual([]);
    expect(problems('x')).toEqual([]);
    expect(problems(0)).toEqual([' must be >= 1']);
    expect(problems(true)).toEqual([' must be number,string']);
    expect(problems(1.5)).toEqual([' must be integer']);
    expect(problems('y').length).toBeGreaterThan(1);
  });
});
