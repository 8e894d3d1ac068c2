import type { ReadResult } from '../../model/workload/workload.ts';
import { splitText } from '../compile/split-text.ts';
import type { ScenarioPart } from '../text/scenario-part.ts';
import { isMapping } from '../text/scenario-tree.ts';
import { type Findings, placedEntries, type Rule, type ScenarioEntry } from './placed-stages.ts';

const syntheticFields = ['tokens', 'turns', 'prefix', 'cache', 'tokenizer', 'calibration'] as const;

const promptFieldFindings = (entry: ScenarioEntry): Findings => {
  const prompt = entry.at('prompt');
  if (!prompt.at('file').isPresent) {
    const message = 'expected "tokens" for generated prompts, or "file" for prompts from a file';
    const hint = 'for example {tokens: 500} or {file: prompts.jsonl}';
    return prompt.at('tokens').isPresent ? [] : [prompt.keyFinding(message, hint)];
  }
  const strays = syntheticFields.filter((name) => prompt.at(name).isPresent);
  return strays.map((name) => {
    const message = `"${name}" is for generated prompts, and "file" names a file of prompts`;
    return prompt.at(name).keyFinding(message, 'keep one of them');
  });
};

/** What is wrong with the file that a field names, if it names any, or with what the file holds. */
const fileFindings = <T>(
  file: ScenarioPart<unknown>,
  lookUp: (name: string) => ReadResult<T>,
  judge: (content: T) => Findings = () => [],
): Findings => {
  if (file.text === null || file.text === '') return [];
  const found = lookUp(file.text);
  return found.ok ? judge(found.value) : [file.valueFinding(found.problem)];
};

/** What is wrong with the prompts of chat entries that are generated or come from a file. */
export const promptRule: Rule = (scenario, files) =>
  placedEntries(scenario)
    .filter((entry) => isMapping(entry.at('prompt').written))
    .flatMap((entry) => [
      ...promptFieldFindings(entry),
      ...fileFindings(entry.at('prompt').at('file'), (name) => files.dataset(name)),
      ...fileFindings(entry.at('prompt').at('tokenizer'), (name) => files.tokenizer(name)),
    ]);

const splitFindings = (
  part: ScenarioPart<unknown>,
  text: string | null,
  maxCharacters: number | undefined,
): Findings => {
  if (text === null || maxCharacters === undefined) return [];
  const split = splitText(text, maxCharacters);
  if (!split.ok) {
    const hint = 'raise "characters" of "split", or end a sentence earlier';
    return [part.valueFinding(split.problem, hint)];
  }
  const message = 'expected a text with at least one word to split';
  return split.value.length > 0 ? [] : [part.valueFinding(message)];
};

/** What is wrong with the texts of speech entries: their files, and how they are split. */
export const speechRule: Rule = (scenario, files) =>
  placedEntries(scenario)
    .filter((entry) => entry.at('kind').text === 'speech')
    .flatMap((entry) => {
      const maxCharacters = entry.at('split').sound?.characters;
      const texts: ScenarioPart<unknown>[] = [entry.at('text'), ...entry.at('texts').items];
      return texts.flatMap((part) => {
        const file = part.at('file');
        return [
          ...splitFindings(part, part.text, maxCharacters),
          ...fileFindings(
            file,
            (name) => files.text(name),
            (text) => splitFindings(file, text, maxCharacters),
          ),
        ];
      });
    });
