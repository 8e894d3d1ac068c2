import { charactersIn } from '../../model/workload/characters.ts';
import { compileJsonSchema, type SchemaTest } from '../../model/workload/json-schema.ts';
import type { Expectation } from '../../model/workload/expectation.ts';
import type { Answer, Outcome } from '../../model/observation/outcome.ts';
import { isTooComplex, jsonIn } from './json-text.ts';
import { malformed } from './response-reader.ts';

export interface WrittenChoice {
  readonly text: string;
  readonly calls: readonly string[];
}

/**
 * Returns why a choice differs from the expectation; `null` if the choice meets the expectation. The reason never
 * quotes the answer.
 */
type ExpectationTest = (choice: WrittenChoice) => string | null;

const noJsonProblem = (text: string): string => {
  if (text === '') return 'it has no text to be JSON';
  return isTooComplex(text) ? 'its text nests too deep to be checked' : 'its text is not JSON';
};

const schemaTestOf = (schema: NonNullable<Expectation['schema']>): SchemaTest => {
  const test = compileJsonSchema(schema);
  if (typeof test === 'string') throw new Error(`a rule let the schema pass although ${test}`);
  return test;
};

const compile = ({
  json = false,
  schema,
  toolArguments = false,
  matches,
  minLength = 0,
}: Expectation): ExpectationTest => {
  const obeys = schema === undefined ? null : schemaTestOf(schema);
  const pattern = matches === undefined ? null : new RegExp(matches, 'u');
  return ({ text, calls }) => {
    if (charactersIn(text) < minLength) return `its text is shorter than ${minLength} characters`;
    if (pattern?.test(text) === false) return 'its text does not match the expected pattern';
    if (json || obeys !== null) {
      const value = jsonIn(text);
      if (value === undefined) return noJsonProblem(text);
      const problem = obeys?.(value) ?? null;
      if (problem !== null) return `its text does not obey the schema: ${problem}`;
    }
    const broken = toolArguments && calls.some((call) => jsonIn(call) === undefined);
    return broken ? 'the arguments of a tool call are not JSON' : null;
  };
};

const tests = new WeakMap<Expectation, ExpectationTest>();

/**
 * Compiles the expectation of a traffic entry. The first request of the entry is prepared in the dry run, so the
 * expectation is compiled before the load.
 */
export const prepareExpectation = (expect: Expectation): ExpectationTest => {
  const known = tests.get(expect);
  if (known !== undefined) return known;
  const test = compile(expect);
  tests.set(expect, test);
  return test;
};

/**
 * Describes how the first unexpected choice differs from the expectation, and why the answer ended; `null` if no choice
 * differs.
 */
export const describeMiss = (
  expect: Expectation,
  choices: readonly WrittenChoice[],
  finish: string | null,
): string | null => {
  const test = prepareExpectation(expect);
  const misses = choices.map(test);
  const index = misses.findIndex((miss) => miss !== null);
  if (index < 0) return null;
  const which = choices.length > 1 ? ` (choice ${index})` : '';
  const ended = finish === null || finish === 'stop' ? '' : `; it ended with ${finish}`;
  return `the answer is not as expected: ${misses[index]!}${which}${ended}`;
};

/**
 * Returns the outcome of an answer: malformed if `miss` says how the answer differs from the expectation, otherwise
 * completed.
 */
export const missedOutcome = (answer: Answer, miss: string | null): Outcome =>
  miss === null ? { kind: 'completed', answer } : malformed('not-as-expected', miss, answer);
