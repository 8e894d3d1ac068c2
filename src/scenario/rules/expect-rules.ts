import { compileJsonSchema } from '../../model/workload/json-schema.ts';
import type { ScenarioPart } from '../text/scenario-part.ts';
import { type Findings, placedEntries, type WholeScenario } from './placed-stages.ts';

const patternProblem = (pattern: string): string | null => {
  try {
    new RegExp(pattern, 'u').test('');
    return null;
  } catch (error) {
    const [, reason = 'it is invalid'] = /: ([^:]*)$/.exec(String(error)) ?? [];
    return `expected a regular expression: ${reason.toLowerCase()}`;
  }
};

/** Finds faulty patterns and schemas for answers, and `toolArguments` for transcriptions, which have no tool calls. */
export function* expectRule(scenario: WholeScenario): Findings {
  for (const entry of placedEntries(scenario)) {
    const expect: ScenarioPart<unknown> = entry.at('expect');
    const [matches, schema] = [expect.at('matches'), expect.at('schema')];
    const wrong = matches.text === null ? null : patternProblem(matches.text);
    if (wrong !== null) yield matches.valueFinding(wrong);
    if (entry.at('kind').text === 'transcription' && expect.names.includes('toolArguments')) {
      const message = 'a transcription has no tool calls';
      yield expect.at('toolArguments').keyFinding(message, 'leave it out');
    }
    if (!schema.isPresent || schema.validValue === undefined) continue;
    const test = compileJsonSchema(schema.validValue as boolean | object);
    if (typeof test === 'string') yield schema.valueFinding(`expected a JSON Schema: ${test}`);
  }
}
