import { requestIdHeader } from '../contract/routes.ts';
import type { WireRequest } from '../model/observation/exchange.ts';
import {
  emptyTargetMemory,
  type PreparedRequest,
  type TargetMemory,
} from '../traffic/traffic-handler.ts';
import { prepareRequest } from '../traffic/kinds/prepare-request.ts';
import type { RequestContent } from './request-content.ts';
import { type AttemptContext, InFlightAttempt, type AttemptListener } from './in-flight-attempt.ts';
import type { Credential, SliceOptions } from './slice-options.ts';

type Headers = WireRequest['headers'];

/** What all attempts of a slice have in common. */
export interface SendContext {
  readonly options: SliceOptions;
  readonly targetMemory: TargetMemory;
  readonly listener: AttemptListener;
  /** All headers but the request's id, by those of the traffic kind and the key: chats have the same ones again and again. */
  readonly commonHeaders: WeakMap<Headers, Map<Credential, Headers>>;
}

export const createSendContext = (
  options: SliceOptions,
  listener: AttemptListener,
): SendContext => ({
  options,
  targetMemory: emptyTargetMemory(),
  listener,
  commonHeaders: new WeakMap(),
});

const commonHeadersOf = (
  { options: { headers, userAgent }, commonHeaders }: SendContext,
  ofKind: Headers,
  credential: Credential,
): Headers => {
  const byKey = commonHeaders.get(ofKind) ?? new Map<Credential, Headers>();
  const known = byKey.get(credential);
  if (known !== undefined) return known;
  const made = {
    'user-agent': userAgent,
    ...ofKind,
    authorization: `Bearer ${credential.value}`,
    ...headers,
  };
  commonHeaders.set(ofKind, byKey.set(credential, made));
  return made;
};

/** A request as it is sent, with its key and the plan's headers, and how its answer is read. */
export const authorizedRequest = (
  context: SendContext,
  { traffic, draw, ordinal, ask, requestId, credential }: RequestContent,
): PreparedRequest => {
  const { targetMemory, options } = context;
  const { clips } = options;
  const { request, read } = prepareRequest(traffic, { draw, ordinal, targetMemory, clips, ask });
  const { method, path, body } = request;
  const headers = {
    ...commonHeadersOf(context, request.headers, credential),
    [requestIdHeader]: requestId,
  };
  return { request: { method, path, headers, body }, read };
};

/** An attempt to send a prepared request; the caller attaches the exchange to it. */
export const createAttempt = (
  { options, targetMemory, listener }: SendContext,
  { read }: PreparedRequest,
  context: AttemptContext,
): InFlightAttempt => {
  const { plan, redact } = options;
  const reader = read({
    begun: context.begun,
    redact,
    redactId: redact,
    caps: plan.caps,
    streams: plan.streams,
    targetMemory,
  });
  return new InFlightAttempt(context, reader, listener);
};
