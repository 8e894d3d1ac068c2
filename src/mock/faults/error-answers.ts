import { documentedErrors } from '../../contract/error-body.ts';
import { errorBody } from '../errors/request-refusal.ts';
import type { FaultContext, MockFault } from './fault.ts';

/** Answers that replace those of an endpoint. The request body is discarded while it is received. */

const html = (title: string): string =>
  `<!DOCTYPE html>\n<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>\n`;

/** Answers with a text; the end is counted under the fault's name, not under `aborted`. */
const answerWith =
  (status: number, contentType: string, text: string, headers = {}) =>
  ({ exchange }: FaultContext): void => {
    exchange.request.resume();
    exchange.answerText('aborted', status, text, { ...headers, 'content-type': contentType });
  };

const answer = (...parts: Parameters<typeof answerWith>): MockFault => ({
  scope: 'answer',
  run: answerWith(...parts),
});

const errorJson = (error: { type: string; code: string }, message: string): string =>
  JSON.stringify(errorBody(error, message));

const json = 'application/json';
const serverError = errorJson(
  { type: 'server_error', code: 'internal_error' },
  'The server had an error; try again later.',
);
const overloaded = errorJson(
  { type: 'server_error', code: 'overloaded' },
  'The server is overloaded; try again later.',
);
const revoked = errorJson(documentedErrors[401], 'The API key was revoked.');
const emptyBalance = errorJson(
  documentedErrors[402],
  'The credits of this API key are used up; add credits to continue.',
);

export const errorAnswers = {
  'key-revoked': { scope: 'gate', run: answerWith(401, json, revoked) },
  'empty-balance': { scope: 'gate', run: answerWith(402, json, emptyBalance) },
  'status-500': answer(500, json, serverError),
  'status-503': answer(503, json, overloaded, { 'retry-after': '1' }),
  'html-502': answer(502, 'text/html', html('502 Bad Gateway')),
  'json-error-200': answer(200, json, serverError),
  'html-200': answer(200, 'text/html; charset=utf-8', html('Sign in')),
  'stream-status-500': answer(500, 'text/event-stream', `data: ${serverError}\n\n`),
  'no-answer': { scope: 'answer', run: ({ exchange }) => void exchange.request.resume() },
} as const satisfies Record<string, MockFault>;
