import { mockSettingsSchema } from '../gateway/mock-settings.ts';
import type { Plan } from './plan.ts';
import { milliseconds, perSecond } from '../quantity.ts';

const second = (seconds: number) => milliseconds(seconds * 1000);

/** A small valid plan for tests: 3/s for 25 s of chat and streamed chat with two keys. Any field can be overridden. */
export const samplePlan = (differing: Partial<Plan> = {}): Plan => ({
  format: 'plan/1',
  name: 'sample',
  description: null,
  target: { kind: 'mock' },
  wire: { http2: false, proxy: { kind: 'none' }, caFile: null, verifyTls: true },
  transport: 'undici',
  workers: 1,
  keys: [
    { name: 'main', template: '${env:WEIR_API_KEY}', weight: 1 },
    { name: 'spare', template: '${env:WEIR_SPARE_KEY}', weight: 1 },
  ],
  headers: {},
  stages: [
    {
      name: 'steady',
      load: {
        kind: 'open',
        curve: [{ from: perSecond(3), to: perSecond(3), duration: second(25) }],
        spacing: 'even',
      },
      traffic: (['chat', 'chat-stream'] as const).map((kind) => ({
        kind,
        weight: 1,
        model: 'publisher/model-8b',
        conversations: [[{ role: 'user' as const, content: 'Say yes.' }]],
        maxTokens: 16,
        body: {},
        price: null,
      })),
    },
  ],
  warmUp: second(2),
  grace: second(10),
  inFlight: 100,
  deadlines: { connect: second(5), firstToken: second(30), idle: second(30), total: second(120) },
  caps: { bytes: 10_000_000, events: 100_000 },
  limits: { requestsPerMinute: 60, tokensPerMinute: 2_000_000, limiter: null },
  retry: null,
  pace: null,
  budget: null,
  streams: 'lenient',
  objectives: [],
  perRequest: [],
  seed: 42,
  mock: mockSettingsSchema.parse({ ttft: 100 }),
  ...differing,
});
