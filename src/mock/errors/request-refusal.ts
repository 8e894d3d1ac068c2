import { documentedErrors, type ErrorBody } from '../../contract/error-body.ts';

/** The errors of refused requests, except limits. Types and codes that the interface leaves open are those of the OpenAI API. */
export const refusalErrors = {
  'not-found': { status: 404, type: 'invalid_request_error', code: 'not_found' },
  'wrong-method': { status: 405, type: 'invalid_request_error', code: 'method_not_allowed' },
  unauthorized: { status: 401, ...documentedErrors[401] },
  'no-credits': { status: 402, ...documentedErrors[402] },
  'too-large': { status: 413, type: 'invalid_request_error', code: 'request_too_large' },
  'not-json': { status: 400, type: 'invalid_request_error', code: 'invalid_json' },
  'invalid-parameter': { status: 400, type: 'invalid_request_error', code: 'invalid_value' },
  'context-exceeded': {
    status: 400,
    type: 'invalid_request_error',
    code: 'context_length_exceeded',
  },
  'malformed-form': { status: 400, type: 'invalid_request_error', code: 'invalid_form' },
  'unsupported-voice': { status: 400, type: 'invalid_request_error', code: 'unsupported_voice' },
  'unsupported-format': { status: 400, type: 'invalid_request_error', code: 'unsupported_format' },
  'empty-file': { status: 400, type: 'invalid_request_error', code: 'empty_file' },
  'undecodable-audio': { status: 400, type: 'invalid_request_error', code: 'undecodable_audio' },
  'truncated-audio': { status: 400, type: 'invalid_request_error', code: 'truncated_audio' },
  'unknown-model': { status: 404, type: 'invalid_request_error', code: 'model_not_found' },
} as const satisfies Record<string, { status: number; type: string; code: string }>;

export type RefusalCause = keyof typeof refusalErrors;
export const refusalCauses = Object.keys(refusalErrors) as readonly RefusalCause[];

export interface RequestRefusal {
  readonly cause: RefusalCause;
  readonly message: string;
  /** If it differs from that of the cause. */
  readonly status?: number;
}

/** The body of an error (interface section 7). */
export const errorBody = (
  { type, code }: { readonly type: string; readonly code: string },
  message: string,
): ErrorBody => ({ error: { message, type, code } });
