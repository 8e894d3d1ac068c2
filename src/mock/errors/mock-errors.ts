import { documentedErrors, type ErrorBody } from '../../contract/error-body.ts';

const invalid = (code: string, status = 400) => ({ status, type: 'invalid_request_error', code });

/**
 * The errors of all refusals except refusals by a limit. Details that the interface does not define are the same as in
 * the OpenAI API.
 */
export const refusalErrors = {
  'not-found': invalid('not_found', 404),
  'wrong-method': invalid('method_not_allowed', 405),
  unauthorized: { status: 401, ...documentedErrors[401] },
  'no-credits': { status: 402, ...documentedErrors[402] },
  'too-large': invalid('request_too_large', 413),
  'not-json': invalid('invalid_json'),
  'invalid-parameter': invalid('invalid_value'),
  'unsupported-parameter': invalid('unsupported_parameter'),
  'context-exceeded': invalid('context_length_exceeded'),
  'malformed-form': invalid('invalid_form'),
  'unsupported-voice': invalid('unsupported_voice'),
  'unsupported-format': invalid('unsupported_format'),
  'empty-file': invalid('empty_file'),
  'undecodable-audio': invalid('undecodable_audio'),
  'truncated-audio': invalid('truncated_audio'),
  'unknown-model': invalid('model_not_found', 404),
} as const satisfies Record<string, { status: number; type: string; code: string }>;

type RefusalCause = keyof typeof refusalErrors;
export const refusalCauses = Object.keys(refusalErrors) as readonly RefusalCause[];

/** Thrown to refuse a request while it is read. `MockExchange.attempt` catches it and answers with the refusal. */
export class RequestRefusal extends Error {
  override readonly cause: RefusalCause;
  readonly headers: Readonly<Record<string, string>>;

  constructor(cause: RefusalCause, message: string, headers = {}) {
    super(message);
    this.cause = cause;
    this.headers = headers;
  }
}

/** Builds the body of an error (interface section 7). */
export const errorBody = (
  { type, code }: { readonly type: string; readonly code: string },
  message: string,
): ErrorBody => ({ error: { message, type, code } });

/**
 * An error that prevents the mock from starting, for example because an address or a file is not available. The message
 * is written for the user.
 */
export class MockStartError extends Error {}
