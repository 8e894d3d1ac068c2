import { drawFrom } from '../model/draw.ts';
import type { Observation, Outcome } from '../model/observation.ts';
import { type Plan, planSchema } from '../model/plan.ts';
import { instant } from '../model/quantity.ts';

/** Test support: the plan and the observations behind `sampleResult`. */

/** What a hostile server would like a report to run, on a screen or in a page. */
export const hostileText =
  '</script><img src=x onerror=alert(1)>\u001b[2J\u202e"quoted" & \'single\' <b>bold</b>';

const secretPrompt = 'the quick brown prompt';

const chat = {
  model: 'm-large',
  conversations: [[{ role: 'user', content: secretPrompt }]],
  maxTokens: 64,
  body: { temperature: 0, tools: [] },
};

/** Two stages, two keys, three kinds of traffic, ten seconds of warm-up. */
export const reportedPlan: Plan = planSchema.parse({
  format: 'plan/1',
  name: 'quickstart',
  description: 'Chat and streams against the reference gateway.',
  target: { kind: 'url', url: 'http://user:pass@127.0.0.1:8080/v1' },
  wire: { http2: false, proxy: { kind: 'none' }, caFile: null, verifyTls: true },
  keys: [
    { name: 'alpha', template: '${env:WEIR_API_KEY}', weight: 2 },
    { name: 'beta', template: '${secret:keys/beta}', weight: 1 },
  ],
  headers: { 'x-tenant': 'typed-in-value' },
  stages: [
    {
      name: 'steady',
      load: { kind: 'open', curve: [{ from: 20, to: 20, duration: 40_000 }], spacing: 'poisson' },
      traffic: [
        { kind: 'chat-stream', weight: 8, ...chat },
        { kind: 'chat', weight: 2, ...chat },
        { kind: 'models', weight: 0.2 },
      ],
    },
    {
      name: 'peak',
      load: { kind: 'open', curve: [{ from: 20, to: 60, duration: 20_000 }], spacing: 'even' },
      traffic: [{ kind: 'chat-stream', weight: 1, ...chat }],
    },
  ],
  warmUp: 10_000,
  grace: 30_000,
  inFlight: 150,
  deadlines: { connect: 5000, firstToken: 10_000, idle: null, total: 60_000 },
  caps: { bytes: 10_000_000, events: 100_000 },
  limits: { requestsPerMinute: 600, tokensPerMinute: 2_000_000 },
  streams: 'lenient',
  seed: 1,
  mock: { ttft: 150, gap: 12, limits: { requestsPerMinute: 600, tokensPerMinute: 2_000_000 } },
});

type Draw = ReturnType<typeof drawFrom>;

const exponential = (draw: Draw, mean: number): number => -mean * Math.log(1 - draw.uniform());

const stream = (draw: Draw, sent: number, load: number): Outcome => {
  const first = sent + 140 + exponential(draw, 40 + 260 * load) + (draw.uniform() < 0.02 ? 900 : 0);
  const count = 24 + Math.floor(draw.uniform() * 32);
  const instants = new Float64Array(count);
  let at = first;
  for (let i = 0; i < count; i += 1) {
    instants[i] = at;
    at += 9 + exponential(draw, 4 + 5 * load) + (draw.uniform() < 0.004 ? 180 : 0);
  }
  return {
    kind: 'completed',
    answer: {
      kind: 'chat-stream',
      firstByte: instant(first - 8),
      firstEvent: instant(first - 6),
      firstToken: instant(first),
      firstVisible: instant(first),
      lastToken: instant(instants[count - 1]!),
      tokenInstants: instants,
      commentInstants: new Float64Array(0),
      coalesced: draw.uniform() < 0.05 ? 1 : 0,
      tokens: { input: 48, output: count + 2, source: 'usage' },
      firstChunkTokens: null,
      finish: 'stop',
      buffered: draw.uniform() < 0.003,
      notes: [],
    },
  };
};

const refusal = (status: number, code: string, message: string) => ({
  status,
  form: 'error' as const,
  type: null,
  code,
  message,
});

const failing = (draw: Draw, index: number): Outcome | null => {
  const chance = draw.uniform();
  if (chance < 0.006) {
    return {
      kind: 'refused',
      refusal: refusal(500, 'server_error', `worker ${index} failed: ${hostileText}`),
    };
  }
  if (chance < 0.011) {
    return {
      kind: 'malformed',
      issue: 'stream-error',
      detail: `an error event after ${index % 40} tokens: CUDA out of memory`,
      partial: null,
    };
  }
  if (chance < 0.014) {
    return { kind: 'broken', cause: 'reset', detail: 'the connection was reset', partial: null };
  }
  return null;
};

