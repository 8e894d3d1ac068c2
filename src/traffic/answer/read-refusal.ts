import { firstEventData, jsonIn, objectOf } from './json-text.ts';
import type { Refusal } from '../../model/observation/outcome.ts';
import {
  errorIn,
  errorInChoices,
  type ErrorText,
  isBlankError,
  isError,
  wordOf,
} from './error-forms.ts';

export type ErrorBodyDetails = Omit<Refusal, 'status'>;

/** The maximum number of bytes that are kept of a refused request's body. */
export const maxRefusalBytes = 8 * 1024;

/** The kept part of a refused request's body. */
export interface RefusedBody {
  readonly text: string;
  readonly isTruncated: boolean;
  /** The header `Location`, which says more than the body of a redirect. */
  readonly location?: string | undefined;
}

const maxExcerptLength = 300;

/** Prepares a server's text for a report: masks secrets, then folds white space and truncates to 300 characters. */
export const excerpt = (text: string, redact: Redact): string => {
  const folded = redact(text).replace(/\s+/g, ' ').trim();
  if (folded.length <= maxExcerptLength) return folded;
  // The text is truncated between code points, since half a surrogate pair is invalid.
  return `${folded.slice(0, maxExcerptLength).replace(/[\ud800-\udbff]$/, '')}…`;
};

type Redact = (text: string) => string;

const noMessage = 'no message';

const maxWordLength = 100;

/** Masks, folds and truncates the parts of a body that the report shows. */
const mask = ({ form, message, type, code }: ErrorText, redact: Redact): ErrorBodyDetails => {
  const word = (value: unknown): string | null => {
    const text = wordOf(value);
    return text === null ? null : redact(text).slice(0, maxWordLength);
  };
  return {
    form,
    type: word(type),
    code: word(code),
    message: excerpt(message ?? noMessage, redact),
  };
};

/** Returns the error of a chat's answer or event, at its top or in a choice; `null` for none. */
export const readChatError = (json: unknown, redact: Redact): string | null => {
  const body = objectOf(json);
  if (body === null) return readErrorBody(json, redact)?.message ?? null;
  const { choices, base_resp } = body;
  const groq = objectOf(body['x_groq'])?.['error'];
  if (!Array.isArray(choices) || choices.length === 0)
    return readErrorBody(isError(groq) ? { error: groq } : body, redact)?.message ?? null;
  // Beside choices, only a field with one of these names counts as an error.
  const error = [body['error'], groq, errorInChoices(choices)].find((each) => !isBlankError(each));
  if (error === undefined && base_resp === undefined) return null;
  return readErrorBody({ base_resp, error }, redact)?.message ?? null;
};

/** Reads a JSON value as one of the known error bodies (`error-forms.ts`); `null` for others. */
export const readErrorBody = (json: unknown, redact: Redact): ErrorBodyDetails | null => {
  const error = errorIn(json);
  return error && mask(error, redact);
};

/** Parses the JSON of a body or of its first SSE data line, since some servers refuse streams in SSE form. */
const jsonOf = (text: string): unknown => jsonIn(text) ?? jsonIn(firstEventData(text) ?? '');

/** Reads the data of an SSE event named `error`: an error body, the inner part of one, or plain text. */
export const readStreamError = (data: string, redact: Redact): string => {
  const json = jsonIn(data);
  const details = readErrorBody(json, redact) ?? readErrorBody({ error: json ?? data }, redact);
  return details?.message ?? noMessage;
};

