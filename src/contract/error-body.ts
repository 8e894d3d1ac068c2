import { z } from 'zod';

/** This file describes the bodies of errors (interface, section 7). */

const text = z.string().nullish();

/** The body `{error: {message, type, code}}`. The gateway's second form of a 429 adds the field `param`. */
export const errorBodySchema = z.looseObject({
  error: z.looseObject({
    message: text,
    type: text,
    // Some gateways send the code as a number.
    code: z.union([z.string(), z.number()]).nullish(),
    param: z.unknown().optional(),
  }),
});
export interface ErrorBody {
  readonly error: { readonly message: string; readonly type: string; readonly code: string };
}

/** The error body of the gateway's web framework. The field `detail` is a message or a list of errors. */
export const detailBodySchema = z.looseObject({
  detail: z.union([z.string(), z.array(z.unknown())]),
});

/** The documented types and codes of errors, by status. */
export const documentedErrors = {
  401: { type: 'authentication_error', code: 'invalid_api_key' },
  402: { type: 'payment_error', code: 'insufficient_credits' },
  429: { type: 'rate_limit_error', code: 'rate_limit_exceeded' },
} as const;
