import { detailBodySchema, errorBodySchema } from '../../contract/error-body.ts';
import type { Refusal } from '../../model/observation/outcome.ts';
import { objectOf } from './json-text.ts';

/**
 * This file knows how servers write an error as JSON. A body or an event is an error if the name of a field says that
 * the field contains an error (`error`, `errors`, `errorMessage`, `modelStreamErrorException` …). A message is also an
 * error if a code, a status or a flag beside the message means failure. In an answer (a document with `choices`, `data`
 * or `text`), a message is not an error.
 */

type Fields = Readonly<Record<string, unknown>>;

/** The parts of an error body in the server's own words. */
export interface ErrorText {
  readonly form: Refusal['form'];
  /** The message; `null` if the server gives no message. */
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

/**
 * Formats an entry of a `detail` list, for example `body.messages: Field required`. The input that the entry quotes is
 * left out.
 */
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

/**
 * Returns the name of a field in lower case without `_` and `-`, so that `error_msg` and `errorMsg` have the same name.
 */
const plainName = (name: string): string =>
  /[^a-z]/.test(name) ? name.toLowerCase().replaceAll(/[_-]/g, '') : name;

/**
 * Fields with these names contain an error. The names are in the form that `plainName` returns. The comments say which
 * servers use a name.
 */
const errorNames: ReadonlySet<string> = new Set([
  // Used by the OpenAI API, Volcengine (`ResponseMetadata.Error`), and Tencent Cloud (`Response.Error`).
  'error',
  // Used by Cloudflare (API reference, responses) and GraphQL.
  'errors',
  'err',
  // Used by AWS Lambda (`errorMessage`, `errorType`), Baidu Qianfan (`error_code`, `error_msg`), WeChat (`errcode`,
  // `errmsg`).
  'errormessage',
  'errormsg',
  'errmsg',
  // Used by Apigee (`fault.faultstring`), TorchServe and Spring.
  'fault',
  'exception',
  'failure',
]);

/**
 * Returns whether the name of a field says that the field contains an error. Any name that ends in `exception` does,
 * for example `internalServerException` and `throttlingException` in Amazon Bedrock's event streams.
 */
const isErrorName = (name: string): boolean => errorNames.has(name) || name.endsWith('exception');

/**
 * The names of fields that can contain the message of an error. If several fields exist, the name that comes first in
 * this list is preferred. The names are in the form that `plainName` returns.
 */
const messageNames =
  'message msg errormessage errormsg errmsg errortext statusmsg faultstring detail description title reason error text'.split(
    ' ',
  );
const codeNames = ['code', 'errorcode', 'errcode', 'statuscode'];
const typeNames = ['type', 'errortype'];

/** Returns the value of the field whose name comes first in `names`; undefined if no field has a value. */
const fieldIn = (fields: Fields, names: readonly string[]): unknown => {
  let found: unknown;
  let best = names.length;
  for (const [name, value] of Object.entries(fields)) {
    const position = names.indexOf(plainName(name));
    if (position < 0 || position > best || value === undefined || value === null) continue;
    [found, best] = [value, position];
  }
  return found;
};

/** This file searches nested objects for a message down to this depth. */
const maxMessageDepth = 4;

/**
 * Returns the message of an error; `null` if the error has no message. The message may be in another error within this
 * error.
 */
const messageIn = (error: unknown, depth = 0): string | null => {
  const first: unknown = Array.isArray(error) ? error[0] : error;
  const fields = objectOf(first);
  if (fields === null || depth > maxMessageDepth) return wordOf(first);
  return messageIn(fieldIn(fields, messageNames), depth + 1);
};

/** Returns whether the value of an error field means that an error exists. */
export const isError = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== false && value !== '' && value !== 0;

const goodCodes: ReadonlySet<string> = new Set(['', '0', 'ok', 'success', 'none', 'null']);
const failingWords: ReadonlySet<string> = new Set(
  'error fail failed failure cancelled canceled aborted timeout timed_out expired rejected'.split(
    ' ',
  ),
);

/** Returns whether a code means failure. The codes of success are 0, 200 to 299, and words such as `ok`. */
const isFailingCode = (code: unknown): boolean => {
  const text = wordOf(code)?.trim().toLowerCase() ?? '';
  return !goodCodes.has(text) && !/^2\d\d$/.test(text);
};

/**
 * Returns whether the value of an error field in an answer means that no error exists. Servers express this by `{}`,
 * `[]`, empty fields, the words `None` and `null` (as a text), or codes and words for success, such as 0 and `ok`.
 */
export const isBlankError = (value: unknown): boolean =>
  typeof value === 'object' && value !== null
    ? Object.values(value).every((each) => isBlankError(each))
    : !isError(value) || (value !== true && !isFailingCode(value));

/**
 * Returns whether a status means failure. Failing statuses are the numbers 400 to 599 and words for failure. Other
 * words and numbers are steps of progress.
 */
const isFailingStatus = (status: unknown): boolean => {
  const text = wordOf(status)?.trim().toLowerCase() ?? '';
  return failingWords.has(text) || /^[45]\d\d$/.test(text);
};

/** Returns whether a code, a status or a flag in an object means failure. */
export const saysFailure = (body: Fields): boolean =>
  isFailingCode(fieldIn(body, codeNames)) ||
  isFailingStatus(body['status']) ||
  body['success'] === false ||
  body['ok'] === false ||
  wordOf(body['__type']) !== null;

/**
 * Reads an error from an object that contains both a message and a sign of failure. Servers with such errors:
 * DashScope, Zhipu and NVIDIA Dynamo (`{code, message}`), older vLLM (`object: "error"`), Anthropic (`type: "error"`),
 * AWS (`__type`), RFC 9457 (`title`, `status`), APIs with `success: false`.
 */
const flatErrorIn = (body: Fields, form: ErrorText['form']): ErrorText | null => {
  const message = fieldIn(body, messageNames);
  if (typeof message !== 'string' || message === '') return null;
  if (!saysFailure(body)) return null;
  const [code, type] = [fieldIn(body, codeNames), fieldIn(body, [...typeNames, ''])];
  return { form, message, code: code ?? body['status'], type: type ?? body['__type'] };
};

/**
 * Reads an error from a field whose name says that the field contains an error; returns `null` without such a field.
 */
const namedErrorIn = (body: Fields): ErrorText | null => {
  for (const [name, value] of Object.entries(body)) {
    if (!isErrorName(plainName(name)) || isBlankError(value)) continue;
    const code = fieldIn(body, codeNames);
    // `{"errcode": 0, "errmsg": "ok"}` is not an error.
    if (code !== undefined && !isFailingCode(code)) return null;
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
 * Reads an error that is inside another field: Tencent Cloud (`Response`), Volcengine (`ResponseMetadata`), iFlytek
 * Spark (`header`), the Responses API (`response`). An error without an error field must have a number as its code,
 * because a text named `code` can mean anything inside another field.
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

/**
 * Returns whether a document has a field that makes it an answer. An empty `text` does not count, nor does a `text`
 * beside an `error_code`, because FastChat writes errors in this form (fastchat/constants.py, ErrorCode): `{"text":
 * "**NETWORK ERROR …", "error_code": 50001}`.
 */
const isAnswer = ({ choices, text, data, error_code: code }: Fields): boolean =>
  (Array.isArray(choices) && choices.length > 0) ||
  (text !== undefined && text !== '' && !isFailingCode(code)) ||
  Array.isArray(data);

/** Reads an error from MiniMax's `base_resp` (API reference, status_code). The same document may have choices. */
const minimaxErrorIn = ({ base_resp }: Fields): ErrorText | null => {
  const status = objectOf(base_resp);
  const code = status?.['status_code'];
  return typeof code === 'number' && code !== 0
    ? { form: 'error', message: wordOf(status?.['status_msg']), code }
    : null;
};

/**
 * Reads an error in one of three forms: the documented form `{error: {message, type, code}}`, a text in `error`, or the
 * gateway's second form of a 429 (with the type `None`).
 */
const documentedErrorIn = (body: Fields): ErrorText => {
  const { error } = body;
  const documented = errorBodySchema.safeParse(body);
  const fields = documented.success ? documented.data.error : objectOf(error);
  if (fields === null) return { form: 'error', message: messageIn(error) ?? JSON.stringify(error) };
  const { type, code } = fields;
  const form = type === 'None' && wordOf(code) === '429' ? 'none-429' : 'error';
  return { form, message: messageIn(fields), type, code };
};

/** Reads the error `{detail}` of the gateway's framework. `detail` is a sentence, a list or an object. */
const detailErrorIn = (body: Fields): ErrorText | null => {
  const { detail } = body;
  const isDetail = detailBodySchema.safeParse(body).success || objectOf(detail) !== null;
  return isDetail ? { form: 'detail', message: wordOf(detailMessage(detail)) } : null;
};

/**
 * Returns the error in a JSON value; `null` if the value contains no error. Gemini writes a list of errors; this
 * function reads the first entry of a list.
 */
export const errorIn = (json: unknown): ErrorText | null => {
  const body = objectOf(Array.isArray(json) ? json[0] : json);
  if (body === null) return null;
  const { error, detail, object, type } = body;
  if (isAnswer(body) ? !isBlankError(error) : isError(error)) return documentedErrorIn(body);
  if (object === 'error' || type === 'error')
    return { form: 'error', message: messageIn(body), type, code: body['code'] };
  const minimax = minimaxErrorIn(body);
  if (minimax !== null || isAnswer(body)) return minimax;
  const own = detail === undefined ? null : detailErrorIn(body);
  const found = own ?? flatErrorIn(body, 'error') ?? namedErrorIn(body);
  // Inner fields are not searched if the body has a usage. Such a body is the last event of a stream, and may have
  // fields that only one server defines.
  return found ?? (objectOf(body['usage']) === null ? innerErrorIn(body) : null);
};

/**
 * The fields of an answer, other than `error`, whose names say that they contain an error. `errors` is not in this
 * list, because servers use it for warnings in complete answers.
 */
const errorFields = 'err error_msg error_message errorMsg errorMessage exception'.split(' ');

/**
 * Returns the failure that an answer with choices reports in an error field other than `error`, or with a flag or a
 * status. Returns undefined if the answer reports no failure.
 */
export const errorBeside = (answer: Fields): unknown => {
  const named = errorFields.find(
    (name) => answer[name] !== undefined && !isBlankError(answer[name]),
  );
  if (named !== undefined) return answer[named];
  const { success, ok, status } = answer;
  if (success !== false && ok !== false && (status === undefined || !isFailingStatus(status)))
    return undefined;
  const said = { ...answer, choices: undefined };
  return (
    messageIn(said) ??
    // The `message` of a choice does not count, because the model wrote it.
    messageIn({ ...said, message: undefined }) ??
    'the answer itself says that it failed'
  );
};

/** Returns the error in a choice, or in the choice's message or delta; undefined without an error. */
export const errorInChoices = (choices: unknown): unknown => {
  if (!Array.isArray(choices)) return undefined;
  for (const value of choices) {
    const choice = objectOf(value);
    if (choice === null) continue;
    for (const part of [choice, objectOf(choice['delta']), objectOf(choice['message'])]) {
      if (part === null) continue;
      const error = isBlankError(part['error']) ? errorBeside(part) : part['error'];
      if (error !== undefined) return error;
    }
    const finish = objectOf(choice['finish_reason']);
    if (finish !== null && wordOf(finish['message']) !== null && finish['type'] === 'abort')
      return finish;
  }
  return undefined;
};

/**
 * Returns whether the name of an event means an error. Examples are `error` and `abort`, and in other APIs
 * `response.failed` (OpenAI's Responses API) or `internalServerException` (Amazon Bedrock).
 */
export const isErrorType = (type: string): boolean =>
  type !== 'message' &&
  /(?:error|exception|failed|failure|fail|abort(?:ed)?|time(?:d_)?out|(?<![a-z])err)$/i.test(type);
