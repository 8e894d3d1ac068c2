import { detailBodySchema, errorBodySchema } from '../../contract/error-body.ts';
import type { Refusal } from '../../model/observation/outcome.ts';
import { objectOf } from './json-text.ts';

/**
 * This file knows the forms in which servers write an error as JSON. A body or an event is an error if a field says so
 * by its name (`error`, `errors`, `errorMessage`, `modelStreamErrorException` …), or if it has a message beside a code,
 * a status or a flag of failure. An answer (with `choices`, `data` or `text`) is no error because of such a message.
 */

type Fields = Readonly<Record<string, unknown>>;

/** The fields of an error body, as the server wrote them. */
export interface ErrorText {
  readonly form: Refusal['form'];
  /** `null` if the server gives no message. */
  readonly message: string | null;
  readonly type?: unknown;
  readonly code?: unknown;
}

export const wordOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== ''
    ? value
    : typeof value === 'number'
      ? String(value)
      : null;

/** Formats an entry of a `detail` list, for example `body.messages: Field required`, without the quoted input. */
const validationMessage = (entry: unknown): string | null => {
  const fields = objectOf(entry);
  if (fields === null) return wordOf(entry);
  const message = wordOf(fields['msg']) ?? wordOf(fields['message']) ?? wordOf(fields['error']);
  const loc: readonly unknown[] = Array.isArray(fields['loc']) ? fields['loc'] : [];
  const place = loc.flatMap((step) => wordOf(step) ?? []).join('.');
  return message === null || place === '' ? message : `${place}: ${message}`;
};

const detailMessage = (detail: unknown): string => {
  const entries: readonly unknown[] = Array.isArray(detail) ? detail : [detail];
  const messages = entries.map(validationMessage).filter((text) => text !== null);
  return messages.join('; ');
};

/** Returns a field's name without capitals and marks, so that `error_msg` and `errorMsg` are one. */
const plainName = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, '');

/** The names of fields that contain an error, as `plainName` writes them, each with a server that has it. */
const errorNames: ReadonlySet<string> = new Set([
  // The OpenAI API; Volcengine (`ResponseMetadata.Error`), Tencent Cloud (`Response.Error`).
  'error',
  // Cloudflare (API reference, responses), GraphQL.
  'errors',
  'err',
  // AWS Lambda (`errorMessage`, `errorType`), Baidu Qianfan (`error_code`, `error_msg`), WeChat (`errcode`, `errmsg`).
  'errormessage',
  'errormsg',
  'errmsg',
  // Apigee (`fault.faultstring`), TorchServe, Spring.
  'fault',
  'exception',
  'failure',
]);

/** Amazon Bedrock names the members of its event streams so (`internalServerException`, `throttlingException` …). */
const isErrorName = (name: string): boolean => errorNames.has(name) || name.endsWith('exception');

/** The names of the fields that say what happened, the best first, as `plainName` writes them. */
const messageNames =
  'message msg errormessage errormsg errmsg statusmsg faultstring detail description title reason error'.split(
    ' ',
  );
const codeNames = ['code', 'errorcode', 'errcode', 'statuscode'];
const typeNames = ['type', 'errortype'];

/** Returns the field with one of these names, the first name first; undefined for none. */
const fieldIn = (fields: Fields, names: readonly string[]): unknown => {
  const found = new Map(Object.entries(fields).map(([name, value]) => [plainName(name), value]));
  return names
    .map((name) => found.get(name))
    .find((value) => value !== undefined && value !== null);
};

/** The number of objects within each other in which a message is searched. */
const maxMessageDepth = 4;

/** Returns the message in an error, which may contain another one; `null` for none. */
const messageIn = (error: unknown, depth = 0): string | null => {
  const first: unknown = Array.isArray(error) ? error[0] : error;
  const fields = objectOf(first);
  if (fields === null || depth > maxMessageDepth) return wordOf(first);
  return messageIn(fieldIn(fields, messageNames), depth + 1);
};

/** Decides whether the value of an error field says that there is an error. */
export const isError = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== false && value !== '' && value !== 0;

/** Decides whether an error field beside an answer says nothing: servers write `{}`, `[]` and empty fields for none. */
export const isBlankError = (value: unknown): boolean =>
  !isError(value) ||
  (typeof value === 'object' && !Object.values(value as object).some((each) => isError(each)));

const goodCodes: ReadonlySet<string> = new Set(['', '0', 'ok', 'success', 'none', 'null']);
const failingWords: ReadonlySet<string> = new Set(['error', 'fail', 'failed', 'failure']);

/** Decides whether a code is one of a failure. Codes of success are 0, 200 to 299 and words such as `ok`. */
const isFailingCode = (code: unknown): boolean => {
  const text = wordOf(code)?.trim().toLowerCase() ?? '';
  return !goodCodes.has(text) && !/^2\d\d$/.test(text);
};

/** Decides whether a status is one of a failure: 400 or more, or a word. Other words and numbers are those of a progress. */
const isFailingStatus = (status: unknown): boolean => {
  const text = wordOf(status)?.trim().toLowerCase() ?? '';
  return failingWords.has(text) || /^[45]\d\d$/.test(text);
};

/**
 * Reads a message beside a sign of failure: DashScope, Zhipu and NVIDIA Dynamo (`{code, message}`), older vLLM (`object:
 * "error"`), Anthropic (`type: "error"`), AWS (`__type`), RFC 9457 (`title`, `status`), APIs with `success: false`.
 */
