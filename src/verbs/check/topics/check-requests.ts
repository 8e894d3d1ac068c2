import { routes } from '../../../contract/routes.ts';
import type { WireRequest } from '../../../model/observation/exchange.ts';
import type { Clip } from '../../../model/workload/clip.ts';
import { encodeForm } from '../../../traffic/request/multipart.ts';
import type { CheckTarget, RequestCost } from '../reading/check-case.ts';

/** This file builds the requests of the checks. The requests are short, since most of them cost money. */

const plainHeaders = { accept: 'application/json', 'accept-encoding': 'identity' } as const;

export const getRequest = (path: string): WireRequest => ({
  method: 'GET',
  path,
  headers: plainHeaders,
  body: null,
});

export const jsonRequest = (route: 'chat' | 'speech', body: unknown): WireRequest => ({
  ...routes[route],
  headers: {
    'content-type': 'application/json',
    ...plainHeaders,
    ...(route === 'speech' ? { accept: '*/*' } : {}),
  },
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
});

const question = [{ role: 'user', content: 'Say yes.' }];

/**
 * Returns a function that builds a small valid chat with some fields changed. The value `undefined` removes a field.
 */
export const chatWith =
  (fields: Readonly<Record<string, unknown>> = {}) =>
  ({ chat: model }: Pick<CheckTarget, 'chat'>): WireRequest | null =>
    model === null
      ? null
      : jsonRequest('chat', { model, messages: question, max_tokens: 8, ...fields });

export const chatTokens = (outputTokens: number, inputTokens = 40): Partial<RequestCost> => ({
  inputTokens,
  outputTokens,
});

/**
 * Builds a form that asks for a transcription of the target's recording. Returns `null` if the target has no model for
 * transcriptions.
 */
export const transcriptionForm = (
  { transcription: model, clip: usual }: CheckTarget,
  {
    fields = [],
    clip = usual,
    hasModel = true,
    part = 'file',
  }: {
    readonly fields?: readonly (readonly [name: string, value: string])[];
    readonly clip?: Pick<Clip, 'name' | 'bytes' | 'contentType'>;
    readonly hasModel?: boolean;
    readonly part?: string;
  },
): WireRequest | null => {
  if (model === null) return null;
  const { contentType, body } = encodeForm({
    fields: [...(hasModel ? [['model', model] as const] : []), ...fields],
    file: { field: part, name: clip.name, contentType: clip.contentType, bytes: clip.bytes },
  });
  return {
    ...routes.transcription,
    headers: { 'content-type': contentType, accept: '*/*', 'accept-encoding': 'identity' },
    body,
  };
};
