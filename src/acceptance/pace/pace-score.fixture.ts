import { fakePlan } from '../../engine/fake-run.fixture.ts';
import { runSlice } from '../../engine/run-slice.ts';
import type { Observation } from '../../model/observation/observation.ts';
import type { Pace } from '../../model/plan/pace.ts';
import type { IterationsLoad } from '../../model/plan/plan.ts';
import { milliseconds } from '../../model/quantity.ts';
import type { Retry } from '../../model/plan/retry.ts';
import {
  type GatewaySimulation,
  openSimulatedGateway,
} from '../harness/simulated-gateway.fixture.ts';

/** The limits of the interface (section 8), at which a pace is scored. */
const minute = 60_000;
const limits = { requests: 60, tokens: 2_000_000 };

/** Chats that are all ready at once. */
export interface ChatWork {
  readonly requests: number;
  /** The values that `max_tokens` is drawn from. */
  readonly sizes: readonly number[];
  /** How long answers take, evenly drawn, in ms. */
  readonly service: readonly [least: number, most: number];
}

/** The strategy of a client. */
export interface ClientPolicy {
  readonly pace: Pace | null;
  readonly retry: Retry | null;
}

const tokenSizes = { requests: 1200, sizes: [30_000, 50_000, 70_000] };

/** Half an hour of work each, by the limit that binds; answers use half to all of `max_tokens`. */
export const chatWorkloads = {
  requests: { requests: 1800, sizes: [2000], service: [1000, 2000] },
  both: { requests: 1800, sizes: [20_000, 40_000, 73_000], service: [1000, 2000] },
  tokens: { ...tokenSizes, service: [200, 500] },
  longer: { ...tokenSizes, service: [1000, 2000] },
  longest: { ...tokenSizes, service: [300, 20_000] },
} as const satisfies Record<string, ChatWork>;

/** A client with a pace, with the defaults of a scenario. */
export const paced: ClientPolicy & { readonly pace: Pace } = {
  pace: {
    ...limits,
    window: milliseconds(minute),
    margin: milliseconds(1000),
    charged: 'ended',
  },
  retry: null,
};

/** The same, for a gateway that is known to charge tokens at admission. */
export const pacedAtAdmission: ClientPolicy = {
  ...paced,
  pace: { ...paced.pace, charged: 'sent' },
};

/** A client that retries as long as it is refused, and obeys Retry-After. */
export const backingOff: ClientPolicy = {
  pace: null,
  retry: {
    attempts: 100,
    base: milliseconds(500),
    cap: milliseconds(30_000),
    on: ['limited'],
  },
};

export interface PaceScore {
  readonly completed: number;
  readonly attempts: number;
  /** The share of the attempts that the gateway refused. */
  readonly refused: number;
  /** From the first request to the last admitted one, in ms. */
  readonly duration: number;
  /** The duration of the best possible client as a share of that. */
  readonly shareOfBest: number;
}

/** Tokens of each request, in the order in which they were wanted. */
const tokensPerRequest = (observations: readonly Observation[]): readonly number[] =>
  observations
    .toSorted((a, b) => a.index - b.index)
    .map(({ outcome }) => {
      if (outcome.kind !== 'completed' || !('tokens' in outcome.answer)) return 0;
      const { input, output } = outcome.answer.tokens;
      return (input ?? 0) + output;
    });

/**
 * The optimum, in ms: a client that knows beforehand what every answer will use and when windows
 * begin fills each window with as many requests as fit, in their order, at its very beginning.
 */
const bestTime = (tokens: readonly number[]): number => {
  let windows = 1;
  let room = { ...limits };
  for (const used of tokens) {
    if (room.requests < 1 || room.tokens < used) {
      windows += 1;
      room = { ...limits };
    }
    room = { requests: room.requests - 1, tokens: room.tokens - used };
  }
  return (windows - 1) * minute;
};

/** Poll interval in ms, fine enough for runs of hours. */
const pollEvery = 10;

const planOf = ({ requests, sizes }: ChatWork, client: ClientPolicy) => {
  const load: IterationsLoad = {
    kind: 'iterations',
    users: requests,
    iterations: requests,
    maxDuration: milliseconds(24 * 60 * minute),
    thinkTime: milliseconds(0),
  };
  const traffic = sizes.map((maxTokens) => ({
    kind: 'chat' as const,
    weight: 1,
    model: 'weir/small',
    maxTokens,
    body: {},
    price: null,
    conversations: [[{ role: 'user' as const, content: 'Say it at length.' }]],
  }));
  return fakePlan(load, {
    ...client,
    stages: [{ name: 'main', load, traffic }],
    deadlines: { connect: null, firstToken: null, idle: null, total: null },
    inFlight: requests,
  });
};

const noWorkload = (): never => {
  throw new Error('this work has its prompts in its plan');
};

/** Does the work with one key at a gateway that runs the mock's own limiter, on a clock that jumps. */
export const scorePace = async (
  work: ChatWork,
  client: ClientPolicy,
  limiter: GatewaySimulation['limits'],
): Promise<PaceScore> => {
  const { service } = work;
  const gateway = openSimulatedGateway({
    seed: 1,
    roundTrip: [20, 120],
    service,
    answers: [0.5, 1],
    limits: limiter,
  });
  const { clock, transport } = gateway;
  const observations: Observation[] = [];
  const running = runSlice(
    {
      plan: planOf(work, client),
      slice: { index: 0, count: 1 },
      runId: 'r',
      targets: [{ auth: undefined, headers: {} }],
      userAgent: 'weir/test',
      credentials: [{ name: 'main', weight: 1, value: 'sk-first' }],
      redact: (text) => text,
      clips: { clipsOf: () => [] },
      workload: { chatContentFor: noWorkload, traceOf: noWorkload },
    },
    {
      clock: {
        ...clock,
        every: (length, tick) => clock.every(Math.max(length, pollEvery), tick),
      },
      transports: [transport],
      observe: (observation) => void observations.push(observation),
    },
  );
  await gateway.run(running.done);
  const sent = observations.flatMap((each) => (each.sent === null ? [] : [each.sent]));
  const duration = Math.max(...sent) - Math.min(...sent);
  const attempts = observations.reduce((sum, { earlier }) => sum + earlier.length + 1, 0);
  const completed = observations.filter(({ outcome }) => outcome.kind === 'completed').length;
  return {
    completed,
    attempts,
    duration,
    refused: 1 - completed / attempts,
    shareOfBest: bestTime(tokensPerRequest(observations)) / duration,
  };
};
