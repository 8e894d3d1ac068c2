import { readRefusedLimit } from '../traffic/limits/refused-limit.ts';
import { readReportedLimits } from '../traffic/limits/limit-profiles.ts';
import { dateOf, readRetryAfter } from '../traffic/limits/retry-after.ts';
import { usageSchema } from '../contract/chat.ts';
import { requestIdHeader } from '../contract/routes.ts';
import type { Clock } from '../model/clock.ts';
import type {
  BrokenCause,
  Exchange,
  ExchangeObserver,
  Transport,
  WireRequest,
} from '../model/observation/exchange.ts';
import type {
  ProbePhase,
  ProbeReply,
  ProbeRequest,
  RefusalDetails,
} from '../model/limits/limit-log.ts';
import type { Instant } from '../model/quantity.ts';
import { readRefusal } from '../traffic/answer/read-refusal.ts';
import {
  type PreparedProbeRequest,
  probeRequestBuilders,
  type ProbeModels,
} from './probe-requests.ts';
import type { ProbeClient } from './examine-key.ts';

export interface ProbeSession {
  readonly transport: Transport;
  readonly clock: Clock;
  /** Wall clock at instant 0, in ms since 1970. */
  readonly wallZero: number;
  /** Additional headers of every request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly redact: (text: string) => string;
  /** In ms. */
  readonly timeoutFor: number;
}

/** Poll interval for aborts, in ms. */
const pollInterval = 20;

interface ProbeRequestContext {
  readonly requestId: string;
  readonly phase: ProbePhase;
  readonly request: ProbeRequest;
  readonly key: ProbeReply['key'];
  readonly credential: string;
}

/** The remaining bytes of a body are ignored. */
const maxBodyBytes = 1024 * 1024;

const invalidKey = 'sk-weir-no-such-key';

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

const countsSchema = usageSchema.pick({ prompt_tokens: true, completion_tokens: true });

const usageIn = (body: string): ProbeReply['usage'] => {
  const read = countsSchema.safeParse((parsed(body) as { usage?: unknown } | null)?.usage);
  return read.success
    ? { input: read.data.prompt_tokens, output: read.data.completion_tokens }
    : null;
};

/** Collects the response of one exchange. */
class ProbeResponseObserver implements ExchangeObserver {
  exchange: Exchange | null = null;
  sent: Instant | null = null;
  #answered: Instant | null = null;
  #status = 0;
  #headers: Readonly<Record<string, string>> = {};
  readonly #body: Buffer[] = [];
  #kept = 0;
  readonly #giveUp: PreparedProbeRequest['giveUp'];
  readonly #ended: (reply: ProbeResponse | string) => void;

  constructor(
    giveUp: PreparedProbeRequest['giveUp'],
    ended: (reply: ProbeResponse | string) => void,
  ) {
    this.#giveUp = giveUp;
    this.#ended = ended;
  }

  onConnected(): void {}

  onSent(at: Instant): void {
    this.sent = at;
  }

  onHeaders(at: Instant, status: number, headers: Readonly<Record<string, string>>): void {
    this.#answered = at;
    this.#status = status;
    this.#headers = headers;
  }

