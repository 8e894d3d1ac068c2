import type { WireRequest } from '../../model/observation/exchange.ts';

/**
 * This file masks the texts of a request that the server quotes in its message. Servers quote requests, so a refusal
 * may contain half of a prompt. Results must not contain prompts.
 */

/**
 * A match between a message and a prompt must have at least this many characters. A shorter match is probably a
 * coincidence.
 */
const minEchoLength = 16;
/** The number of characters of a message that are searched. A report shows only 300 characters of a message. */
const maxMessageLength = 1000;
/** The number of characters of a request's text that are searched. */
const maxTextLength = 20_000;

const promptMask = '[prompt]';

/** These fields of a request body contain names and no part of a prompt. */
const nonPromptFields = new Set(['model', 'voice', 'response_format']);

const promptTexts = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return value.length >= minEchoLength ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) =>
    nonPromptFields.has(name) ? [] : promptTexts(part),
  );
};

/** Returns all texts of a JSON request that may be part of a prompt; an empty list if the body is not JSON. */
const textsOf = ({ headers, body }: WireRequest): readonly string[] => {
  if (body === null || headers['content-type'] !== 'application/json') return [];
  const texts = promptTexts(JSON.parse(Buffer.from(body).toString('utf8')));
  return texts.map((text) => text.slice(0, maxTextLength));
};

/**
 * Returns the length of the longest match between a message, from `start` on, and a text; 0 if the match is shorter
 * than the minimum length.
 */
const echoLengthAt = (message: string, start: number, text: string): number => {
  let end = start + minEchoLength;
  if (end > message.length || !text.includes(message.slice(start, end))) return 0;
  while (end < message.length && text.includes(message.slice(start, end + 1))) end += 1;
  return end - start;
};

const maskTexts = (message: string, texts: readonly string[]): string => {
  let kept = '';
  for (let at = 0; at < message.length;) {
    const start = at;
    const echo = Math.max(0, ...texts.map((text) => echoLengthAt(message, start, text)));
    kept += echo === 0 ? message[at] : promptMask;
    at += Math.max(1, echo);
  }
  return kept;
};

/**
 * Returns a function that masks a message in two steps: first the run's secrets by `redact`, and then the parts that
 * quote the request.
 */
export const maskEchoes =
  (request: WireRequest, redact: (text: string) => string): ((text: string) => string) =>
  (message) =>
    maskTexts(redact(message).slice(0, maxMessageLength), textsOf(request));
