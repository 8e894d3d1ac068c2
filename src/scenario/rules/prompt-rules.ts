import type { ReadResult, WorkloadFiles } from '../../model/workload/workload.ts';
import type { ScenarioFinding } from '../text/scenario-problem.ts';
import { placedEntries } from './traffic-rules.ts';
import { isMapping, type Path } from '../text/scenario-tree.ts';

/** What the fields of a prompt that is made or read demand of one another, and of its file. */

const syntheticFields = ['tokens', 'turns', 'prefix', 'cache', 'tokenizer', 'calibration'] as const;

const fieldFindings = (
  prompt: Readonly<Record<string, unknown>>,
  path: Path,
): ScenarioFinding[] => {
  const { tokens, file } = prompt;
  if (tokens === undefined && file === undefined) {
    const message = 'expected "tokens" for made-up prompts or "file" for those of a file';
    const hint = 'for example {tokens: 500} or {file: prompts.jsonl}';
    return [{ path, part: 'key', message, hint }];
  }
  if (file === undefined) return [];
  return syntheticFields
    .filter((name) => prompt[name] !== undefined)
    .map((name) => ({
      path: [...path, name],
      part: 'key' as const,
      message: `"${name}" is for made-up prompts, and "file" names a file of them`,
      hint: 'keep one of them',
    }));
};

/** What is wrong with what a field names, if it names anything. */
const fileFindings = (
  name: unknown,
  path: Path,
  lookUp: (name: string) => ReadResult<unknown>,
): ScenarioFinding[] => {
  if (typeof name !== 'string' || name === '') return [];
  const found = lookUp(name);
  return found.ok ? [] : [{ path, part: 'value', message: found.problem, hint: null }];
};

/** What is wrong with the prompts of chat entries that do not stand in the scenario. */
export const promptRuleFindings = (
  scenario: unknown,
  files: WorkloadFiles,
): readonly ScenarioFinding[] =>
  placedEntries(scenario).flatMap(({ entry, path }) => {
    const prompt = isMapping(entry) ? entry['prompt'] : undefined;
    if (!isMapping(prompt)) return [];
    const at = [...path, 'prompt'];
    const { file, tokenizer } = prompt;
    return [
      ...fieldFindings(prompt, at),
      ...fileFindings(file, [...at, 'file'], (name) => files.dataset(name)),
      ...fileFindings(tokenizer, [...at, 'tokenizer'], (name) => files.tokenizer(name)),
    ];
  });
