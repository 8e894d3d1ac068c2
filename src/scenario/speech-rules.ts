import type { WorkloadFiles } from '../model/workload.ts';
import { cutText } from './cut-text.ts';
import type { Finding } from './problem.ts';
import { splitSchema } from './spoken-schema.ts';
import { placedEntries } from './traffic-rules.ts';
import { type Path, valueAt } from './tree.ts';

/** What texts to be spoken demand of their files, and of the pieces into which they are to be cut. */

interface PlacedText {
  /** `null` while it is not known. */
  readonly text: string | null;
  readonly path: Path;
  readonly problem: string | null;
}

const placedText = (value: unknown, path: Path, files: WorkloadFiles): PlacedText => {
  const file = valueAt(value, ['file']);
  if (typeof file !== 'string' || file === '') {
    return { text: typeof value === 'string' ? value : null, path, problem: null };
  }
  const found = files.text(file);
  return found.ok
    ? { text: found.value, path: [...path, 'file'], problem: null }
    : { text: null, path: [...path, 'file'], problem: found.problem };
};

const cutFindings = ({ text, path, problem }: PlacedText, most: number | null): Finding[] => {
  if (problem !== null) return [{ path, part: 'value', message: problem, hint: null }];
  if (text === null || most === null) return [];
  const cut = cutText(text, most);
  if (!cut.ok) {
    const hint = 'raise "characters" of "split", or end a sentence earlier';
    return [{ path, part: 'value', message: cut.problem, hint }];
  }
  if (cut.value.length > 0) return [];
  const message = 'expected a text with a word in it, to be cut into pieces';
  return [{ path, part: 'value', message, hint: null }];
};

/** What is wrong with the texts of speech entries; an entry that is faulty itself is looked at as far as it is sound. */
export const brokenSpeechRules = (scenario: unknown, files: WorkloadFiles): readonly Finding[] =>
  placedEntries(scenario).flatMap(({ entry, path }) => {
    if (valueAt(entry, ['kind']) !== 'speech') return [];
    const most = splitSchema.safeParse(valueAt(entry, ['split'])).data?.characters ?? null;
    const several = valueAt(entry, ['texts']);
    const texts = [
      placedText(valueAt(entry, ['text']), [...path, 'text'], files),
      ...(Array.isArray(several) ? several : []).map((text: unknown, index) =>
        placedText(text, [...path, 'texts', index], files),
      ),
    ];
    return texts.flatMap((text) => cutFindings(text, most));
  });
