import { eventText } from '../../bench/harness/chat-bytes.ts';
import { fakeSliceOptions } from '../../engine/fake-run.fixture.ts';
import { runSlice } from '../../engine/run-slice.ts';
import type { Transport } from '../../model/observation/exchange.ts';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import type { Load, Plan } from '../../model/plan/plan.ts';
import { milliseconds, perSecond } from '../../model/quantity.ts';
import { drawFrom, drawNormal } from '../../model/workload/draw.ts';
import { ledgerRecorder } from '../../record/ledger.ts';
import { blockPlan, noiseBlocks, type BlockTerms } from '../../verbs/fairness/block-plan.ts';
import { judgeFairness } from '../../verbs/fairness/judge/judge-fairness.ts';
import type { SeenArrival } from '../../verbs/fairness/model/seen-arrival.ts';
import { seenArrival } from '../../verbs/fairness/seen-arrivals.ts';
import { EventQueue, queueClock, runInTurns } from '../harness/event-queue.fixture.ts';

/** A request that waits for a worker of the server. */
interface Waiting {
  readonly key: string;
  readonly came: number;
  readonly work: number;
  /** The virtual finishing time of weighted fair queueing. */
  readonly finish: number;
  readonly begin: () => void;
}

/** How a server chooses the next request: the first, those of a key by its own workers, or by weighted fair shares. */
export interface SharedServer {
  readonly policy: 'shared' | 'per-key' | 'weighted';
  readonly workers: number;
  /** The mean time of an answer in ms; the first token comes some 40 ms after a worker begins. */
  readonly mean: number;
  readonly weights?: Readonly<Record<string, number>>;
  /** Requests of a key, or of all keys together, in each minute; more are answered 429. */
  readonly perMinute?: { readonly limit: number; readonly by: 'key' | 'all' };
}

const token = Buffer.from(eventText('{"content":" word"}', 'null'));
const ending = Buffer.from(`${eventText('{}', '"stop"')}data: [DONE]\n\n`);

const sharedTransport = (
  queue: EventQueue,
  { policy, workers, mean, weights = {}, perMinute }: SharedServer,
  seed: number,
): Transport => {
  const clock = queueClock(queue);
  const draw = drawFrom(seed, 4711);
  const waiting = new Map<string, Waiting[]>();
  const busy = new Map<string, number>();
  const finished = new Map<string, number>();
  const admitted = new Map<string, { window: number; count: number }>();
  let virtual = 0;
  /** The requests of each key wait in a queue; the policy chooses the queue whose first request is next. */
  const takeNext = (pool: string): Waiting | undefined => {
    const lines = [...waiting.values()].filter(
      ([first]) => first !== undefined && (policy !== 'per-key' || first.key === pool),
    );
    const order = policy === 'weighted' ? ('finish' as const) : ('came' as const);
    const best = lines.toSorted(([a], [b]) => a![order] - b![order])[0];
    return best?.shift();
  };
  const serve = (pool: string): void => {
    if ((busy.get(pool) ?? 0) >= workers) return;
    const chosen = takeNext(pool);
    if (chosen === undefined) return;
    virtual = Math.max(virtual, chosen.finish - chosen.work / (weights[chosen.key] ?? 1));
    busy.set(pool, (busy.get(pool) ?? 0) + 1);
    chosen.begin();
    queue.at(queue.now + chosen.work, () => {
      busy.set(pool, busy.get(pool)! - 1);
      serve(pool);
    });
  };
  const isAdmitted = (key: string): boolean => {
    if (perMinute === undefined) return true;
    const counter = perMinute.by === 'key' ? key : 'all';
    const window = Math.floor(queue.now / 60_000);
    const known = admitted.get(counter);
    const count = known?.window === window ? known.count : 0;
    if (count >= perMinute.limit) return false;
    admitted.set(counter, { window, count: count + 1 });
    return true;
  };
  return {
    send: ({ headers }, observer) => {
      const key = String(headers['authorization']).replace(/^Bearer key-/, '');
      observer.onConnected(clock.now(), 'reused');
      observer.onSent(clock.now());
      if (!isAdmitted(key)) {
        queue.at(queue.now + 1, () => {
          observer.onHeaders(clock.now(), 429, { 'content-type': 'application/json' });
          observer.onChunk(clock.now(), Buffer.from('{"error":{"message":"too many"}}'));
          observer.onEnd(clock.now());
        });
        return { abort: () => undefined };
      }
      const work = mean * -Math.log(1 - draw.uniform());
      const finish = Math.max(virtual, finished.get(key) ?? 0) + work / (weights[key] ?? 1);
      finished.set(key, finish);
      const begin = (): void => {
        observer.onHeaders(clock.now(), 200, { 'content-type': 'text/event-stream' });
        const first = queue.now + 40 * Math.exp(0.3 * drawNormal(draw));
        queue.at(first, () => observer.onChunk(clock.now(), token));
        queue.at(Math.max(first, queue.now + work), () => {
          observer.onChunk(clock.now(), ending);
          observer.onEnd(clock.now());
        });
      };
      const line = waiting.get(key) ?? [];
      waiting.set(key, line);
      line.push({ key, came: queue.now, work, finish, begin });
      serve(policy === 'per-key' ? key : 'all');
      return { abort: () => undefined };
    },
    connectAhead: () => undefined,
    notes: () => [],
    close: () => Promise.resolve(),
  };
};

