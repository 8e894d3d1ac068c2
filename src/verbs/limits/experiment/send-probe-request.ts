import { readUsage } from '../../../traffic/answer/read-usage.ts';
import { jsonIn } from '../../../traffic/answer/json-text.ts';
import { readRefusedLimit, readRetryAfter } from '../../../traffic/limits/retry-after.ts';
import { dateOf } from '../../../traffic/limits/wait-text.ts';
import { readReportedLimits } from '../../../traffic/limits/read-limit-headers.ts';
import { usageSchema } from '../../../contract/chat.ts';
import { requestIdHeader } from '../../../contract/routes.ts';
import type { Clock } from '../../../model/clock.ts';
import type {
  Exchange,
  ExchangeObserver,
  Transport,
  WireRequest,
} from '../../../model/observation/exchange.ts';
import type { ProbeReply, RefusalDetails } from '../../../model/limits/limit-log.ts';
import type { Instant } from '../../../model/quantity.ts';
import { readRefusal } from '../../../traffic/answer/read-refusal.ts';
import {
  type PreparedProbeRequest,
  probeRequestBuilders,
  type ProbeModels,
} from './probe-requests.ts';
import type { ProbeClient } from './chat-sender.ts';
import { keysInTurn, limitsOfTeam } from './keys-in-turn.ts';

export interface ProbeSession {
  readonly transport: Transport;
  readonly clock: Clock;
  /** The wall-clock time at instant 0, in ms since 1970. */
  readonly wallZero: number;
  /** Returns the headers of the next request. Templates in the scenario's headers are filled anew for each request. */
  readonly nextHeaders: () => Readonly<Record<string, string>>;
  readonly keyHeader: (key: string) => Readonly<Record<string, string>>;
  readonly redact: (text: string) => string;
  /** How long an answer may take, in ms. */
  readonly timeoutFor: number;
}

/** The interval between checks for aborts, in ms. */
const pollInterval = 20;
/**
 * The largest number of bytes of a body that are kept. The limit is high, since the usage comes at the end of a long
 * stream.
 */
const maxBodyBytes = 8 * 1024 * 1024;
const invalidKey = 'sk-weir-no-such-key';
const countsSchema = usageSchema.pick({ prompt_tokens: true, completion_tokens: true });

const usageIn = (body: string): ProbeReply['usage'] => {
  const usage = (jsonIn(body) as { usage?: unknown } | null | undefined)?.usage;
  const { data } = countsSchema.safeParse(usage);
  if (data === undefined) return null;
  const cached = readUsage({ usage })?.classes.cached ?? 0;
  return {
    input: data.prompt_tokens,
    output: data.completion_tokens,
    ...(cached > 0 ? { cached } : {}),
  };
};

/** Returns whether a body contains an error and no answer. */
const holdsError = (body: string): boolean => {
  const { error, choices } =
    (jsonIn(body) as { error?: unknown; choices?: unknown } | null | undefined) ?? {};
  return (error ?? null) !== null && (choices ?? null) === null;
};

/** Describes the status of a failed chat, as a part of a sentence. */
export const failedStatusText = (status: number): string =>
  status === 404
    ? 'status 404, which an unknown address or model (`--model`) has'
    : `status ${status}`;

