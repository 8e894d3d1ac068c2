import { requestIdHeader } from '../contract/routes.ts';
import type { Transport } from '../model/observation/exchange.ts';
import type { TargetMemory, PreparedRequest } from '../traffic/traffic-handler.ts';
import { prepareRequest } from '../traffic/kinds/prepare-request.ts';
import type { RequestContent } from './request-content.ts';
import { type AttemptContext, InFlightAttempt, type AttemptListener } from './in-flight-attempt.ts';
import type { SliceOptions } from './slice-options.ts';

/** What all flights of a slice have in common. */
export interface SendContext {
  readonly options: SliceOptions;
  readonly transport: Transport;
  readonly targetMemory: TargetMemory;
  readonly listener: AttemptListener;
}

/** A request as it goes over the wire, and how its answer is read. */
export const authorizedRequest = (
  { options, targetMemory }: Pick<SendContext, 'options' | 'targetMemory'>,
  { traffic, draw, ordinal, ask, requestId, credential }: RequestContent,
): PreparedRequest => {
  const { headers, userAgent, clips } = options;
  const { request, read } = prepareRequest(traffic, { draw, ordinal, targetMemory, clips, ask });
  const allHeaders = {
    'user-agent': userAgent,
    ...request.headers,
    authorization: `Bearer ${credential.value}`,
    ...headers,
    [requestIdHeader]: requestId,
  };
  return { request: { ...request, headers: allHeaders }, read };
};

/** A flight for one sending of a request. */
export const createAttempt = (
  { options, targetMemory, listener }: Omit<SendContext, 'transport'>,
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

/**
 * Prepares the request of an attempt and gives it a flight, which `go` sends off: the run notes the
 * flight before, since an exchange that fails at once lands within `go`.
 */
export const prepareAttempt = (
  sendContext: SendContext,
  content: RequestContent,
  context: AttemptContext,
): { readonly attempt: InFlightAttempt; readonly send: () => void } => {
  const prepared = authorizedRequest(sendContext, content);
  const attempt = createAttempt(sendContext, prepared, context);
  const send = (): void => attempt.attach(sendContext.transport.send(prepared.request, attempt));
  return { attempt, send };
};
