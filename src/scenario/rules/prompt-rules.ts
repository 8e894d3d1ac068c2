import type { ReadResult, WorkloadFiles } from '../../model/workload/workload.ts';
import type { Scenario } from '../schema/scenario-schema.ts';
import type { ScenarioPart } from '../text/scenario-part.ts';
import type { ScenarioFinding } from '../text/scenario-problem.ts';
import { isMapping } from '../text/scenario-tree.ts';
import { placedEntries, type ScenarioEntry } from './placed-stages.ts';

const syntheticFields = ['tokens', 'turns', 'prefix', 'cache', 'tokenizer', 'calibration'] as const;

const fieldFindings = (entry: ScenarioEntry): readonly ScenarioFinding[] => {
  const prompt = entry.at('prompt');
  if (!prompt.at('file').isPresent) {
    const message = 'expected "tokens" for generated prompts, or "file" for prompts from a file';
    const hint = 'for example {tokens: 500} or {file: prompts.jsonl}';
    return prompt.at('tokens').isPresent ? [] : [prompt.keyFinding(message, hint)];
  }
  return syntheticFields
    .filter((name) => prompt.at(name).isPresent)
    .map((name) =>
      prompt
        .at(name)
        .keyFinding(
          `"${name}" is for generated prompts, and "file" names a file of prompts`,
          'keep one of them',
        ),
    );
};

/** What is wrong with the file that a field names, if it names any. */
const fileFindings = (
  file: ScenarioPart<unknown>,
  lookUp: (name: string) => ReadResult<unknown>,
): readonly ScenarioFinding[] => {
  if (file.text === null || file.text === '') return [];
  const found = lookUp(file.text);
  return found.ok ? [] : [file.valueFinding(found.problem)];
};

/** What is wrong with the prompts of chat entries that are generated or come from a file. */
export const promptRuleFindings = (
  scenario: ScenarioPart<Scenario>,
  files: WorkloadFiles,
): readonly ScenarioFinding[] =>
  placedEntries(scenario)
    .filter((entry) => isMapping(entry.at('prompt').written))
    .flatMap((entry) => [
      ...fieldFindings(entry),
      ...fileFindings(entry.at('prompt').at('file'), (name) => files.dataset(name)),
      ...fileFindings(entry.at('prompt').at('tokenizer'), (name) => files.tokenizer(name)),
    ]);