export interface ProbeResponse extends Pick<ProbeReply, 'sent' | 'answered' | 'ended' | 'status'> {
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

export const replyOf = (
  session: ProbeSession,
  request: Pick<ProbeReply, 'requestId' | 'phase' | 'request' | 'key'>,
  asked: ProbeReply['asked'],
  response: ProbeResponse,
): ProbeReply => {
  const { sent, answered, ended, status, headers } = response;
  const date = dateOf(headers);
  const now = date ?? session.wallZero + answered;
  const { reported, unreadable } = readReportedLimits(headers, now);
  return {
    ...request,
    sent,
    answered,
    ended,
    status,
    told: reported,
    date,
    admitted: status !== 429,
    ...(status >= 200 && status < 300 && holdsError(response.body) ? { holdsError: true } : {}),
    unreadable: unreadable.map(session.redact),
    retryAfter: readRetryAfter(headers, now)?.wait ?? null,
    refusal: refusalIn(response, session.redact),
    asked,
    usage: status === 200 ? usageIn(response.body) : null,
  };
};

/** Sends a request with extra headers. Resolves with the response, or with an error message. */
export const fetchResponse = (
  { clock, transport, timeoutFor, nextHeaders }: ProbeSession,
  request: WireRequest,
  extraHeaders: Readonly<Record<string, string>>,
  giveUp: PreparedProbeRequest['giveUp'] = null,
): Promise<ProbeResponse | string> =>
  new Promise((resolve) => {
    let exchange: Exchange | null = null;
    let sent: Instant | null = null;
    let head: Pick<ProbeResponse, 'answered' | 'status' | 'headers'> | null = null;
    const body: Buffer[] = [];
    let bodyBytes = 0;
    const abandon = (): void => exchange?.abort('aborted', 'aborted by the probe');
    const begun = clock.now();
    const stop = clock.every(pollInterval, () => {
      if (giveUp === 'sent' && sent !== null) abandon();
      else if (clock.now() - begun > timeoutFor)
        exchange?.abort('deadline-total', `no answer within ${timeoutFor / 1000} s`);
    });
    const end = (response: ProbeResponse | string): void => {
      stop();
      resolve(response);
    };
    const finish = (at: Instant): void => {
      const unanswered = { answered: at, status: 0, headers: {} };
      const text = Buffer.concat(body).toString('utf8');
      end({ sent: sent ?? at, ended: at, ...(head ?? unanswered), body: text });
    };
    const observer: ExchangeObserver = {
      onConnected: () => {},
      onReconnect: () => {},
      onSent: (at) => {
        sent = at;
      },
      onHeaders: (answered, status, received) => {
        head = { answered, status, headers: received };
      },
      onChunk: (_, bytes) => {
        if (bodyBytes < maxBodyBytes) body.push(Buffer.from(bytes));
        bodyBytes += bytes.length;
        if (giveUp === 'answering') abandon();
      },
      onEnd: finish,
      onFailure: (at, cause, detail) => {
        const isIntended = giveUp !== null && cause === 'aborted' && sent !== null;
        // The status of a refusal is enough, even if the body is truncated.
        if (isIntended || (head?.status ?? 0) >= 400) finish(at);
        else end(`${cause}: ${detail}`);
      },
    };
    const sentHeaders = { ...request.headers, ...nextHeaders(), ...extraHeaders };
    exchange = transport.send({ ...request, headers: sentHeaders }, observer);
  });

interface ProbeClientOptions {
  readonly session: ProbeSession;
  readonly sleepUntil: (moment: Instant) => Promise<void>;
  readonly models: ProbeModels;
  readonly credentials: { readonly first: string; readonly second: string | null };
  /** Another key of the same team, which takes turns with the first key; absent if the limit of one key is examined. */
  readonly team?: string;
  readonly runId: string;
}

export const openProbeClient = (options: ProbeClientOptions): ProbeClient => {
  const { session, sleepUntil, models, credentials, team, runId } = options;
  const nextKey = keysInTurn(credentials.first, team);
  let serial = 0;
  return {
    now: () => session.clock.now(),
    sleepUntil,
    ask: async (phase, request, key) => {
      const prepared = probeRequestBuilders[request](models);
      const credential = key === 'first' ? nextKey() : credentials.second;
      if (prepared === null || credential === null) return null;
      serial += 1;
      const requestId = `${runId}-${serial}`;
      const { request: wireRequest, asked, giveUp, wrongKey } = prepared;
      const authorization = session.keyHeader(wrongKey ? invalidKey : credential);
      const extraHeaders = { ...authorization, [requestIdHeader]: requestId };
      const response = await fetchResponse(session, wireRequest, extraHeaders, giveUp);
      if (typeof response === 'string') return response;
      const reply = replyOf(session, { requestId, phase, request, key }, asked, response);
      return team === undefined ? reply : limitsOfTeam(reply);
    },
  };
};
