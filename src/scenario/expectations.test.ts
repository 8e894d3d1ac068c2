import { describe, expect, it } from 'vitest';
import { planHash } from '../model/plan/plan-hash.ts';
import { planSchema } from '../model/plan/plan.ts';
import { withoutPrompts } from '../model/plan/without-prompts.ts';
import { readScenario } from './read-scenario.ts';
import { trafficEntryReaders } from './sample-entries.fixture.ts';

const read = (entry: string) =>
  readScenario({
    text: `traffic:\n  - {${entry}}\nload: {kind: constant, rate: 1/s, duration: 10s}\n`,
    name: 'f.yaml',
    environment: {},
  });
const { entryOf, problemsOf } = trafficEntryReaders(read);
const chat = 'kind: chat, model: m';

describe('what an entry expects of its answers', () => {
  it('is in the plan, and absent if nothing is expected', () => {
    const all =
      '{json: true, schema: {type: object, required: [a]}, toolArguments: true, matches: "^a", minLength: 3}';
    expect(entryOf(`${chat}, expect: ${all}`)).toMatchObject({
      expect: {
        json: true,
        schema: { type: 'object', required: ['a'] },
        toolArguments: true,
        matches: '^a',
        minLength: 3,
      },
    });
    expect(entryOf(chat)).not.toHaveProperty('expect');
    expect(entryOf('kind: transcription, model: m, expect: {minLength: 1}')).toMatchObject({
      expect: { minLength: 1 },
    });
  });

  it('does not change the hash of a plan, since it changes nothing that is sent', () => {
    const hashOf = (entry: string): string => {
      const reading = read(entry);
      if (!reading.ok) throw new Error('it is valid');
      return planHash(reading.plan);
    };
    expect(hashOf(`${chat}, expect: {json: true}`)).toBe(hashOf(chat));
    expect(hashOf(`${chat}, maxTokens: 5`)).not.toBe(hashOf(chat));
  });

  it('is shortened in results if it is long', () => {
    const secret = 'planted '.repeat(8);
    const reading = read(
      `${chat}, expect: {matches: "${secret}", schema: {title: "${secret}", type: object}}`,
    );
    if (!reading.ok) throw new Error('it is valid');
    const shown = withoutPrompts(reading.plan);
    expect(planSchema.parse(shown)).toEqual(shown);
    expect(JSON.stringify(shown)).not.toContain('planted');
    expect(shown.stages[0]?.traffic[0]).toMatchObject({
      expect: { matches: '[64 characters]', schema: { type: 'object' } },
    });
  });

  it('is reported if it cannot be checked', () => {
    const entries = [
      `${chat}, expect: json`,
      `${chat}, expect: {jsn: true}`,
      `${chat}, expect: {json: 1}`,
      `${chat}, expect: {matches: "("}`,
      `${chat}, expect: {schema: [1]}`,
      `${chat}, expect: {schema: {type: strange}}`,
      `${chat}, expect: {schema: {$ref: "#/no"}}`,
      `${chat}, expect: {schema: {$async: true, type: string}}`,
      `${chat}, expect: {minLength: -1}`,
      'kind: transcription, model: m, expect: {toolArguments: true}',
      'kind: speech, model: m, expect: {minLength: 1}',
    ];
    expect(entries.map((entry) => problemsOf(entry)).join('\n')).toMatchInlineSnapshot(`
      "f.yaml:2:36: expected a mapping such as {json: true} or {matches: "^yes"}, got "json"
      f.yaml:2:37: unknown key "jsn"; did you mean "json"?
      f.yaml:2:43: expected true or false, got the number 1
      f.yaml:2:46: expected a regular expression: unterminated group
      f.yaml:2:45: expected a JSON Schema, for example {type: object, required: [name]}, got a list
      f.yaml:2:45: expected a JSON Schema: schema is invalid: data/type must be equal to one of the allowed values, data/type must be array, data/type must match a schema in anyOf
      f.yaml:2:45: expected a JSON Schema: can't resolve reference #/no from id #
      f.yaml:2:45: expected a JSON Schema: the keyword "$async" is not supported
      f.yaml:2:48: expected a whole number from 0 to 10,000,000, got the number -1
      f.yaml:2:46: a transcription has no tool calls; leave it out
      f.yaml:2:30: "expect" is not a key of the kind "speech"; it belongs to "chat", "chat-stream" or "transcription""
    `);
  });
});