/** Matches a text that says by its first words that it is an error. */
const errorWords =
  /^[\s[("'*]*(?:[\w.]{0,80}(?:error|exception)\b|traceback\b|fatal\b|(?:internal server|bad gateway|gateway time|service unavailable))/i;

/**
 * Reads the error that a line of a stream contains: JSON with an error, or text that begins with an error word.
 * llama.cpp wrote `error: {…}` before September 2025 (tools/server/server.cpp), lemonade writes bare JSON; neither is a
 * field of a stream. Returns `null` for any other line.
 */
export const readErrorLine = (line: string, redact: Redact): string | null => {
  const named = /^\s*(?:error|exception)\s*:\s*(.*)$/is.exec(line)?.[1];
  if (named !== undefined)
    return /^(?:null|false|)$/.test(named.trim()) ? null : readStreamError(named, redact);
  const json = jsonIn(line);
  if (json !== undefined) return readChatError(json, redact);
  return errorWords.test(line) ? excerpt(line, redact) : null;
};

/** Returns the title of an HTML page, the only part of it that a report shows. */
const htmlTitle = (text: string): string =>
  // A server can send any page, and the search takes time proportional to the square of its length.
  /<(title|h1)\b[^>]*>([^<]*\S[^<]*)<\/\1/i.exec(text.slice(0, maxRefusalBytes))?.[2] ??
  'an HTML page without a title';

/**
 * Returns a page without the comments at its beginning. It reads each comment once; a pattern for all of them would
 * try every grouping.
 */
const afterComments = (page: string): string => {
  let rest = page.trimStart();
  while (rest.startsWith('<!--')) {
    const end = rest.indexOf('-->', 4);
    if (end < 0) return rest;
    rest = rest.slice(end + 3).trimStart();
  }
  return rest;
};

export const looksLikeHtml = (text: string): boolean =>
  /^<(!doctype html|html|head|body|h1|center)\b/i.test(afterComments(text.replace(/^\ufeff/, '')));

/** Returns the message that an HTML page came in place of `name`, with the page's title; `null` for other texts. */
export const htmlInsteadOf = (name: string, text: string, redact: Redact): string | null =>
  looksLikeHtml(text)
    ? `an HTML page was returned instead of ${name}: ${excerpt(htmlTitle(text), redact)}`
    : null;

/** The message that a JSON error came in place of `name`, with the error's message; `null` for other documents. */
export const errorInsteadOf = (name: string, json: unknown, redact: Redact): string | null => {
  const error = readErrorBody(json, redact);
  return error === null ? null : `a JSON error was returned instead of ${name}: ${error.message}`;
};

/** Returns the message in the beginning of a JSON text; `null` if there is none. */
const messageInCutJson = (text: string): string | null => {
  const quoted = /"(?:message|msg|detail)"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(text)?.[1];
  return wordOf(jsonIn(quoted ?? ''));
};

/** Reads the error in a JSON text that breaks off, as a server does that dies while it writes; `null` for other texts. */
export const readCutError = (text: string, redact: Redact): string | null => {
  const isCutError = /^\s*[[{]/.test(text) && /"errors?"\s*:\s*[^\s,}n]/.test(text);
  if (!isCutError || /"choices"/.test(text) || jsonIn(text) !== undefined) return null;
  return excerpt(messageInCutJson(text) ?? noMessage, redact);
};

const unknownBody = (json: unknown, { text, isTruncated }: RefusedBody): ErrorText => {
  const { message, msg } = objectOf(json) ?? {};
  if (json !== undefined) {
    const own = objectOf(json) === null ? wordOf(json) : (wordOf(message) ?? wordOf(msg));
    return { form: 'json', message: own ?? JSON.stringify(json) };
  }
  if (looksLikeHtml(text)) return { form: 'html', message: htmlTitle(text) };
  if (isTruncated && /^\ufeff?\s*[{[]/.test(text))
    return {
      form: 'json',
      message: messageInCutJson(text) ?? `a JSON body of more than ${maxRefusalBytes} bytes`,
    };
  return text.trim() === '' ? { form: 'empty', message: '' } : { form: 'text', message: text };
};

/** Reads a non-2xx response in any form. The message is masked, folded and truncated. */
export const readRefusal = (status: number, body: RefusedBody, redact: Redact): Refusal => {
  const json = jsonOf(body.text);
  const { location } = body;
  if (location !== undefined && status < 400) {
    // The query of a login's address differs from answer to answer.
    const message = `a redirect to ${location.replace(/[?#].*$/s, '')}, which is not followed`;
    return { status, ...mask({ form: unknownBody(json, body).form, message }, redact) };
  }
  return { status, ...mask(errorIn(json) ?? unknownBody(json, body), redact) };
};
