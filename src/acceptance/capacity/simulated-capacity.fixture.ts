import { fakePlan, constantLoad } from '../../engine/fake-run.fixture.ts';
import { runSlice } from '../../engine/run-slice.ts';
import { judgeCapacity } from '../../verbs/capacity/judge/judge-capacity.ts';
import { judgeSteps } from '../../verbs/capacity/judge/judge-steps.ts';
import {
  defaultPrecision,
  type SearchTerms,
  type StepRequest,
} from '../../verbs/capacity/judge/next-step.ts';
import { asksForLatency } from '../../verbs/capacity/judge/step-objectives.ts';
import { sampleSeconds, sampleJudgedSlice } from '../../judge/sample-result.fixture.ts';
import { BatchServer } from '../../mock/serving/batch-server.ts';
import type { TokenSink } from '../../mock/serving/token-schedule.ts';
import type { CapacityAnswer, CapacityStep } from '../../verbs/capacity/model/capacity.ts';
import type { Transport } from '../../model/observation/exchange.ts';
import type { Batching } from '../../model/gateway/mock-latency.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { instant, milliseconds, perSecond } from '../../model/quantity.ts';
import type { Result } from '../../model/result/result.ts';
import {
  findCapacity,
  type FinishedSearch,
  type SearchBudget,
  stepPlan,
} from '../../verbs/capacity/find-capacity.ts';
import { emptyTally, recordObservation, toResult } from '../../record/tally.ts';
import { EventQueue, queueClock } from '../harness/event-queue.fixture.ts';
import type { RequestSize } from '../../mock/serving/saturation-rate.fixture.ts';

/** A search against the mock’s serving model on a clock that jumps: an hour of load takes seconds. */

/** A completion with this usage. */
const completion = ({ promptTokens, outputTokens }: RequestSize): Uint8Array =>
  Buffer.from(
    JSON.stringify({
      choices: [{ index: 0, message: { role: 'assistant', content: 'a' }, finish_reason: 'stop' }],
      usage: {
        prompt_tokens: promptTokens,
        completion_tokens: outputTokens,
        total_tokens: promptTokens + outputTokens,
      },
    }),
  );

/** A transport to a server with continuous batching, which answers every chat with the same number of tokens. */
const transportTo = (server: BatchServer, queue: EventQueue, workload: RequestSize): Transport => {
  const body = completion(workload);
  const job = {
    promptTokens: workload.promptTokens,
    uncached: workload.promptTokens,
    steps: workload.outputTokens,
  };
  return {
    send: (_request, observer) => {
      const now = () => instant(queue.now);
      let isOver = false;
      observer.onConnected(now(), 'reused');
      observer.onSent(now());
      const emit: TokenSink['emit'] = (_from, to) => {
        if (isOver || to < job.steps) return;
        isOver = true;
        observer.onHeaders(now(), 200, { 'content-type': 'application/json' });
        observer.onChunk(now(), body);
        observer.onEnd(now());
      };
      const leave = server.serve(job, { emit });
      return {
        abort: (cause, detail) => {
          if (isOver) return;
          isOver = true;
          leave();
          observer.onFailure(now(), cause, detail);
        },
      };
    },
    connectAhead: () => undefined,
    notes: () => [],
    close: async () => undefined,
  };
};

/** Runs a plan to its end against the server; the load generator is never overloaded. */
export const runOnSimulatedServer = async (
  plan: Plan,
  server: SimulatedServer,
): Promise<Result> => {
  const queue = new EventQueue();
  const clock = { now: () => queue.now, wall: () => queue.now, at: queue.at.bind(queue) };
  const batch = new BatchServer(server.batching, server.seed, clock);
  const tally = emptyTally(plan);
  const progress = { isDone: false };
  const { done } = runSlice(
    {
      plan,
      slice: { index: 0, count: 1 },
      runId: 'capacity',
      targets: [{ auth: undefined, headers: {} }],
      credentials: [{ name: 'default', weight: 1, value: 'sk-simulated' }],
      userAgent: 'weir/test',
      redact: (text) => text,
      clips: { clipsOf: () => [] },
      workload: {
        chatContentFor: () => ({ messages: [], maxTokens: null }),
        traceOf: () => {
          throw new Error('the simulation has no traces');
        },
      },
    },
    {
      clock: queueClock(queue),
      transports: [server.transport?.(queue) ?? transportTo(batch, queue, server.workload)],
      observe: (observation) => recordObservation(tally, observation),
    },
  );
  const ended = done.finally(() => {
    progress.isDone = true;
  });
  while (!progress.isDone) {
    for (let i = 0; i < 200 && queue.step(); i += 1);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { loadEnded } = await ended;
  const seconds = Array.from({ length: Math.ceil(loadEnded / 1000) }, () => ({}));
  return toResult(tally, {
    weir: '0',
    runId: 'capacity',
    plan,
    planHash: '',
    partial: null,
    notes: [],
    scheduled: milliseconds(loadEnded),
    gatewayCounters: null,
    breach: undefined,
    slices: [sampleJudgedSlice(sampleSeconds(seconds))],
  });
};

/** A server and the size of the requests that it gets. */
export interface SimulatedServer {
  readonly batching: Batching;
  readonly workload: RequestSize;
  readonly seed: number;
  readonly spacing?: 'even' | 'poisson';
  /** Answers in the place of the server with batches. */
  readonly transport?: (queue: EventQueue) => Transport;
}

const patience = milliseconds(600_000);

/** The plan of chats whose length the server knows. */
export const simulatedPlan = ({ seed, spacing = 'even' }: SimulatedServer): Plan =>
  fakePlan({ ...constantLoad(1, 10_000), spacing } as Plan['stages'][number]['load'], {
    seed,
    inFlight: 100_000,
    grace: milliseconds(30_000),
    deadlines: { connect: patience, firstToken: patience, idle: patience, total: patience },
    caps: { bytes: 1e6, events: 1e6 },
    stages: [
      {
        name: 'main',
        load: { ...constantLoad(1, 10_000), spacing } as Plan['stages'][number]['load'],
        traffic: [
          {
            kind: 'chat',
            weight: 1,
            model: 'weir/small',
            maxTokens: null,
            body: {},
            conversations: [[{ role: 'user', content: 'a' }]],
            price: null,
          },
        ],
      },
    ],
  });

/** Searches a simulated server for the most that it serves steadily. */
export const searchSimulatedCapacity = async (
  server: SimulatedServer,
  changes: Partial<Plan> = {},
  limits: Partial<SearchTerms> = {},
  budget: SearchBudget = { requests: 1e6, seconds: 36_000, steps: 40 },
): Promise<FinishedSearch & { readonly answer: CapacityAnswer | null }> => {
  const plan = { ...simulatedPlan(server), ...changes };
  const forLatency = asksForLatency(plan);
  const terms: SearchTerms = {
    thinkTime: milliseconds(20_000),
    requestsPerMinute: null,
    tokensPerMinute: null,
    keys: 1,
    start: perSecond(1),
    top: perSecond(1000),
    precision: defaultPrecision[forLatency ? 'latency' : 'flow'],
    forLatency,
    samples: 0,
    ...limits,
  };
  const runStep = async (order: StepRequest, number: number): Promise<CapacityStep> => {
    const result = await runOnSimulatedServer(stepPlan(plan, order, number), server);
    return judgeSteps(result, () => `step ${number}`)[0]!;
  };
  const searched = await findCapacity({ runStep, onStep: () => undefined }, terms, budget);
  return { ...searched, answer: judgeCapacity(searched.steps, terms, forLatency) };
};