const whole = (draw: Draw, kind: 'chat' | 'models', sent: number): Outcome =>
  kind === 'models'
    ? { kind: 'completed', answer: { kind, firstByte: instant(sent + 4), models: 17 } }
    : {
        kind: 'completed',
        answer: {
          kind,
          firstByte: instant(sent + 400),
          tokens: { input: 48, output: 30 + Math.floor(draw.uniform() * 20), source: 'usage' },
          finish: 'stop',
        },
      };

const endOf = (
  draw: Draw,
  sent: number,
  outcome: Outcome,
  traffic: Observation['traffic'],
): number => {
  if (outcome.kind !== 'completed') {
    return (
      sent + (outcome.kind === 'limited' ? 6 + exponential(draw, 4) : 40 + 700 * draw.uniform())
    );
  }
  if (outcome.answer.kind === 'chat-stream') return (outcome.answer.lastToken ?? sent) + 1;
  return sent + (traffic === 'models' ? 5 + exponential(draw, 3) : 500 + exponential(draw, 220));
};

const limited: Outcome = {
  kind: 'limited',
  refusal: refusal(
    429,
    'rate_limit_exceeded',
    'Rate limit exceeded for api_key: 3fa85f. Limit type: requests. Current limit: 600, Remaining: 0.',
  ),
  retryAfter: '60',
};

const dueAt = (index: number): number => {
  if (index < 800) return index * 50 + drawFrom(1, index).uniform() * 40;
  // The area under a ramp from 20/s to 60/s: n = 20 t + t².
  return 40_000 + (Math.sqrt(100 + (index - 800)) - 10) * 1000;
};

/** What an arrival is before anything became of it. */
const setting = (index: number) => {
  const due = dueAt(index);
  const stage = due < 40_000 ? 0 : 1;
  const mix = ['chat-stream', 'chat-stream', 'chat-stream', 'chat', 'chat-stream'] as const;
  const early = index % 67 === 0 ? ('models' as const) : mix[index % 5]!;
  return {
    due,
    stage,
    traffic: stage === 1 ? ('chat-stream' as const) : early,
    key: index % 3 === 0 ? 'beta' : 'alpha',
    load: Math.max(0, (due - 40_000) / 20_000),
  };
};

const outcomeOf = (draw: Draw, index: number, used: number, sent: number): Outcome => {
  const { stage, traffic, load } = setting(index);
  if (stage === 1 && load > 0.9 && draw.uniform() < 0.2) {
    return { kind: 'dropped', cause: 'saturated' };
  }
  if (used > 600) return limited;
  const failure = failing(draw, index);
  if (failure !== null) return failure;
  return traffic === 'chat-stream' ? stream(draw, sent, load) : whole(draw, traffic, sent);
};

const statusOf = (outcome: Outcome): number =>
  'refusal' in outcome ? outcome.refusal.status : 200;

const exchangeOf = (index: number, used: number, begun: number) => {
  const draw = drawFrom(4, index);
  const sent = begun + 0.1;
  const outcome = outcomeOf(draw, index, used, sent);
  if (outcome.kind === 'dropped') {
    const ended = instant(begun);
    return { outcome, connected: null, connection: null, sent: null, head: null, ended };
  }
  const ended = instant(endOf(draw, sent, outcome, setting(index).traffic));
  const at = instant(Math.min(ended, sent + 30));
  const told = { at, status: statusOf(outcome), quota: quota(used), serverId: `srv-${index}` };
  return {
    outcome,
    connected: instant(begun + 0.05),
    connection: index < 30 ? ('new' as const) : ('reused' as const),
    sent: instant(sent),
    head: outcome.kind === 'broken' ? null : told,
    ended,
  };
};

const observationAt = (index: number, spent: Map<string, number>): Observation => {
  const { due, stage, traffic, key } = setting(index);
  const used = (spent.get(key) ?? 0) + 1;
  spent.set(key, used);
  const begun = due + 0.05 + exponential(drawFrom(2, index), 0.2);
  return {
    requestId: `req-${String(index).padStart(5, '0')}`,
    stage,
    index,
    traffic,
    model: traffic === 'models' ? null : 'm-large',
    key,
    due: instant(due),
    released: instant(due),
    begun: instant(begun),
    ...exchangeOf(index, used, begun),
  };
};

const quota = (used: number) => ({
  limitRequests: 600,
  remainingRequests: Math.max(0, 600 - used),
  limitTokens: 2_000_000,
  remainingTokens: Math.max(0, 2_000_000 - used * 110),
});

/** About 1,600 arrivals in due order. */
export const sampleObservations = (): readonly Observation[] => {
  const spent = new Map<string, number>();
  return Array.from({ length: 1600 }, (_, index) => observationAt(index, spent));
};
