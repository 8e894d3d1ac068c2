import { firstEventData, jsonIn, objectOf, pythonDictionaryIn } from './json-text.ts';
import type { Refusal } from '../../model/observation/outcome.ts';
import {
  errorBeside,
  errorIn,
  errorInChoices,
  type ErrorText,
  isBlankError,
  isError,
  wordOf,
} from './error-forms.ts';

export type ErrorBodyDetails = Omit<Refusal, 'status'>;

/** The maximum number of bytes of a refusal's body that are stored. */
export const maxRefusalBytes = 8 * 1024;

export interface RefusedBody {
  readonly text: string;
  readonly isTruncated: boolean;
  /** The header `Location`: for a redirect, it says more than the body. */
  readonly location?: string | undefined;
}

const maxExcerptLength = 300;

/**
 * Prepares a server's text for a report: masks secrets, replaces white space by single spaces, and shortens the text to
 * 300 characters.
 */
export const excerpt = (text: string, redact: Redact): string => {
  const folded = redact(text).replace(/\s+/g, ' ').trim();
  if (folded.length <= maxExcerptLength) return folded;
  // The text is cut between code points, because half a surrogate pair is invalid.
  return `${folded.slice(0, maxExcerptLength).replace(/[\ud800-\udbff]$/, '')}…`;
};

type Redact = (text: string) => string;

/** A message about a document from another API names at most this many of its fields. */
const maxNames = 8;

/**
 * Lists the names of a document's first fields, so that a reader recognises the API that answered. Secrets are masked.
 */
export const namesOf = (names: readonly string[], redact: Redact): string =>
  names.length === 0 ? '' : excerpt(`the fields ${names.slice(0, maxNames).join(', ')}`, redact);

const noMessage = 'no message';

const maxWordLength = 100;

/**
 * Prepares the parts of an error body for a report. `excerpt` prepares the message; the type and the code are masked
 * and shortened.
 */
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

/** Returns the message of an event without choices if the event says that the answer failed; otherwise `null`. */
const readBareFailure = (
  body: Readonly<Record<string, unknown>>,
  redact: Redact,
): string | null => {
  const said = body['usage'] === undefined ? errorBeside(body) : undefined;
  return typeof said === 'string' ? excerpt(said, redact) : null;
};

/**
 * Returns the message of the error in a chat's answer or event, at its top level or in a choice; `null` without an
 * error.
 */
export const readChatError = (json: unknown, redact: Redact): string | null => {
  const body = objectOf(json);
  if (body === null) return readErrorBody(json, redact)?.message ?? null;
  const { choices, base_resp } = body;
  const groq = objectOf(body['x_groq'])?.['error'];
  if (!Array.isArray(choices) || choices.length === 0)
    return (
      readErrorBody(isError(groq) ? { error: groq } : body, redact)?.message ??
      readBareFailure(body, redact)
    );
  // If the document has choices, only the following fields can contain an error.
  const error = [body['error'], groq, errorInChoices(choices), errorBeside(body)].find(
    (each) => !isBlankError(each),
  );
  if (error === undefined && base_resp === undefined) return null;
  return readErrorBody({ base_resp, error }, redact)?.message ?? null;
};

/** Returns the message of the error beside the text of a transcription; `null` without an error. */
export const readTranscriptError = (json: unknown, redact: Redact): string | null => {
  const error = errorBeside(objectOf(json) ?? {});
  return error === undefined ? null : (readErrorBody({ error }, redact)?.message ?? null);
};

/**
 * Reads a JSON value as one of the known error bodies (`error-forms.ts`); returns `null` for a value of another form.
 */
export const readErrorBody = (json: unknown, redact: Redact): ErrorBodyDetails | null => {
  const error = errorIn(json);
  return error && mask(error, redact);
};

/**
 * Parses a body as JSON. If the body is an SSE stream, parses its first data line, because some servers refuse streams
 * in this form. A Python dictionary is also parsed.
 */
