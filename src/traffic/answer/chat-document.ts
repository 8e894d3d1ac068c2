import { saysFailure } from './error-forms.ts';
import { objectOf } from './json-text.ts';

/**
 * This file converts the document of a chat to the form of the interface. The document is a whole answer or a chunk.
 * Callers look for errors in both the original document and the converted document, so the conversion loses no error.
 */

type Fields = Readonly<Record<string, unknown>>;

/**
 * The fields in which gateways wrap a chat: `result` in Cloudflare's REST API (cloudflare/ai,
 * workers-ai-provider/src/utils.ts, createRun) and LiteLLM's queue, `data` in Cline's gateway (`{success, data}`, whole
 * and streamed) and SenseNova's API v1 (`{data, status}`; yangqian/sensecore-openai-proxy, main.go).
 */
const wrappers = ['result', 'data'] as const;

/** Matches the words and numbers with which the status of a wrapper says that the chat is complete. */
const completeStatus = /^(?:0|2\d\d|ok|success|successful|succeeded|finished|completed?|done)$/i;

/**
 * Returns whether the status of a wrapper allows the chat in the wrapper to be complete. Without a status, the chat
 * counts as complete. If the status is an object, the chat also counts as complete, because such a status contains a
 * code of its own.
 */
const isComplete = (status: unknown): boolean =>
  status === undefined ||
  status === null ||
  status === true ||
  objectOf(status) !== null ||
  ((typeof status === 'string' || typeof status === 'number') &&
    completeStatus.test(String(status)));

/**
 * Returns choices as a list. Some servers send a map from index to choice instead of a list. PHP writes such a map for
 * an array that is not a list, or for any list with JSON_FORCE_OBJECT. Other servers send a single choice. Returns
 * `null` for any other value.
 */
const listOfChoices = (choices: unknown): readonly unknown[] | null => {
  const fields = objectOf(choices);
  if (fields === null) return null;
  if ('message' in fields || 'delta' in fields) return [fields];
  const names = Object.keys(fields);
  return names.length > 0 && names.every((name) => /^\d{1,4}$/.test(name))
    ? Object.values(fields)
    : null;
};

/**
 * If the message or delta of a choice is a text, as in SenseNova's API v1, replaces the text by an object that has the
 * text as its content. Any other choice stays unchanged.
 */
const plainChoice = (choice: unknown): unknown => {
  const fields = objectOf(choice);
  const { message, delta, reasoning_content } = fields ?? {};
  if (typeof delta === 'string') return { ...fields, delta: { content: delta, reasoning_content } };
  return typeof message === 'string' ? { ...fields, message: { content: message } } : choice;
};

const hasTextChoice = (choices: readonly unknown[]): boolean =>
  choices.some((choice) => plainChoice(choice) !== choice);

/** Returns a document whose choices have the form of the interface; `null` if the document has no choices. */
const withPlainChoices = (document: Fields): Fields | null => {
  const { choices } = document;
  if (Array.isArray(choices))
    return hasTextChoice(choices) ? { ...document, choices: choices.map(plainChoice) } : document;
  const list = listOfChoices(choices);
  return list === null ? null : { ...document, choices: list.map(plainChoice) };
};

/**
 * Returns the document of a chat in the form of the OpenAI API. A document in this form, or in no known form, stays
 * unchanged. A wrapper is not opened if it says that something failed, or if its status does not say that the chat is
 * complete.
 */
export const chatDocument = (json: unknown): unknown => {
  const document = objectOf(json);
  if (document === null) return json;
  const own = withPlainChoices(document);
  if (own !== null) return own;
  if (document['choices'] !== undefined && document['choices'] !== null) return json;
  for (const name of wrappers) {
    const inner = objectOf(document[name]);
    if (inner === null || saysFailure(document) || !isComplete(document['status'])) continue;
    const found = withPlainChoices(inner);
    if (found === null) continue;
    // Some gateways put the token counts into the wrapper, next to the chat.
    return inner['usage'] === undefined && document['usage'] !== undefined
      ? { ...found, usage: document['usage'] }
      : found;
  }
  return json;
};
