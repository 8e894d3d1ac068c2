import type { WireRequest } from '../../model/observation/exchange.ts';
import { type Draw, drawFrom } from '../../model/workload/draw.ts';
import { resolveMockLimits, type ResponseClass } from '../../model/gateway/mock-limits.ts';
import { type KeyLimiter, openKeyLimiter } from '../../mock/limits/key-limiter.ts';
import { type ChargedChat, noChat } from '../../mock/limits/token-rules.ts';
import { limitedAnswer } from '../../mock/limits/limited-answer.ts';
import { type SettingsInput, settingsSchema } from '../../mock/settings/settings.ts';
import { EventQueue } from './event-queue.fixture.ts';
import {
  openSimulatedNetwork,
  pausingMachine,
  type SimulatedAnswer,
  type SimulatedNetwork,
} from './simulated-network.fixture.ts';

/**
 * The mock's limiters behind a simulated network, on a clock that jumps from event to event: an
 * examination of minutes takes milliseconds. Requests take a drawn time there and back.
 */
export interface SimulatedGateway extends SimulatedNetwork {
  /** The wall clock at instant 0. */
  readonly wallZero: number;
}

export interface GatewaySimulation {
  readonly limits: NonNullable<SettingsInput['limits']>;
  readonly seed: number;
  /** The shortest and the longest round trip, in ms. */
  readonly roundTrip: readonly [least: number, most: number];
  /** Service time of an admitted request in ms, or its smallest and largest value, evenly drawn. */
  readonly service?: number | readonly [least: number, most: number];
  /** The longest pause of the gateway's machine, in ms; it pauses once a second. */
  readonly pause?: number;
  /** The smallest and the largest share of `max_tokens` that answers use, evenly drawn; all of it by default. */
  readonly answers?: readonly [least: number, most: number];
  /** Whether all keys share one limit, which violates the interface. */
  readonly isSharedLimit?: boolean;
  /** The share of chats that fail with 500 before the limiter sees them. */
  readonly failureShare?: number;
}

/** The status of a probe's request before the limiter sees it. */
const plainStatus = ({ path, headers, body }: WireRequest): number => {
  if (headers['authorization']?.includes('no-such-key') === true) return 401;
  if (path === '/no-such-path') return 404;
  const text = body === null ? '' : Buffer.from(body).toString('latin1');
  if (text.includes('no-such-model')) return 404;
  return text.includes('"temperature":9') ? 400 : 200;
};

const classByPath: Readonly<Record<string, ResponseClass>> = {
  '/models': 'models',
  '/audio/speech': 'speech',
  '/audio/transcriptions': 'transcription',
};

const classOf = ({ path, body }: WireRequest): ResponseClass => {
  const isStream = body !== null && Buffer.from(body).includes('"stream":true');
  return classByPath[path] ?? (isStream ? 'chat-stream' : 'chat');
};

/** Tokens of a chat: one for each word of the prompt, and a share of `max_tokens` for the answer. */
const tokensOf = ({ body }: WireRequest, share: number) => {
  const chat = JSON.parse(Buffer.from(body!).toString()) as {
    messages: { content: string }[];
    max_tokens: number;
    stream?: boolean;
    stream_options?: { include_usage?: boolean };
  };
  const prompt = chat.messages[0]!.content;
  const size: ChargedChat = {
    promptTokens: prompt.split(' ').length + 3,
    promptBytes: prompt.length,
    maxTokens: chat.max_tokens,
    choices: 1,
    isStream: chat.stream === true,
    asksForUsage: chat.stream_options?.include_usage === true,
  };
  return { size, output: Math.round(chat.max_tokens * share) };
};