const jsonOf = (text: string): unknown =>
  jsonIn(text) ?? jsonIn(firstEventData(text) ?? '') ?? pythonDictionaryIn(text);

/**
 * Reads the data of an SSE event named `error`, and returns its message. The data is an error body, the inner part of
 * an error body, or plain text.
 */
export const readStreamError = (data: string, redact: Redact): string => {
  const json = jsonIn(data) ?? pythonDictionaryIn(data);
  const details = readErrorBody(json, redact) ?? readErrorBody({ error: json ?? data }, redact);
  return details?.message ?? noMessage;
};

/** Matches a text whose first words say that it is an error. */
const errorWords =
  /^[\s[("'*]*(?:[\w.]{0,80}(?:error|exception)\b|traceback\b|fatal\b|(?:internal server|bad gateway|gateway time|service unavailable))/i;

/**
 * Returns the message of the error in a line of a stream. The line is JSON with an error, or a text that begins with an
 * error word. llama.cpp wrote `error: {…}` before September 2025 (tools/server/server.cpp), and lemonade writes the
 * JSON without a field name. No field of an event stream looks like these lines. Returns `null` for any other line.
 */
export const readErrorLine = (line: string, redact: Redact): string | null => {
  const named = /^\s*(?:error|exception)\s*:\s*(.*)$/is.exec(line)?.[1];
  if (named !== undefined)
    return /^(?:null|false|)$/.test(named.trim()) ? null : readStreamError(named, redact);
  const json = jsonIn(line) ?? pythonDictionaryIn(line);
  if (json !== undefined) return readChatError(json, redact);
  return errorWords.test(line) ? excerpt(line, redact) : null;
};

/** Returns the title of an HTML page. A report shows no other part of an HTML page. */
const htmlTitle = (text: string): string =>
  // A server chooses the length of its page, and the time of this search grows with the square of the length. So the
  // search reads only the beginning of the page.
  /<(title|h1)\b[^>]*>([^<]*\S[^<]*)<\/\1/i.exec(text.slice(0, maxRefusalBytes))?.[2] ??
  'an HTML page without a title';

/**
 * Returns a page without the comments at its beginning. This loop reads each comment once. A regular expression that
 * matches several comments would try every way to group them.
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

/**
 * Returns a message which says that an HTML page was returned instead of `name`, and which quotes the page's title.
 * Returns `null` if the text is not HTML.
 */
export const htmlInsteadOf = (name: string, text: string, redact: Redact): string | null =>
  looksLikeHtml(text)
    ? `an HTML page was returned instead of ${name}: ${excerpt(htmlTitle(text), redact)}`
    : null;

/**
 * Returns a message which says that a JSON error was returned instead of `name`, and which quotes the error's message.
 * Returns `null` if the JSON is not an error.
 */
export const errorInsteadOf = (name: string, json: unknown, redact: Redact): string | null => {
  const error = readErrorBody(json, redact);
  return error === null ? null : `a JSON error was returned instead of ${name}: ${error.message}`;
};

/** Returns the error message in a cut-off JSON text; `null` if the text contains no message. */
const messageInCutJson = (text: string): string | null => {
  const quoted = /"(?:message|msg|detail)"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(text)?.[1];
  return wordOf(jsonIn(quoted ?? ''));
};

/**
 * Returns the message of the error in a cut-off JSON text. A JSON text is cut off if the server failed while writing.
 * Returns `null` for any other text.
 */
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

/** Reads a non-2xx response in any form. The message is masked, shortened and freed of line breaks. */
export const readRefusal = (status: number, body: RefusedBody, redact: Redact): Refusal => {
  const json = jsonOf(body.text);
  const { location } = body;
  if (location !== undefined && status < 400) {
    // A redirect to a login page has a different query in each answer, so the message leaves the query out.
    const message = `a redirect to ${location.replace(/[?#].*$/s, '')}, which is not followed`;
    return { status, ...mask({ form: unknownBody(json, body).form, message }, redact) };
  }
  return { status, ...mask(errorIn(json) ?? unknownBody(json, body), redact) };
};
