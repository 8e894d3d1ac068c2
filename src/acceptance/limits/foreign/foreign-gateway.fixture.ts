import type { WireRequest } from '../../../model/observation/exchange.ts';
import { type Draw, drawFrom } from '../../../model/workload/draw.ts';
import { EventQueue } from '../../harness/event-queue.fixture.ts';
import {
  openSimulatedNetwork,
  pausingMachine,
  type SimulatedAnswer,
  type SimulatedNetwork,
} from '../../harness/simulated-network.fixture.ts';
import type { LimiterSetting, RuleDecision } from './foreign-limiter.fixture.ts';

/** One request as a gateway's limiter sees it. */
export interface GateRequest {
  /** In ms since 1970, by the server's clock. */
  readonly now: number;
  readonly model: string;
  /** Numbered from 0 in the order in which they were opened. */
  readonly connection: number;
}

export interface GateDecision extends RuleDecision {
  /** The status of a refusal; 429 by default. */
  readonly status?: number;
}

/** What stands before a gateway for one key: a limiter, or several, or a broken one. */
export type Gate = (request: GateRequest) => GateDecision;

export type OpenGate = (setting: LimiterSetting) => Gate;

export interface ForeignSimulation {
  readonly openGate: OpenGate;
  /** What the gateway promises; its gate may do otherwise. */
  readonly limit: number;
  /** In ms. */
  readonly window: number;
  readonly seed: number;
  /** The shortest round trip in ms, and what is added to it at most: mostly little, seldom all of it. */
  readonly roundTrip: number;
  readonly jitter: number;
  /** The shortest and longest service time of an admitted request, in ms. */
  readonly service: readonly [least: number, most: number];
  /** The longest pause of the gateway's machine, in ms; it pauses once a second. */
  readonly pause: number;
  /** How `Date` is made: when an answer is written, once a second by a timer, or not at all. */
  readonly date: 'exact' | 'timer' | 'none';
  /** Whether answers report the limit, the remaining requests and `Retry-After`. */
  readonly hasHeaders: boolean;
  /** The share of admitted requests that the model behind the gateway answers with 500. */
  readonly failureShare: number;
}

const plainStatus = ({ path, headers }: WireRequest, body: string): number => {
  if (headers['authorization']?.includes('no-such-key') === true) return 401;
  if (path === '/no-such-path' || body.includes('no-such-model')) return 404;
  return body.includes('"temperature":9') ? 400 : 200;
};

const completionOf = (body: string): string => {
  const asked = JSON.parse(body) as { messages?: { content: string }[]; max_tokens?: number };
  const input = (asked.messages?.[0]?.content.split(' ').length ?? 0) + 3;
  const output = asked.max_tokens ?? 1;
  return JSON.stringify({
    choices: [{ index: 0, message: { role: 'assistant', content: 'a' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
  });
};

const errorBody = JSON.stringify({
  error: { message: 'Too many requests', type: 'rate_limit_error', param: null, code: null },
});

const failureBody = JSON.stringify({
  error: { message: 'Internal server error', type: 'server_error', param: null, code: null },
});

class ForeignGateway {
  readonly #simulation: ForeignSimulation;
  readonly #queue: EventQueue;
  readonly #serverZero: number;
  readonly #gates = new Map<string, Gate>();
  readonly #service: Draw;

  constructor(simulation: ForeignSimulation, queue: EventQueue, serverZero: number) {
    this.#simulation = simulation;
    this.#queue = queue;
    this.#serverZero = serverZero;
    this.#service = drawFrom(simulation.seed, 22);
  }

  receive(
    request: WireRequest,
    answer: (answer: SimulatedAnswer) => void,
    connection: number,
  ): void {
    const body = request.body === null ? '' : Buffer.from(request.body).toString('latin1');
    const status = plainStatus(request, body);
    if (status === 401 || request.path === '/no-such-path') {
      answer({ status, headers: {}, body: '{}' });
      return;
    }
    const model = /"model":"(?<model>[^"]*)"/.exec(body)?.groups?.['model'] ?? '';
    const gate = this.#gateOf(request.headers['authorization'] ?? '');
    const decision = gate({ now: this.#serverZero + this.#queue.now, model, connection });
    const headers = this.#headersOf(decision);
    if (!decision.admitted) {
      answer({ status: decision.status ?? 429, headers, body: errorBody });
      return;
    }
    const [least, most] = this.#simulation.service;
    const service = least + this.#service.uniform() * (most - least);
    const isChat = request.path === '/chat/completions' && status === 200;
    this.#queue.at(this.#queue.now + decision.delay + service, () => {
      decision.onAnswered?.(this.#serverZero + this.#queue.now);
      const isFailed = this.#service.uniform() < this.#simulation.failureShare;
      if (isFailed) answer({ status: 500, headers, body: failureBody });
      else answer({ status, headers, body: isChat ? completionOf(body) : '{}' });
    });
  }

  #headersOf({ remaining, retryAfter }: GateDecision): Record<string, string> {
    const { hasHeaders, limit } = this.#simulation;
    if (!hasHeaders) return {};
    return {
      'x-ratelimit-limit-requests': `${limit}`,
      // A gate that admits more than promised would give itself away by more than the promised limit.
      ...(remaining === null
        ? {}
        : { 'x-ratelimit-remaining-requests': `${Math.min(remaining, limit)}` }),
      ...(retryAfter === null ? {} : { 'retry-after': `${Math.ceil(retryAfter / 1000)}` }),
    };
  }

  #gateOf(key: string): Gate {
    const known = this.#gates.get(key);
    if (known !== undefined) return known;
    const { seed, limit, window, openGate } = this.#simulation;
    const draw = drawFrom(seed, 21, this.#gates.size);
    const uptime = (2 + draw.uniform() * 50) * window;
    const gate = openGate({ limit, window, start: this.#serverZero - uptime, draw });
    this.#gates.set(key, gate);
    return gate;
  }
}

/** Mostly little, seldom all of `most`: the fourth power of an even draw. */
const delayWithin = (draw: Draw, most: number): number => most * draw.uniform() ** 4;

export interface SimulatedForeignGateway extends SimulatedNetwork {
  /** The client's wall clock at instant 0, in ms since 1970. */
  readonly wallZero: number;
}

/** A gateway with a limiter of others behind a simulated network. Its clock is up to two seconds off the client's. */
export const openForeignGateway = (simulation: ForeignSimulation): SimulatedForeignGateway => {
  const { seed, roundTrip, jitter, pause, date } = simulation;
  const queue = new EventQueue();
  const draw = drawFrom(seed, 20);
  const wallZero = Date.UTC(2026, 2, 1, 12) + draw.uniform() * 600_000;
  const serverZero = wallZero + (draw.uniform() - 0.5) * 4000;
  const timerPhase = draw.uniform() * 1000;
  const gateway = new ForeignGateway(simulation, queue, serverZero);
  const dateAt = (moment: number): string | null => {
    if (date === 'none') return null;
    const now = serverZero + moment;
    const read = date === 'exact' ? now : now - ((now - timerPhase) % 1000);
    return new Date(read).toUTCString();
  };
  const network = openSimulatedNetwork({
    queue,
    travelTime: () => (roundTrip + delayWithin(draw, jitter)) / 2,
    processedAt: pausingMachine(seed, pause),
    dateAt,
    receive: (request, answer, connection) => gateway.receive(request, answer, connection),
  });
  return { ...network, wallZero };
};
