import { saysFailure } from './error-forms.ts';
import { objectOf } from './json-text.ts';

/**
 * This file converts the document of a chat, whole or a chunk, to the form of the interface. No error is lost by the
 * conversion, since callers look for errors in both the original document and the converted document.
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
 * Returns whether the status of a wrapper allows that the chat in the same object is complete. If there is no status,
 * the chat counts as complete. A status that is an object contains its own code.
 */
const isComplete = (status: unknown): boolean =>
  status === undefined ||
  status === null ||
  status === true ||
  objectOf(status) !== null ||
  ((typeof status === 'string' || typeof status === 'number') &&
    completeStatus.test(String(status)));

/**
 * Returns choices as a list. Some servers send a map from index to choice, as PHP writes it (json_encode with
 * JSON_FORCE_OBJECT, or of an array that is no list), or a single choice. Returns `null` for anything else.
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
 * If the message or delta of a choice is a text, as in SenseNova's API v1, returns the choice with an object in its
 * place.
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
 * Returns the document of a chat in the form of the interface. A document in this form, or in no known form, stays
 * unchanged. A wrapper is not opened if it says that something failed, or if its status says anything other than that
 * the chat is complete.
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
    // Some gateways put the token counts next to the chat, into the wrapper.
    return inner['usage'] === undefined && document['usage'] !== undefined
      ? { ...found, usage: document['usage'] }
      : found;
  }
  return json;
};
