import { readRefusedLimit } from '../traffic/limits/refused-limit.ts';
import { readToldLimits } from '../traffic/limits/limit-profiles.ts';
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
} from '../model/exchange.ts';
import type { ProbePhase, ProbeReply, ProbeRequest, RefusalTold } from '../model/limit-log.ts';
import type { Instant } from '../model/quantity.ts';
import { readRefusal } from '../traffic/refusal.ts';
import type { Question } from './questions.ts';

/** What the requests of a probe go through. */
export interface Way {
  readonly transport: Transport;
  readonly clock: Clock;
  /** The wall clock at instant 0, in ms since 1970. */
  readonly wallZero: number;
  /** Headers beside the request's own. */
  readonly headers: Readonly<Record<string, string>>;
  readonly redact: (text: string) => string;
  /** A request is given up after so many ms. */
  readonly patience: number;
}

/** How often it is looked whether a request is to be given up, in ms. */
const lookEvery = 20;

/** Which request of a probe it is, and whose key signs it. */
export interface Errand {
  readonly requestId: string;
  readonly phase: ProbePhase;
  readonly request: ProbeRequest;
  readonly key: ProbeReply['key'];
  readonly credential: string;
}

/** More of a body than this is not looked at. */
const keptOfBody = 1024 * 1024;

/** A key that nobody has. */
const wrongKey = 'sk-weir-no-such-key';

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

/** One exchange of a probe: keeps what its response tells of limits. */
class Listener implements ExchangeObserver {
  exchange: Exchange | null = null;
  sent: Instant | null = null;
  #answered: Instant | null = null;
  #status = 0;
  #headers: Readonly<Record<string, string>> = {};
  readonly #body: Buffer[] = [];
  #kept = 0;
  readonly #giveUp: Question['giveUp'];
  readonly #ended: (reply: Heard | string) => void;

  constructor(giveUp: Question['giveUp'], ended: (reply: Heard | string) => void) {
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
    if (this.#kept < keptOfBody) this.#body.push(Buffer.from(bytes));
    this.#kept += bytes.length;
    if (this.#giveUp === 'answering') this.exchange?.abort('aborted', 'given up');
  }

  onEnd(at: Instant): void {
    this.#tell(at);
  }

  onFailure(at: Instant, cause: BrokenCause, detail: string): void {
    const isMeant = this.#giveUp !== null && cause === 'aborted' && this.sent !== null;
    // A refusal whose body broke off has said what matters.
    if (isMeant || this.#status >= 400) this.#tell(at);
    else this.#ended(`${cause}: ${detail}`);
  }

  #tell(at: Instant): void {
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

/** An answer, whole. Instants are the log's. */
export interface Heard {
  readonly sent: Instant;
  readonly answered: Instant;
  readonly ended: Instant;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const refusalIn = (
  { status, body }: Heard,
  redact: (text: string) => string,
): RefusalTold | null => {
  if (status !== 429) return null;
  const { form, message } = readRefusal(status, { text: body, cut: false }, redact);
  return { form, message, ...readRefusedLimit(message) };
};

const replyOf = (way: Way, errand: Errand, question: Question, heard: Heard): ProbeReply => {
  const { requestId, phase, request, key } = errand;
  const { sent, answered, ended, status, headers } = heard;
  const date = dateOf(headers);
  const now = date ?? way.wallZero + answered;
  const { told, unreadable } = readToldLimits(headers, now);
  return {
    ...{ requestId, phase, request, key, sent, answered, ended, status, told, date },
    admitted: status !== 429,
    unreadable: unreadable.map(way.redact),
    retryAfter: readRetryAfter(headers, now)?.wait ?? null,
    refusal: refusalIn(heard, way.redact),
    asked: question.asked,
    usage: status === 200 ? usageIn(heard.body) : null,
  };
};

/** Sends a request with its own headers and `further` ones; resolves to the answer, or to why there was none. */
export const hear = (
  way: Way,
  request: WireRequest,
  further: Readonly<Record<string, string>>,
  giveUp: Question['giveUp'] = null,
): Promise<Heard | string> =>
  new Promise((resolve) => {
    const { clock, transport } = way;
    const begun = clock.now();
    const stop = clock.every(lookEvery, () => {
      const isGivenUp = giveUp === 'sent' && listener.sent !== null;
      if (isGivenUp) listener.exchange?.abort('aborted', 'given up');
      else if (clock.now() - begun > way.patience) {
        listener.exchange?.abort('deadline-total', `no answer within ${way.patience / 1000} s`);
      }
    });
    const listener = new Listener(giveUp, (heard) => {
      stop();
      resolve(heard);
    });
    listener.exchange = transport.send(
      { ...request, headers: { ...request.headers, ...way.headers, ...further } },
      listener,
    );
  });

/** Sends one request of a probe; resolves to what its answer told, or to why there was none. */
export const ask = async (
  way: Way,
  errand: Errand,
  question: Question,
): Promise<ProbeReply | string> => {
  const further = {
    authorization: `Bearer ${question.wrongKey ? wrongKey : errand.credential}`,
    [requestIdHeader]: errand.requestId,
  };
  const heard = await hear(way, question.request, further, question.giveUp);
  return typeof heard === 'string' ? heard : replyOf(way, errand, question, heard);
};
