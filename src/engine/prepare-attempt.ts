import { requestIdHeader } from '../contract/routes.ts';
import { keyHeader } from '../model/plan/key-header.ts';
import type { WireRequest } from '../model/observation/exchange.ts';
import { emptyTargetMemory, type PreparedRequest } from '../traffic/traffic-handler.ts';
import { prepareRequest } from '../traffic/kinds/prepare-request.ts';
import type { RequestContent } from './request-content.ts';
import { type AttemptContext, InFlightAttempt, type AttemptListener } from './in-flight-attempt.ts';
import type { Credential, SliceOptions } from './slice-options.ts';

type Headers = WireRequest['headers'];

/** What all attempts of a slice have in common. */
export class SendContext {
  readonly targetMemory = emptyTargetMemory();
  readonly #options: SliceOptions;
  readonly #listener: AttemptListener;
  /** All headers but the request's id, by those of the traffic kind and the key: chats have the same ones again and again. */
  readonly #commonHeaders = new WeakMap<Headers, Map<Credential, Headers>>();

  constructor(options: SliceOptions, listener: AttemptListener) {
    this.#options = options;
    this.#listener = listener;
  }

  /** A request as it is sent, with its key and the plan's headers, and how its answer is read. */
  authorizedRequest(
    { traffic, draw, ordinal, ask, requestId }: RequestContent,
    credential: Credential,
  ): PreparedRequest {
    const { targetMemory } = this;
    const { clips } = this.#options;
    const { request, read } = prepareRequest(traffic, { draw, ordinal, targetMemory, clips, ask });
    const { method, path, body } = request;
    const headers = {
      ...this.#commonHeadersOf(request.headers, credential),
      [requestIdHeader]: requestId,
    };
    return { request: { method, path, headers, body }, read };
  }

  /** An attempt to send a prepared request; the caller attaches the exchange to it. */
  createAttempt({ read }: PreparedRequest, context: AttemptContext): InFlightAttempt {
    const { plan, redact } = this.#options;
    const reader = read({
      begun: context.begun,
      redact,
      redactId: redact,
      caps: plan.caps,
      streams: plan.streams,
      fails: (plan.fails ?? []).map(({ finish }) => finish),
      targetMemory: this.targetMemory,
    });
    return new InFlightAttempt(context, reader, this.#listener);
  }

  #commonHeadersOf(ofKind: Headers, credential: Credential): Headers {
    const byKey = this.#commonHeaders.get(ofKind) ?? new Map<Credential, Headers>();
    const known = byKey.get(credential);
    if (known !== undefined) return known;
    const { headers, plan, userAgent } = this.#options;
    const made = {
      'user-agent': userAgent,
      ...ofKind,
      ...keyHeader(plan.auth, credential.value),
      ...headers,
    };
    this.#commonHeaders.set(ofKind, byKey.set(credential, made));
    return made;
  }
}
