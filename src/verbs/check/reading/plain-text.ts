import { transcriptionResponseSchema } from '../../../contract/audio.ts';
import { jsonIn } from '../../../traffic/answer/json-text.ts';
import type { CheckAnswer } from './check-answer.ts';

/** The text in a document: that of a transcription, or the only thing that it has. */
const wrappedText = (json: unknown): string | null => {
  if (typeof json === 'string') return json;
  const parsed = transcriptionResponseSchema.safeParse(json);
  if (parsed.success) return parsed.data.text;
  const values: readonly unknown[] =
    typeof json === 'object' && json !== null ? Object.values(json) : [];
  const [value, ...others] = values;
  return typeof value === 'string' && others.length === 0 ? value : null;
};

/** A text body, unwrapped where a server puts it into JSON. */
export const plainText = (
  answer: CheckAnswer,
): { readonly text: string; readonly isWrapped: boolean } => {
  const json = /^\s*[{"]/.test(answer.text) ? jsonIn(answer.text) : undefined;
  const text = wrappedText(json);
  return text === null ? { text: answer.text, isWrapped: false } : { text, isWrapped: true };
};
