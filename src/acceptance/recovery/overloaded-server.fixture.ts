import { fakeSliceOptions } from '../../engine/fake-run.fixture.ts';
import { runSlice } from '../../engine/run-slice.ts';
import { openMeter, type RateLimiterKind } from '../../mock/limits/meters.ts';
import { BatchServer } from '../../mock/serving/batch-server.ts';
import type { TokenSink } from '../../mock/serving/token-schedule.ts';
import type { Batching } from '../../model/gateway/mock-latency.ts';
import type { Transport } from '../../model/observation/exchange.ts';
import type { Plan } from '../../model/plan/plan.ts';
import type { Retry } from '../../model/plan/retry.ts';
import { instant, milliseconds, perSecond } from '../../model/quantity.ts';
import { judgeRecovery } from '../../verbs/recovery/judge/judge-recovery.ts';
import type { SeenRequest } from '../../verbs/recovery/model/seen-request.ts';
import { overloadPlan, type OverloadTerms, phasesOf } from '../../verbs/recovery/overload-plan.ts';
import { seenRequest } from '../../verbs/recovery/seen-requests.ts';
import { simulatedPlan } from '../capacity/simulated-capacity.fixture.ts';
import { EventQueue, queueClock, runInTurns } from '../harness/event-queue.fixture.ts';

/** A server with continuous batching that generates on for clients that have hung up, and a limiter before it. */
export interface OverloadedServer {
  /** A limit of requests in a window of so many ms, and the wait in seconds that a 429 names; `null` for none. */
  readonly limiter: {
    readonly kind: RateLimiterKind;
    readonly limit: number;
    readonly window: number;
    readonly retryAfter: number;
  } | null;
  /** The most requests at once; more are answered 429. */
  readonly cap?: { readonly inFlight: number; readonly retryAfter: number };
  /** The most requests in a batch; 8 by default. */
  readonly batch?: number;
  /** Whether a client that hangs up is served on. */
  readonly generatesOn?: boolean;
}

/** Eight requests at once, each with a prefill of 10 ms and an eighth of seven steps of 20 ms: 27.5 ms of the server. */
const batching: Batching = {
  batch: 8,
  overhead: milliseconds(10),
  perPromptToken: milliseconds(0),
  step: milliseconds(20),
  stepPerRequest: milliseconds(0),
  stepPerThousandTokens: milliseconds(0),
  jitter: 0.05,
  tokensPerChunk: 1,
};
const steps = 8;
/** What the server completes a second at most, by hand. */
export const capacity = 1000 / (10 + (7 * 20) / 8);

