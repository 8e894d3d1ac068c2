import { documentedErrors } from '../../contract/error-body.ts';
import { errorBody } from '../errors/request-refusal.ts';
import type { FaultContext } from './fault.ts';

/** Answers that replace those of an endpoint. The request body is discarded while it is received. */

const html = (title: string): string =>
  `<!DOCTYPE html>\n<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>\n`;

/** Answers with a text; the end is counted under the fault's name, not under `aborted`. */
const answerWith =
  (
    status: number,
    contentType: string,
    text: string,
    headers: Readonly<Record<string, string>> = {},
  ) =>
  ({ exchange }: FaultContext): void => {
    exchange.request.resume();
    exchange.answerText('aborted', status, text, { ...headers, 'content-type': contentType });
  };

const json = (
  status: number,
  error: { type: string; code: string },
  message: string,
  headers = {},
) => answerWith(status, 'application/json', JSON.stringify(errorBody(error, message)), headers);

const serverError = { type: 'server_error', code: 'internal_error' };
const unavailable = { type: 'server_error', code: 'overloaded' };

export const keyRevoked = json(401, documentedErrors[401], 'The API key was revoked.');
export const emptyBalance = json(
  402,
  documentedErrors[402],
  'The credits of this API key are used up; add credits to continue.',
);
export const status500 = json(500, serverError, 'The server had an error; try again later.');
export const status503 = json(503, unavailable, 'The server is overloaded; try again later.', {
  'retry-after': '1',
});
export const html502 = answerWith(502, 'text/html', html('502 Bad Gateway'));
export const jsonError200 = json(200, serverError, 'The server had an error; try again later.');
export const html200 = answerWith(200, 'text/html; charset=utf-8', html('Sign in'));
export const streamStatus500 = answerWith(
  500,
  'text/event-stream',
  `data: ${JSON.stringify(errorBody(serverError, 'The server had an error; try again later.'))}\n\n`,
);

export const noAnswer = ({ exchange }: FaultContext): void => {
  exchange.request.resume();
};
