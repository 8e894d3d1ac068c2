import { firstEventData, jsonIn, objectOf } from './json-text.ts';
import type { Refusal } from '../../model/observation/outcome.ts';
import { detailBodySchema, errorBodySchema } from '../../contract/error-body.ts';

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

const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== ''
    ? value
    : typeof value === 'number'
      ? String(value)
      : null;

const noMessage = 'no message';

/** Formats an entry of a `detail` list, for example `body.messages: Field required`, without the quoted input. */
const validationMessage = (entry: unknown): string | null => {
  const fields = objectOf(entry);
  if (fields === null) return textOf(entry);
  const message = textOf(fields['msg']) ?? textOf(fields['message']) ?? textOf(fields['error']);
  const loc: readonly unknown[] = Array.isArray(fields['loc']) ? fields['loc'] : [];
  const place = loc.flatMap((step) => textOf(step) ?? []).join('.');
  return message === null || place === '' ? message : `${place}: ${message}`;
};

const detailMessage = (detail: unknown): string => {
  const entries: readonly unknown[] = Array.isArray(detail) ? detail : [detail];
  const messages = entries.map(validationMessage).filter((text) => text !== null);
  return messages.join('; ');
};

const maxWordLength = 100;

/** The fields of an error body, as the server wrote them. */
interface ErrorText {
  readonly form: Refusal['form'];
  readonly message: string | null;
  readonly type?: unknown;
  readonly code?: unknown;
}

/** Masks, folds and truncates the parts of a body that the report shows. */
const mask = ({ form, message, type, code }: ErrorText, redact: Redact): ErrorBodyDetails => {
  const word = (value: unknown): string | null => {
    const text = textOf(value);
    return text === null ? null : redact(text).slice(0, maxWordLength);
  };
  return {
    form,
    type: word(type),
    code: word(code),
    message: excerpt(message ?? noMessage, redact),
  };
};

/**
 * Reads the error forms of single vendors: MiniMax's `base_resp` (API reference, status_code), Cloudflare's list `errors`
 * (API reference, responses), and DashScope's flat `{code, message}` (Model Studio, error codes).
 */
const ownErrorIn = (body: Readonly<Record<string, unknown>>): ErrorText | null => {
  const { base_resp: minimax, errors, code, message } = body;
  const status = objectOf(minimax);
  if (status !== null && typeof status['status_code'] === 'number' && status['status_code'] !== 0) {
    const { status_code: number, status_msg: words } = status;
    return { form: 'error', message: textOf(words), code: number };
  }
  if (Array.isArray(errors) && errors.length > 0)
    return { form: 'error', message: textOf(detailMessage(errors)) };
  const isFlat = textOf(code) !== null && typeof message === 'string' && message !== '';
  return isFlat && !('choices' in body) && !('text' in body) && !('data' in body)
    ? { form: 'error', message, code, type: body['type'] }
    : null;
};

const isError = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== false && value !== '';

/** Returns the error that a choice, or its message or delta, contains; undefined for none. */
const errorInChoices = (choices: unknown): unknown => {
  if (!Array.isArray(choices)) return undefined;
  for (const value of choices) {
    const choice = objectOf(value);
    if (choice === null) continue;
    for (const part of [choice, objectOf(choice['delta']), objectOf(choice['message'])]) {
      if (part !== null && isError(part['error'])) return part['error'];
    }
    const finish = objectOf(choice['finish_reason']);
    if (finish !== null && textOf(finish['message']) !== null && finish['type'] === 'abort')
      return finish;
  }
  return undefined;
};

/** Returns the error of a chat's answer or event, at its top or in a choice; `null` for none. */
export const readChatError = (json: unknown, redact: Redact): string | null => {
  const body = objectOf(json);
  if (body === null) return readErrorBody(json, redact)?.message ?? null;
  const { choices, base_resp } = body;
  const error = [body['error'], objectOf(body['x_groq'])?.['error'], errorInChoices(choices)].find(
    isError,
  );
  // Beside choices, only a field with one of these names counts as an error.
  const others = choices === undefined || choices === null ? body : { base_resp };
  return readErrorBody({ ...others, error }, redact)?.message ?? null;
};

const errorIn = (json: unknown): ErrorText | null => {
  const body = objectOf(json);
  if (body === null) return null;
  const { error, detail, object } = body;
  if (isError(error)) {
    const documented = errorBodySchema.safeParse(body);
    const fields = documented.success ? documented.data.error : objectOf(error);
    if (fields === null) return { form: 'error', message: textOf(error) ?? JSON.stringify(error) };
    const { type, code, message } = fields;
    const form = type === 'None' && textOf(code) === '429' ? 'none-429' : 'error';
    return { form, message: textOf(message), type, code };
  }
  if (object === 'error' || body['type'] === 'error') {
    const { type, code, message } = body;
    return { form: 'error', message: textOf(message), type, code };
  }
  const own = ownErrorIn(body);
  if (own !== null) return own;
  // Nearly every body is an answer, and a failed parse takes longer than reading the answer.
  if (detail === undefined) return null;
  const isDetail = detailBodySchema.safeParse(body).success || objectOf(detail) !== null;
  return isDetail ? { form: 'detail', message: textOf(detailMessage(detail)) } : null;
};

/**
 * Reads a JSON value as one of the known error bodies; `null` for others. Known are the documented `{error: {message,
 * type, code}}` and the gateway's second 429 form (interface section 7), `{error: "…"}`, the flat `{object: "error",
 * message, type, code}` of older vLLM, and the framework's `{detail}` as a sentence, a list or an object.
 */
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

/** Returns the message of a truncated JSON body, if the kept part contains it. */
const messageOfTruncatedJson = (text: string): string => {
  const quoted = /"(?:message|msg|detail)"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(text)?.[1];
  return textOf(jsonIn(quoted ?? '')) ?? `a JSON body of more than ${maxRefusalBytes} bytes`;
};

const unknownBody = (json: unknown, { text, isTruncated }: RefusedBody): ErrorText => {
  const { message, msg } = objectOf(json) ?? {};
  if (json !== undefined) {
    const own = objectOf(json) === null ? textOf(json) : (textOf(message) ?? textOf(msg));
    return { form: 'json', message: own ?? JSON.stringify(json) };
  }
  if (looksLikeHtml(text)) return { form: 'html', message: htmlTitle(text) };
  if (isTruncated && /^\ufeff?\s*[{[]/.test(text))
    return { form: 'json', message: messageOfTruncatedJson(text) };
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