  onChunk(_at: Instant, bytes: Uint8Array): void {
    if (this.#kept < maxBodyBytes) this.#body.push(Buffer.from(bytes));
    this.#kept += bytes.length;
    if (this.#giveUp === 'answering') this.exchange?.abort('aborted', 'aborted by the probe');
  }

  onEnd(at: Instant): void {
    this.#finish(at);
  }

  onFailure(at: Instant, cause: BrokenCause, detail: string): void {
    const isIntended = this.#giveUp !== null && cause === 'aborted' && this.sent !== null;
    // The status of a refusal with a truncated body is enough.
    if (isIntended || this.#status >= 400) this.#finish(at);
    else this.#ended(`${cause}: ${detail}`);
  }

  #finish(at: Instant): void {
    this.#ended({
      sent: this.sent ?? at,
      answered: this.#answered ?? at,
      ended: at,
      status: this.#status,
      headers: this.#headers,
      body: Buffer.concat(this.#body).toString('utf8'),
    });
  }
}

interface ProbeResponse {
  readonly sent: Instant;
  readonly answered: Instant;
  readonly ended: Instant;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const refusalIn = (
  { status, body }: ProbeResponse,
  redact: (text: string) => string,
): RefusalDetails | null => {
  if (status !== 429) return null;
  const { form, message } = readRefusal(status, { text: body, isTruncated: false }, redact);
  return { form, message, ...readRefusedLimit(message) };
};

const replyOf = (
  session: ProbeSession,
  context: ProbeRequestContext,
  question: PreparedProbeRequest,
  response: ProbeResponse,
): ProbeReply => {
  const { requestId, phase, request, key } = context;
  const { sent, answered, ended, status, headers } = response;
  const date = dateOf(headers);
  const now = date ?? session.wallZero + answered;
  const { reported, unreadable } = readReportedLimits(headers, now);
  return {
    requestId,
    phase,
    request,
    key,
    sent,
    answered,
    ended,
    status,
    told: reported,
    date,
    admitted: status !== 429,
    unreadable: unreadable.map(session.redact),
    retryAfter: readRetryAfter(headers, now)?.wait ?? null,
    refusal: refusalIn(response, session.redact),
    asked: question.asked,
    usage: status === 200 ? usageIn(response.body) : null,
  };
};

/** Sends a request with extra headers; resolves to the response, or to an error message. */
export const fetchResponse = (
  session: ProbeSession,
  request: WireRequest,
  extraHeaders: Readonly<Record<string, string>>,
  giveUp: PreparedProbeRequest['giveUp'] = null,
): Promise<ProbeResponse | string> =>
  new Promise((resolve) => {
    const { clock, transport } = session;
    const begun = clock.now();
    const stop = clock.every(pollInterval, () => {
      const isGivenUp = giveUp === 'sent' && listener.sent !== null;
      if (isGivenUp) listener.exchange?.abort('aborted', 'aborted by the probe');
      else if (clock.now() - begun > session.timeoutFor) {
        listener.exchange?.abort(
          'deadline-total',
          `no answer within ${session.timeoutFor / 1000} s`,
        );
      }
    });
    const listener = new ProbeResponseObserver(giveUp, (response) => {
      stop();
      resolve(response);
    });
    listener.exchange = transport.send(
      { ...request, headers: { ...request.headers, ...session.headers, ...extraHeaders } },
      listener,
    );
  });

/** Sends one request of a probe; resolves to its reply, or to an error message. */
const sendProbeRequest = async (
  session: ProbeSession,
  context: ProbeRequestContext,
  question: PreparedProbeRequest,
): Promise<ProbeReply | string> => {
  const extraHeaders = {
    authorization: `Bearer ${question.wrongKey ? invalidKey : context.credential}`,
    [requestIdHeader]: context.requestId,
  };
  const response = await fetchResponse(session, question.request, extraHeaders, question.giveUp);
  return typeof response === 'string' ? response : replyOf(session, context, question, response);
};

interface ProbeClientOptions {
  readonly session: ProbeSession;
  readonly sleepUntil: (moment: Instant) => Promise<void>;
  readonly models: ProbeModels;
  /** The value of each key. */
  readonly credentials: { readonly first: string; readonly second: string | null };
  /** The prefix of every request id. */
  readonly runId: string;
}

export const openProbeClient = (options: ProbeClientOptions): ProbeClient => {
  const { session, models, credentials, runId } = options;
  let serial = 0;
  return {
    now: () => session.clock.now(),
    sleepUntil: options.sleepUntil,
    ask: async (phase, request, key): Promise<ProbeReply | string | null> => {
      const prepared = probeRequestBuilders[request](models);
      const credential = credentials[key];
      if (prepared === null || credential === null) return null;
      serial += 1;
      const requestId = `${runId}-${serial}`;
      return sendProbeRequest(session, { requestId, phase, request, key, credential }, prepared);
    },
  };
};
