import { requestIdHeader } from '../contract/routes.ts';
import type { TargetMemory, PreparedRequest } from '../traffic/traffic-handler.ts';
import { prepareRequest } from '../traffic/kinds/prepare-request.ts';
import type { RequestContent } from './request-content.ts';
import { type AttemptContext, InFlightAttempt, type AttemptListener } from './in-flight-attempt.ts';
import type { SliceOptions } from './slice-options.ts';

/** What all attempts of a slice have in common. */
export interface SendContext {
  readonly options: SliceOptions;
  readonly targetMemory: TargetMemory;
  readonly listener: AttemptListener;
}

/** A request as it is sent, with its key and the plan's headers, and how its answer is read. */
export const authorizedRequest = (
  { options, targetMemory }: SendContext,
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
