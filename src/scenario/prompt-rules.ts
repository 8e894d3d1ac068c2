import type { Found, WorkloadFiles } from '../model/workload.ts';
import type { Finding } from './problem.ts';
import { placedEntries } from './traffic-rules.ts';
import { isMapping, type Path } from './tree.ts';

/** What the fields of a prompt that is made or read demand of one another, and of its file. */

const madeUp = ['tokens', 'turns', 'prefix', 'cache', 'tokenizer', 'calibration'] as const;

const fieldFindings = (prompt: Readonly<Record<string, unknown>>, path: Path): Finding[] => {
  const { tokens, file } = prompt;
  if (tokens === undefined && file === undefined) {
    const message = 'expected "tokens" for made-up prompts or "file" for those of a file';
    const hint = 'for example {tokens: 500} or {file: prompts.jsonl}';
    return [{ path, part: 'key', message, hint }];
  }
  if (file === undefined) return [];
  return madeUp
    .filter((name) => prompt[name] !== undefined)
    .map((name) => ({
      path: [...path, name],
      part: 'key' as const,
      message: `"${name}" is for made-up prompts, and "file" names a file of them`,
      hint: 'keep one of them',
    }));
};

/** What is wrong with what a field names, if it names anything. */
const namedFindings = (
  name: unknown,
  path: Path,
  look: (name: string) => Found<unknown>,
): Finding[] => {
  if (typeof name !== 'string' || name === '') return [];
  const found = look(name);
  return found.ok ? [] : [{ path, part: 'value', message: found.problem, hint: null }];
};

/** What is wrong with the prompts of chat entries that do not stand in the scenario. */
export const brokenPromptRules = (scenario: unknown, files: WorkloadFiles): readonly Finding[] =>
  placedEntries(scenario).flatMap(({ entry, path }) => {
    const prompt = isMapping(entry) ? entry['prompt'] : undefined;
    if (!isMapping(prompt)) return [];
    const at = [...path, 'prompt'];
    const { file, tokenizer } = prompt;
    return [
      ...fieldFindings(prompt, at),
      ...namedFindings(file, [...at, 'file'], (name) => files.dataset(name)),
      ...namedFindings(tokenizer, [...at, 'tokenizer'], (name) => files.tokenizer(name)),
    ];
  });
