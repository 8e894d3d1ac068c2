import { handPlan, constant } from '../engine/hand-run.ts';
import { runSlice } from '../engine/run-slice.ts';
import { judgeCapacity } from '../judge/capacity/judge-capacity.ts';
import { judgeSteps } from '../judge/capacity/judge-steps.ts';
import type { SearchTerms, StepOrder } from '../judge/capacity/next-step.ts';
import { asksForLatency } from '../judge/capacity/step-objectives.ts';
import { sampleSeconds, sampleSlice } from '../judge/sample-result.ts';
import { BatchServer } from '../mock/serving/batch-server.ts';
import type { Speaker } from '../mock/serving/pace.ts';
import type { CapacityAnswer, CapacityStep } from '../model/capacity.ts';
import type { Transport } from '../model/exchange.ts';
import type { Batching, Workload } from '../model/mock-latency.ts';
import type { Plan } from '../model/plan.ts';
import { instant, milliseconds, perSecond } from '../model/quantity.ts';
import type { Result } from '../model/result.ts';
import { findCapacity, type Searched } from '../probe/find-capacity.ts';
import { stepPlan } from '../probe/step-plan.ts';
import { emptyTally, record, toResult } from '../record/tally.ts';
import { Agenda, clockOn } from './agenda.ts';

/** A search against the mock’s serving model on a clock that jumps: an hour of load takes seconds. */

/** A completion of so many tokens. */
const completion = ({ promptTokens, outputTokens }: Workload): Uint8Array =>
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
const servedBy = (server: BatchServer, agenda: Agenda, workload: Workload): Transport => {
  const body = completion(workload);
  const job = {
    promptTokens: workload.promptTokens,
    uncached: workload.promptTokens,
    steps: workload.outputTokens,
  };
  return {
    send: (_request, observer) => {
      const now = () => instant(agenda.now);
      let isOver = false;
      observer.onConnected(now(), 'reused');
      observer.onSent(now());
      const emit: Speaker['emit'] = (_from, to) => {
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
    close: async () => undefined,
  };
};

/** Runs a plan to its end against the server; the generator is at its ease. */
export const runSimulated = async (plan: Plan, server: Simulated): Promise<Result> => {
  const agenda = new Agenda();
  const clock = { now: () => agenda.now, wall: () => agenda.now, at: agenda.at.bind(agenda) };
  const batch = new BatchServer(server.batching, server.seed, clock);
  const tally = emptyTally(plan);
  const progress = { isDone: false };
  const { done } = runSlice(
    {
      ...{ plan, slice: { index: 0, count: 1 }, runId: 'capacity', headers: {} },
      credentials: [{ name: 'default', weight: 1, value: 'sk-simulated' }],
      ...{ userAgent: 'weir/test', redact: (text) => text, clips: { clipsOf: () => [] } },
      workload: {
        ask: () => ({ messages: [], maxTokens: null }),
        traceOf: () => {
          throw new Error('the simulation has no traces');
        },
      },
    },
    {
      clock: clockOn(agenda),
      transport: servedBy(batch, agenda, server.workload),
      observe: (observation) => record(tally, observation),
    },
  );
  const ended = done.finally(() => {
    progress.isDone = true;
  });
  while (!progress.isDone) {
    for (let i = 0; i < 200 && agenda.step(); i += 1);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { loadEnded } = await ended;
  const seconds = Array.from({ length: Math.ceil(loadEnded / 1000) }, () => ({}));
  return toResult(tally, {
    ...{ weir: '0', runId: 'capacity', plan, planHash: '', partial: null, notes: [] },
    ...{ scheduled: milliseconds(loadEnded), witness: null, breach: undefined },
    slices: [sampleSlice(sampleSeconds(seconds))],
  });
};

/** A server to be searched, and what it is asked. */
export interface Simulated {
  readonly batching: Batching;
  readonly workload: Workload;
  readonly seed: number;
  readonly spacing?: 'even' | 'poisson';
}

const patience = milliseconds(600_000);

/** The plan of chats whose length the server knows. */
export const planFor = ({ seed, spacing = 'even' }: Simulated): Plan =>
  handPlan({ ...constant(1, 10_000), spacing } as Plan['stages'][number]['load'], {
    ...{ seed, inFlight: 100_000, grace: milliseconds(30_000) },
    deadlines: { connect: patience, firstToken: patience, idle: patience, total: patience },
    caps: { bytes: 1e6, events: 1e6 },
    stages: [
      {
        name: 'main',
        load: { ...constant(1, 10_000), spacing } as Plan['stages'][number]['load'],
        traffic: [
          {
            ...{ kind: 'chat', weight: 1, model: 'weir/small', maxTokens: null, body: {} },
            ...{ conversations: [[{ role: 'user', content: 'a' }]], price: null },
          },
        ],
      },
    ],
  });

/** Searches a simulated server for the most that it serves steadily. */
export const searchSimulated = async (
  server: Simulated,
  changes: Partial<Plan> = {},
  limits: Partial<SearchTerms> = {},
): Promise<Searched & { readonly answer: CapacityAnswer | null }> => {
  const plan = { ...planFor(server), ...changes };
  const forLatency = asksForLatency(plan);
  const terms: SearchTerms = {
    ...{ thinkTime: milliseconds(20_000), requestsPerMinute: null, tokensPerMinute: null, keys: 1 },
    ...{ start: perSecond(1), top: perSecond(1000), precision: 0.05, forLatency, samples: 0 },
    ...limits,
  };
  const take = async (order: StepOrder, number: number): Promise<CapacityStep> => {
    const result = await runSimulated(stepPlan(plan, order, number), server);
    return judgeSteps(result, () => `step ${number}`)[0]!;
  };
  const cap = { requests: 1e6, seconds: 36_000, steps: 40 };
  const searched = await findCapacity({ take, say: () => undefined }, terms, cap);
  return { ...searched, answer: judgeCapacity(searched.steps, terms, forLatency) };
};