const answer = Buffer.from(
  JSON.stringify({
    choices: [{ index: 0, message: { role: 'assistant', content: 'a' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 10, completion_tokens: steps, total_tokens: 10 + steps },
  }),
);
const refusal = Buffer.from('{"error":{"message":"too many","type":"None","code":"429"}}');
const json = { 'content-type': 'application/json' };

/** Without a limiter, every request waits for its turn. */
export const storm: OverloadedServer = { limiter: null };
/** At most 24 at once: nobody whom it admits waits more than 0.66 s. */
export const shedding: OverloadedServer = { limiter: null, cap: { inFlight: 24, retryAfter: 1 } };
/** 30 a second over ten seconds, refused ones included, before a server that completes 80 a second. */
export const lockingOut: OverloadedServer = {
  batch: 64,
  limiter: {
    kind: 'sliding-log-counting-refusals',
    limit: 300,
    window: 10_000,
    retryAfter: 10,
  },
};

/** One answer in the server's own log: when it was asked and when it was ready. */
interface LoggedAnswer {
  readonly asked: number;
  readonly ready: number;
}

const transportTo = (
  queue: EventQueue,
  { limiter, cap, batch = 8, generatesOn = true }: OverloadedServer,
  seed: number,
  log: LoggedAnswer[],
): Transport => {
  const clock = { now: () => queue.now, wall: () => queue.now, at: queue.at.bind(queue) };
  const server = new BatchServer({ ...batching, batch }, seed, clock);
  const meter =
    limiter === null
      ? null
      : openMeter[limiter.kind]({ ...limiter, phase: 0, burst: limiter.limit, steps: 6 });
  let inFlight = 0;
  const refusedFor = (): number | null => {
    if (cap !== undefined && inFlight >= cap.inFlight) return cap.retryAfter;
    if (meter === null || limiter === null) return null;
    if (meter.fits(queue.now, 1)) {
      meter.count(queue.now, 1);
      return null;
    }
    meter.onRefused(queue.now);
    return limiter.retryAfter;
  };
  return {
    send: (_request, observer) => {
      const now = () => instant(queue.now);
      let isOver = false;
      observer.onConnected(now(), 'reused');
      observer.onSent(now());
      const end = (status: number, headers: Record<string, string>, body: Uint8Array): void => {
        if (isOver) return;
        isOver = true;
        observer.onHeaders(now(), status, { ...json, ...headers });
        observer.onChunk(now(), body);
        observer.onEnd(now());
      };
      const wait = refusedFor();
      let leave = (): void => undefined;
      if (wait !== null) {
        queue.at(queue.now + 1, () =>
          end(429, wait === 0 ? {} : { 'retry-after': String(wait) }, refusal),
        );
      } else {
        inFlight += 1;
        const asked = queue.now;
        const emit: TokenSink['emit'] = (_from, to) => {
          if (to < steps) return;
          inFlight -= 1;
          log.push({ asked, ready: queue.now });
          end(200, {}, answer);
        };
        leave = server.serve({ promptTokens: 10, uncached: 10, steps }, { emit });
      }
      return {
        abort: (cause, detail) => {
          if (isOver) return;
          isOver = true;
          if (!generatesOn) {
            leave();
            inFlight -= 1;
          }
          observer.onFailure(now(), cause, detail);
        },
      };
    },
    connectAhead: () => undefined,
    notes: () => [],
    close: async () => undefined,
  };
};

/** So many requests a second at random, whose clients hang up after a second, and try again. */
export const calmPlan = (seed: number, rate: number, retry: Partial<Retry>): Plan => {
  const workload = { promptTokens: 10, outputTokens: steps };
  const plan = simulatedPlan({ batching, workload, seed, spacing: 'poisson' });
  const steady = { from: perSecond(rate), to: perSecond(rate), duration: milliseconds(1000) };
  return {
    ...plan,
    stages: [{ ...plan.stages[0]!, load: { kind: 'open', curve: [steady], spacing: 'poisson' } }],
    deadlines: { ...plan.deadlines, firstToken: milliseconds(1000) },
    retry: {
      attempts: 5,
      base: milliseconds(200),
      cap: milliseconds(1000),
      on: ['limited', 'server-error', 'connect', 'unanswered'],
      ...retry,
    },
  };
};

const standardTerms: OverloadTerms = {
  policies: ['none', 'retry-after', 'backoff'],
  times: 6,
  base: 30_000,
  overload: 10_000,
  watch: 60_000,
  pause: 120_000,
};

/** Examines a server in virtual time, as the verb does. */
export const recoverVirtual = async (
  server: OverloadedServer,
  plan: Plan,
  changes: Partial<OverloadTerms> = {},
) => {
  const terms = { ...standardTerms, ...changes };
  const phases = phasesOf(terms, plan.warmUp);
  const planned = overloadPlan(plan, terms, phases);
  const queue = new EventQueue();
  const requests: SeenRequest[] = [];
  const log: LoggedAnswer[] = [];
  const credentials = planned.keys.map(({ name, weight }) => ({
    name,
    weight,
    value: `key-${name}`,
  }));
  const running = runSlice(
    { ...fakeSliceOptions(planned), credentials },
    {
      clock: queueClock(queue),
      transports: [transportTo(queue, server, plan.seed, log)],
      observe: (observation) => requests.push(seenRequest(observation, planned)),
    },
  );
  const { loadEnded: seenUntil } = await runInTurns(queue, running.done);
  const found = judgeRecovery({ requests, phases, within: null, seenUntil, isInvalid: false });
  return { ...found, phases, requests, log };
};
