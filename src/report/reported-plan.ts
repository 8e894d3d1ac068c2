import { type Plan, planSchema } from '../model/plan.ts';

/** Test support: the plan behind `sampleResult`. */

const secretPrompt = 'the quick brown prompt';

const chat = {
  model: 'm-large',
  conversations: [[{ role: 'user', content: secretPrompt }]],
  maxTokens: 64,
  body: { temperature: 0, tools: [] },
};

/** In micro-units for each million tokens. */
export const streamPrice = { input: 150_000, output: 600_000 } as const;

const stream = { kind: 'chat-stream', ...chat, price: streamPrice };

/** Two stages, two keys, five kinds of traffic, ten seconds of warm-up; one kind of chat has no price. */
export const reportedPlan: Plan = planSchema.parse({
  format: 'plan/1',
  name: 'quickstart',
  description: 'All five kinds of traffic against the reference gateway.',
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
        { weight: 7.2, ...stream },
        { kind: 'chat', weight: 1.8, ...chat, price: null },
        {
          kind: 'speech',
          weight: 0.5,
          model: 'm-voice',
          texts: [secretPrompt, `${secretPrompt}, again`],
          voice: 'calm.wav',
          format: 'mp3',
          speed: 1.1,
          body: {},
        },
        {
          kind: 'transcription',
          weight: 0.4,
          model: 'm-ear',
          clips: [
            { file: 'bundled', text: null },
            { file: 'interview.wav', text: secretPrompt },
          ],
          format: 'verbose_json',
          language: 'en',
          granularities: ['word'],
          oversized: false,
        },
        { kind: 'models', weight: 0.1 },
      ],
    },
    {
      name: 'peak',
      load: { kind: 'open', curve: [{ from: 20, to: 60, duration: 20_000 }], spacing: 'even' },
      traffic: [{ weight: 1, ...stream }],
    },
  ],
  warmUp: 10_000,
  grace: 30_000,
  inFlight: 150,
  deadlines: { connect: 5000, firstToken: 10_000, idle: null, total: 60_000 },
  caps: { bytes: 10_000_000, events: 100_000 },
  limits: { requestsPerMinute: 600, tokensPerMinute: 2_000_000 },
  retry: null,
  pace: null,
  streams: 'lenient',
  seed: 1,
  mock: { ttft: 150, gap: 12, limits: { requestsPerMinute: 600, tokensPerMinute: 2_000_000 } },
});
