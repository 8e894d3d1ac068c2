import type { WorkloadFiles } from '../../model/workload/workload.ts';
import { splitText } from '../compile/split-text.ts';
import type { Scenario } from '../schema/scenario-schema.ts';
import type { ScenarioPart } from '../text/scenario-part.ts';
import type { ScenarioFinding } from '../text/scenario-problem.ts';
import { placedEntries } from './placed-stages.ts';

const splitFindings = (
  part: ScenarioPart<unknown>,
  text: string | null,
  maxCharacters: number | undefined,
): readonly ScenarioFinding[] => {
  if (text === null || maxCharacters === undefined) return [];
  const split = splitText(text, maxCharacters);
  if (!split.ok) {
    const hint = 'raise "characters" of "split", or end a sentence earlier';
    return [part.valueFinding(split.problem, hint)];
  }
  return split.value.length > 0
    ? []
    : [part.valueFinding('expected a text with at least one word to split')];
};

const textFindings = (
  part: ScenarioPart<unknown>,
  maxCharacters: number | undefined,
  files: WorkloadFiles,
): readonly ScenarioFinding[] => {
  const file = part.at('file');
  if (file.text === null || file.text === '') return splitFindings(part, part.text, maxCharacters);
  const found = files.text(file.text);
  return found.ok
    ? splitFindings(file, found.value, maxCharacters)
    : [file.valueFinding(found.problem)];
};

/** What is wrong with the texts of speech entries: their files, and how they are split. */
export const speechRuleFindings = (
  scenario: ScenarioPart<Scenario>,
  files: WorkloadFiles,
): readonly ScenarioFinding[] =>
  placedEntries(scenario)
    .filter((entry) => entry.at('kind').text === 'speech')
    .flatMap((entry) => {
      const maxCharacters = entry.at('split').sound?.characters;
      return [entry.at('text'), ...entry.at('texts').items].flatMap((text) =>
        textFindings(text, maxCharacters, files),
      );
    });