const completion = (input: number, output: number): string =>
  JSON.stringify({
    choices: [{ index: 0, message: { role: 'assistant', content: 'a' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
  });

class GatewayModel {
  readonly #limits;
  readonly #allowances = new Map<string, KeyLimiter>();
  readonly #queue: EventQueue;
  readonly #wallZero: number;
  readonly #service: () => number;
  readonly #share: () => number;
  readonly #shared: boolean;
  readonly #seed: number;
  readonly #fails: () => boolean;

  constructor(
    queue: EventQueue,
    wallZero: number,
    {
      limits,
      seed,
      service = 5,
      answers = [1, 1],
      isSharedLimit = false,
      failureShare = 0,
    }: GatewaySimulation,
  ) {
    const draw = drawFrom(seed, 6);
    const within = ([least, most]: readonly [number, number]) =>
      least + draw.uniform() * (most - least);
    this.#seed = seed;
    this.#share = () => within(answers);
    this.#service = () => (typeof service === 'number' ? service : within(service));
    const failures = drawFrom(seed, 9);
    this.#fails = () => failures.uniform() < failureShare;
    this.#limits = resolveMockLimits(settingsSchema.parse({ limits }).limits);
    this.#queue = queue;
    this.#wallZero = wallZero;
    this.#shared = isSharedLimit;
  }

  /** Receives a request; calls `answer` once the limiter has decided. */
  receive(request: WireRequest, answer: (answer: SimulatedAnswer) => void): void {
    const limits = this.#limits;
    const route = classOf(request);
    const key = this.#shared ? 'all' : request.headers['authorization']!;
    const status = plainStatus(request);
    const isFree =
      status === 401 ||
      request.path === '/no-such-path' ||
      (limits.uncounted as readonly string[]).includes(route);
    if (status === 200 && this.#fails()) {
      answer({ status: 500, headers: {}, body: '{}' });
      return;
    }
    if (isFree) {
      answer({ status, headers: {}, body: '{}' });
      return;
    }
    const now = this.#queue.now;
    const { headers, ...admission } = this.#allowanceOf(key).admit(now);
    const shownFor = (shown: ResponseClass): Record<string, string> =>
      (limits.headersOn as readonly string[]).includes(shown) ? { ...headers } : {};
    const refuse = (stopped: Parameters<typeof limitedAnswer>[0]): void => {
      const wall = { now: () => now, wall: () => this.#wallZero + now };
      const response = limitedAnswer(stopped, limits, { key, route }, wall);
      const body = JSON.stringify(response.body);
      answer({ status: 429, headers: { ...response.headers, ...shownFor('limited') }, body });
    };
    if (!admission.admitted) {
      refuse(admission);
      return;
    }
    const isChat = request.path === '/chat/completions' && status === 200;
    const { size, output } = isChat
      ? tokensOf(request, this.#share())
      : { size: noChat, output: 0 };
    const stopped = isChat ? admission.reserve(now, size) : null;
    if (stopped !== null) {
      refuse(stopped);
      admission.end();
      return;
    }
    this.#queue.at(Math.max(now, admission.startsAt) + this.#service(), () => {
      admission.firstToken(this.#queue.now, 0);
      const use = { cachedTokens: 0, written: output, whole: output, isCut: false };
      admission.charge(this.#queue.now, use);
      admission.end();
      const body = isChat ? completion(size.promptTokens, output) : '{}';
      answer({ status, headers: shownFor(status === 200 ? route : 'refused'), body });
    });
  }

  #allowanceOf(key: string): KeyLimiter {
    const known = this.#allowances.get(key);
    if (known !== undefined) return known;
    const phase = -(this.#wallZero % this.#limits.window);
    const fresh = openKeyLimiter(this.#limits, phase, this.#seed);
    this.#allowances.set(key, fresh);
    return fresh;
  }
}

export const openSimulatedGateway = (simulation: GatewaySimulation): SimulatedGateway => {
  const queue = new EventQueue();
  const draw: Draw = drawFrom(simulation.seed, 5);
  const wallZero = Date.UTC(2026, 2, 1, 12) + Math.floor(draw.uniform() * 60_000);
  const gateway = new GatewayModel(queue, wallZero, simulation);
  const [least, most] = simulation.roundTrip;
  const network = openSimulatedNetwork({
    queue,
    travelTime: () => (least + draw.uniform() * (most - least)) / 2,
    processedAt: pausingMachine(simulation.seed, simulation.pause ?? 0),
    dateAt: (moment) => new Date(wallZero + moment).toUTCString(),
    receive: (request, answer) => gateway.receive(request, answer),
  });
  return { ...network, wallZero };
};