const flatErrorIn = (body: Fields, form: ErrorText['form']): ErrorText | null => {
  const message = fieldIn(body, messageNames);
  if (typeof message !== 'string' || message === '') return null;
  const { status, success, ok } = body;
  const [code, type] = [fieldIn(body, codeNames), fieldIn(body, [...typeNames, ''])];
  const isFailure =
    isFailingCode(code) ||
    isFailingStatus(status) ||
    success === false ||
    ok === false ||
    wordOf(body['__type']) !== null;
  return isFailure ? { form, message, code: code ?? status, type: type ?? body['__type'] } : null;
};

/** Reads an error that a field names; `null` for none. */
const namedErrorIn = (body: Fields): ErrorText | null => {
  const code = fieldIn(body, codeNames);
  // `{"errcode": 0, "errmsg": "ok"}` is none.
  if (code !== undefined && !isFailingCode(code)) return null;
  for (const [name, value] of Object.entries(body)) {
    if (!isErrorName(plainName(name)) || isBlankError(value)) continue;
    const fields = objectOf(value) ?? {};
    return {
      form: 'json',
      message: messageIn(value),
      code: fieldIn(fields, codeNames) ?? code,
      type: fieldIn(fields, typeNames) ?? fieldIn(body, typeNames),
    };
  }
  return null;
};

/**
 * Reads an error within another field: Tencent Cloud (`Response`), Volcengine (`ResponseMetadata`), iFlytek Spark
 * (`header`), the Responses API (`response`). A text beside a code can be anything there, so the code must be a number.
 */
const innerErrorIn = (body: Fields): ErrorText | null => {
  for (const value of Object.values(body)) {
    const inner = objectOf(value);
    if (inner === null) continue;
    const flat = typeof fieldIn(inner, codeNames) === 'number' ? flatErrorIn(inner, 'json') : null;
    const found = namedErrorIn(inner) ?? flat;
    if (found !== null) return found;
  }
  return null;
};

/** The fields without which a document is no answer. */
const isAnswer = ({ choices, text, data }: Fields): boolean =>
  (Array.isArray(choices) && choices.length > 0) || text !== undefined || Array.isArray(data);

/** Reads MiniMax's `base_resp` (API reference, status_code), which also stands beside choices. */
const minimaxErrorIn = ({ base_resp }: Fields): ErrorText | null => {
  const status = objectOf(base_resp);
  const code = status?.['status_code'];
  return typeof code === 'number' && code !== 0
    ? { form: 'error', message: wordOf(status?.['status_msg']), code }
    : null;
};

/** Reads the documented `{error: {message, type, code}}`, also as a text, and the gateway's second form of a 429. */
const documentedErrorIn = (body: Fields): ErrorText => {
  const { error } = body;
  const documented = errorBodySchema.safeParse(body);
  const fields = documented.success ? documented.data.error : objectOf(error);
  if (fields === null) return { form: 'error', message: messageIn(error) ?? JSON.stringify(error) };
  const { type, code } = fields;
  const form = type === 'None' && wordOf(code) === '429' ? 'none-429' : 'error';
  return { form, message: messageIn(fields), type, code };
};

/** Reads the framework's `{detail}` as a sentence, a list or an object. */
const detailErrorIn = (body: Fields): ErrorText | null => {
  const { detail } = body;
  const isDetail = detailBodySchema.safeParse(body).success || objectOf(detail) !== null;
  return isDetail ? { form: 'detail', message: wordOf(detailMessage(detail)) } : null;
};

/** Returns the error in a JSON value; `null` for others. Of a list, as Gemini writes it, the first entry counts. */
export const errorIn = (json: unknown): ErrorText | null => {
  const body = objectOf(Array.isArray(json) ? json[0] : json);
  if (body === null) return null;
  const { error, detail, object, type } = body;
  if (isAnswer(body) ? !isBlankError(error) : isError(error)) return documentedErrorIn(body);
  if (object === 'error' || type === 'error')
    return { form: 'error', message: wordOf(body['message']), type, code: body['code'] };
  const minimax = minimaxErrorIn(body);
  if (minimax !== null || isAnswer(body)) return minimax;
  const own = detail === undefined ? null : detailErrorIn(body);
  const found = own ?? flatErrorIn(body, 'error') ?? namedErrorIn(body);
  // The event that holds the usage of a stream has no choices, and may have fields of the server's own.
  return found ?? (objectOf(body['usage']) === null ? innerErrorIn(body) : null);
};

/** Returns the error that a choice, or its message or delta, contains; undefined for none. */
export const errorInChoices = (choices: unknown): unknown => {
  if (!Array.isArray(choices)) return undefined;
  for (const value of choices) {
    const choice = objectOf(value);
    if (choice === null) continue;
    for (const part of [choice, objectOf(choice['delta']), objectOf(choice['message'])]) {
      if (part !== null && !isBlankError(part['error'])) return part['error'];
    }
    const finish = objectOf(choice['finish_reason']);
    if (finish !== null && wordOf(finish['message']) !== null && finish['type'] === 'abort')
      return finish;
  }
  return undefined;
};

/**
 * Decides whether an event is named as an error: `error`, and in other APIs `response.failed` (OpenAI’s Responses API) or
 * `internalServerException` (Amazon Bedrock).
 */
export const isErrorType = (type: string): boolean =>
  type !== 'message' && /(?:error|exception|failed|failure)$/i.test(type);
