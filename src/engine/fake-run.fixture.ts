import { mockSettingsSchema } from '../model/gateway/mock-settings.ts';
import type { Observation } from '../model/observation/observation.ts';
import type { Load, Plan } from '../model/plan/plan.ts';
import { milliseconds, perSecond } from '../model/quantity.ts';
import { sampleTrace } from '../model/workload/sample-trace.fixture.ts';
import { fakeWorld } from './fake-world.fixture.ts';
import { runSlice } from './run-slice.ts';
import type { SliceOptions, SlicePorts } from './slice-options.ts';

const modelList = JSON.stringify({ object: 'list', data: [] });
const json = 'application/json';

/** A constant rate per second, for a duration in ms. */
export const constantLoad = (rate: number, duration: number): Load => ({
  kind: 'open',
  spacing: 'even',
  curve: [{ from: perSecond(rate), to: perSecond(rate), duration: milliseconds(duration) }],
});

/** Users without think time, who all begin at once, for a second. */
export const usersAtOnce = (count: number): Load => ({
  kind: 'closed',
  users: count,
  duration: milliseconds(1000),
  thinkTime: milliseconds(0),
  rampUp: milliseconds(0),
});

/** A plan of one stage that lists models without retries. Any field can be changed. */
export const fakePlan = (load: Load, changes: Partial<Plan> = {}): Plan => ({
  format: 'plan/1',
  name: 'test',
  description: null,
  target: { kind: 'url', url: 'http://127.0.0.1:1/v1' },
  wire: { http2: false, proxy: { kind: 'none' }, caFile: null, verifyTls: true },
  transport: 'undici',
  workers: 1,
  keys: [{ name: 'default', template: '${env:WEIR_API_KEY}', weight: 1 }],
  headers: {},
  stages: [{ name: 'main', load, traffic: [{ kind: 'models', weight: 1 }] }],
  warmUp: milliseconds(0),
  grace: milliseconds(500),
  inFlight: 100,
  deadlines: {
    connect: milliseconds(100),
    firstToken: milliseconds(200),
    idle: milliseconds(200),
    total: milliseconds(1000),
  },
  caps: { bytes: 10_000, events: 100 },
  limits: { requestsPerMinute: null, tokensPerMinute: null, limiter: null },
  retry: null,
  pace: null,
  budget: null,
  streams: 'lenient',
  objectives: [],
  perRequest: [],
  seed: 1,
  mock: mockSettingsSchema.parse({}),
  ...changes,
});

/** The options of a slice in tests. */
export const fakeSliceOptions = (plan: Plan, slice = { index: 0, count: 1 }): SliceOptions => ({
  plan,
  slice,
  runId: 'r',
  credentials: [
    { name: 'a', weight: 1, value: 'key-a' },
    { name: 'b', weight: 1, value: 'key-b' },
  ],
  targets: [{ auth: plan.auth, headers: { 'x-team': 'blue' } }],
  userAgent: 'weir/test',
  redact: (text) => text,
  clips: { clipsOf: () => [] },
  workload: {
    traceOf: () => sampleTrace,
    chatContentFor: (source, { stage, index }) => ({
      messages: [{ role: 'user', content: `${source.kind} ${stage} ${index}` }],
      maxTokens: index + 1,
    }),
  },
});

/** Starts a plan in a fake world. */
export const startFakeRun = (
  plan: Plan,
  slice = { index: 0, count: 1 },
  world = fakeWorld(),
  further: Pick<SlicePorts, 'isLeaseOver'> = {},
) => {
  const observations: Observation[] = [];
  const running = runSlice(fakeSliceOptions(plan, slice), {
    clock: world.clock,
    transports: [world.transport],
    ...further,
    observe: (observation) => observations.push(observation),
  });
  const answerAll = (): void => {
    for (const exchange of world.sent)
      if (!exchange.isFinished) exchange.answer(200, json, modelList);
  };
  return { world, running, observations, answerAll };
};
