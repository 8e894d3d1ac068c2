import type { WorkloadFiles } from '../../model/workload/workload.ts';
import { splitText } from '../compile/split-text.ts';
import type { ScenarioFinding } from '../text/scenario-problem.ts';
import { splitSchema } from '../schema/speech-schema.ts';
import { placedEntries } from './traffic-rules.ts';
import { type Path, valueAtPath } from '../text/scenario-tree.ts';

/** What texts to be spoken demand of their files, and of the pieces into which they are to be cut. */

interface PlacedText {
  /** `null` while it is not known. */
  readonly text: string | null;
  readonly path: Path;
  readonly problem: string | null;
}

const placedText = (value: unknown, path: Path, files: WorkloadFiles): PlacedText => {
  const file = valueAtPath(value, ['file']);
  if (typeof file !== 'string' || file === '') {
    return { text: typeof value === 'string' ? value : null, path, problem: null };
  }
  const found = files.text(file);
  return found.ok
    ? { text: found.value, path: [...path, 'file'], problem: null }
    : { text: null, path: [...path, 'file'], problem: found.problem };
};

const splitFindings = (
  { text, path, problem }: PlacedText,
  maxCharacters: number | null,
): ScenarioFinding[] => {
  if (problem !== null) return [{ path, part: 'value', message: problem, hint: null }];
  if (text === null || maxCharacters === null) return [];
  const split = splitText(text, maxCharacters);
  if (!split.ok) {
    const hint = 'raise "characters" of "split", or end a sentence earlier';
    return [{ path, part: 'value', message: split.problem, hint }];
  }
  if (split.value.length > 0) return [];
  const message = 'expected a text with a word in it, to be cut into pieces';
  return [{ path, part: 'value', message, hint: null }];
};

/** What is wrong with the texts of speech entries; an entry that is faulty itself is looked at as far as it is sound. */
export const speechRuleFindings = (
  scenario: unknown,
  files: WorkloadFiles,
): readonly ScenarioFinding[] =>
  placedEntries(scenario).flatMap(({ entry, path }) => {
    if (valueAtPath(entry, ['kind']) !== 'speech') return [];
    const maxCharacters =
      splitSchema.safeParse(valueAtPath(entry, ['split'])).data?.characters ?? null;
    const textList = valueAtPath(entry, ['texts']);
    const texts = [
      placedText(valueAtPath(entry, ['text']), [...path, 'text'], files),
      ...(Array.isArray(textList) ? textList : []).map((text: unknown, index) =>
        placedText(text, [...path, 'texts', index], files),
      ),
    ];
    return texts.flatMap((text) => splitFindings(text, maxCharacters));
  });