/** Requests of a population: so many a second at random, or users who wait for their answers. */
export type Demand = { readonly rate: number } | { readonly users: number };

const loadOf = (demand: Demand): Load => {
  const duration = milliseconds(1000);
  if ('users' in demand)
    return {
      kind: 'closed',
      users: demand.users,
      duration,
      thinkTime: milliseconds(0),
      rampUp: milliseconds(0),
    };
  const rate = perSecond(demand.rate);
  return { kind: 'open', curve: [{ from: rate, to: rate, duration }], spacing: 'poisson' };
};

/** A plan of the populations b, which is quiet, and a, with keys of these names. */
export const neighboursPlan = (
  demands: { readonly b: Demand; readonly a: Demand },
  seed: number,
  limit: number | null = null,
): Plan => {
  const [{ traffic }] = samplePlan().stages as [Plan['stages'][number]];
  const streams = traffic.filter(({ kind }) => kind === 'chat-stream');
  const names = ['b', 'a'] as const;
  return samplePlan({
    seed,
    populations: names.map((name) => ({
      name,
      after: milliseconds(0),
      keys: [{ name, weight: 1 }],
      retry: null,
    })),
    keys: names.map((name) => ({ name, template: `\${env:${name}}`, weight: 1 })),
    stages: names.map((name, place) => ({
      name,
      population: name,
      stream: 1000 * (place + 1),
      load: loadOf(demands[name]),
      traffic: streams,
    })),
    limits: { requestsPerMinute: limit, tokensPerMinute: null, limiter: null },
    warmUp: milliseconds(0),
    grace: milliseconds(600_000),
    inFlight: 1_000_000,
    deadlines: { connect: null, firstToken: null, idle: null, total: null },
  });
};

const terms: BlockTerms = {
  quiet: 'b',
  noisy: 'a',
  times: null,
  pairs: 8,
  block: 10_000,
  settle: 3000,
};

/** Examines a server in virtual time, as the verb does. */
export const examineVirtual = async (
  server: SharedServer,
  plan: Plan,
  { maxMoved = 0.1, ...changes }: Partial<BlockTerms> & { readonly maxMoved?: number } = {},
) => {
  const used = { ...terms, ...changes };
  const blocks = noiseBlocks(used, plan.seed, 0);
  const planned = blockPlan(plan, used, blocks);
  const queue = new EventQueue();
  const arrivals: SeenArrival[] = [];
  const recorder = ledgerRecorder();
  const ledgers = recorder.restore([]);
  const running = runSlice(fakeSliceOptions(planned), {
    clock: queueClock(queue),
    transports: [sharedTransport(queue, server, plan.seed)],
    observe: (observation) => {
      arrivals.push(seenArrival(observation, planned, 'ttft'));
      recorder.record(ledgers, observation);
    },
  });
  const { loadEnded } = await runInTurns(queue, running.done);
  return judgeFairness(
    { blocks, arrivals, quiet: 'b', noisy: 'a', q: 0.95, until: loadEnded },
    { ledger: recorder.store(ledgers), plan: planned },
    {
      maxMoved,
      settle: used.settle,
      hasUsers: (name) =>
        plan.stages.some(({ population, load }) => population === name && load.kind === 'closed'),
      invalid: null,
    },
  );
};
