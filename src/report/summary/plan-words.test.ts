import { describe, expect, it } from 'vitest';
import type { Plan } from '../../model/plan/plan.ts';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { milliseconds } from '../../model/quantity.ts';
import type { Traffic } from '../../model/workload/traffic.ts';
import { hangUpTexts, planTerms, trafficMixText } from './plan-terms.ts';

const plan = samplePlan();
const { wire } = plan;
const [stage] = plan.stages;
const chat = stage!.traffic[0] as Extract<Traffic, { kind: 'chat' }>;
const ms = milliseconds;
const termOf = (term: string, differing: Partial<Plan>): string | undefined =>
  planTerms(samplePlan(differing)).find(([name]) => name === term)?.[1];
/** What the terms say of an entry that is alone in its stage. */
const requestOf = (entry: Traffic): string | undefined =>
  termOf('steady, 100 %', { stages: [{ ...stage!, traffic: [entry] }] });

const speech = {
  kind: 'speech',
  weight: 1,
  model: 's',
  texts: ['one', 'two'],
  voice: 'calm',
  format: 'wav',
  speed: null,
  body: {},
} as const satisfies Traffic;
const transcription = {
  kind: 'transcription',
  weight: 1,
  model: 't',
  clips: [
    { file: 'a.wav', text: null },
    { file: 'a.wav', text: 'words' },
  ],
  format: 'text',
  language: null,
  granularities: ['word', 'segment'],
  oversized: true,
} as Traffic;

describe('a request in words', () => {
  const head = 'chat to publisher/model-8b: 1 prompt';
  it.each([
    [chat, `${head}, at most 16 tokens, no price`],
    [{ ...chat, maxTokens: null }, `${head}, no price`],
    [
      { ...chat, body: { a: 1, b: false, c: 'secret' } },
      `${head}, at most 16 tokens, also a 1, b false, c, no price`,
    ],
    [
      { ...chat, price: { input: 250_000, output: 1_000_000, cachedInput: 50_000, request: 2 } },
      `${head}, at most 16 tokens, priced 0.25 in and 1 out per million tokens, cachedInput 0.05, request 0.000002`,
    ],
    [speech, 'speech to s: 2 texts, in wav, voice calm'],
    [
      { ...speech, split: { characters: 200 }, speed: 2, body: { x: 1 } },
      'speech to s: 2 pieces of at most 200 characters, in order, in wav, voice calm, speed 2, also x 1',
    ],
    [
      transcription,
      'transcription to t: clips from a.wav, answers in text, language detected, word timestamps, segment timestamps, oversized files sent',
    ],
    [{ kind: 'models', weight: 1 }, 'models'],
  ] as const)('entry %# has its words', (entry, words) => {
    expect(requestOf(entry as Traffic)).toBe(words);
  });

  it.each([
    [{ kind: 'tokens', count: 1 }, 'after 1 token event'],
    [{ kind: 'tokens', count: 5 }, 'after 5 token events'],
    [{ kind: 'time', time: ms(250) }, '250 ms after sending'],
    [{ kind: 'sent' }, 'as soon as they are sent'],
    [{ kind: 'headers' }, 'with the headers of the answer'],
  ] as const)('says when the client hangs up: %j', (after, words) => {
    const entry = { ...chat, cancel: { share: 0.12345, after } };
    expect(requestOf(entry)).toBe(`${requestOf(chat)}, the client hangs up on 12.3 % ${words}`);
    const models: Traffic = { kind: 'models', weight: 1, cancel: { share: 1, after } };
    expect(requestOf(models)).toBe(`models, the client hangs up on 100 % ${words}`);
  });

  it('says once for each entry on which requests the client hangs up', () => {
    const cancel = { share: 0.5, after: { kind: 'sent' } } as const;
    const traffic: Traffic[] = [{ ...chat, cancel }, chat, { ...chat, cancel, name: 'long' }];
    expect(
      hangUpTexts({ ...plan, stages: [{ ...stage!, traffic }, stage!, { ...stage!, traffic }] }),
    ).toEqual([
      'chat: the client hangs up on 50 % as soon as they are sent.',
      'long: the client hangs up on 50 % as soon as they are sent.',
    ]);
  });

  it('says how large a part of the traffic each entry is', () => {
    const traffic: Traffic[] = [
      { ...chat, weight: 2, name: 'short' },
      { kind: 'models', weight: 1 },
    ];
    expect(trafficMixText({ ...stage!, traffic })).toBe(
      '66.7 % “short” chat (publisher/model-8b), 33.3 % models',
    );
  });
});

const retry = { attempts: 3, base: ms(500), cap: ms(30_000), on: ['limited', 'broken'] };
const retries =
  'up to 3 attempts on limited, broken; waits as long as the server says, otherwise up to 500 ms, doubling to 30 s';
const allowed = { requestsPerMinute: 60, tokensPerMinute: 2_000_000 };
const usual =
  '60 requests (by the interface) and 2,000,000 tokens (by the interface) per minute and key';
const own = { requestsPerMinute: null, tokensPerMinute: 61 };
const none = { requestsPerMinute: null, tokensPerMinute: null };
const [main, spare] = plan.keys;
const http1 = 'HTTP/1.1 by the transport undici';
const pace = { requests: 1, tokens: 5000, window: ms(60_000), margin: ms(2000), charged: 'sent' };
const openWords =
  'requests are sent when they are due, whether or not earlier answers have arrived';

describe('a term of a plan in words', () => {
  it.each([
    ['Target', {}, 'the bundled mock'],
    ['Target', { target: { kind: 'container' } }, 'the bundled mock in a container'],
    ['Target', { target: { kind: 'url', url: 'https://me:pw@host/v1' } }, 'https://host/v1'],
    ['Endpoints', {}, undefined],
    ['Limits', {}, usual],
    ['Limits', { limits: { ...own, limiter: null } }, '61 tokens per minute and key'],
    ['Limits', { limits: { ...none, limiter: null } }, 'none'],
    [
      'Limits',
      { keys: [main, { ...spare, limits: own }] },
      `${usual}; 61 tokens per minute and key for spare`,
    ],
    [
      'Limits',
      {
        keys: [
          { ...main, limits: none },
          { ...spare, limits: allowed },
        ],
      },
      `none for main; ${usual} for spare`,
    ],
    ['Warm-up', {}, '2 s'],
    ['Warm-up', { warmUp: 0 }, 'none'],
    ['Warm-up', { autoWarmUp: { earliest: 0, latest: 20_000 } }, 'found by the run, within 20 s'],
    [
      'Warm-up',
      { autoWarmUp: { earliest: 5000, latest: 20_000 } },
      'found by the run, after 5 s and within 20 s',
    ],
    ['Grace after the last arrival', {}, '10 s'],
    ['Maximum in flight', { inFlight: 1 }, '1 request'],
    ['Deadlines', {}, 'connect 5 s, first token 30 s, idle 30 s, total 2 min'],
    [
      'Deadlines',
      { deadlines: { connect: null, firstToken: null, idle: null, total: null } },
      'none',
    ],
    ['Retries', {}, 'none: a failure is an outcome'],
    ['Retries', { retry }, retries],
    ['Pace', {}, 'none: requests are sent when they are due'],
    [
      'Pace',
      { pace },
      '1 request and 5,000 tokens per key within any 60 s, and 2 s apart for the network',
    ],
    [
      'Pace',
      { pace: { ...pace, requests: null, settle: 1000 } },
      '5,000 tokens per key within any 60 s, and 2 s apart for the network; tokens are charged on admission',
    ],
    ['Budget', {}, undefined],
    ['Budget', { budget: { requests: null, tokens: null, cost: null } }, 'none'],
    [
      'Budget',
      { budget: { requests: 1, tokens: 2000, cost: 1_500_000 } },
      '1 request, 2,000 tokens, 1.500000 currency units',
    ],
    ['Connections', {}, `${http1}, direct`],
    ['Connections', { workers: 'auto' }, `${http1}, as many workers as needed, direct`],
    ['Connections', { workers: 2 }, `${http1}, 2 workers, direct`],
    [
      'Connections',
      { transport: 'socket', wire: { ...wire, proxy: { kind: 'environment' } } },
      'HTTP/1.1 by the transport socket, proxy from the environment',
    ],
    [
      'Connections',
      { wire: { ...wire, http2: true, proxy: { kind: 'url', url: 'http://u:p@proxy:1' } } },
      'HTTP/2 by the transport undici, proxy http://proxy:1',
    ],
    [
      'Connections',
      { wire: { ...wire, caFile: 'ca.pem', clientCert: 'me.pem', verifyTls: false } },
      `${http1}, direct, certificates from ca.pem, client certificate from me.pem, certificates not verified`,
    ],
    [
      'Connections',
      { wire: { ...wire, connectAhead: false, reuse: false, maxRequestsPerConnection: 5 } },
      `${http1}, direct, no connection opened ahead, a new connection for each request`,
    ],
    [
      'Connections',
      { wire: { ...wire, connectAhead: true, reuse: true, maxRequestsPerConnection: null } },
      `${http1}, direct`,
    ],
    [
      'Streams',
      { streams: 'standard' },
      'standard: a stream is complete when every choice has a finish reason, or by [DONE] if one has',
    ],
    [
      'Streams',
      { streams: 'strict' },
      'strict: without [DONE], or without a finish reason, a stream is malformed',
    ],
    ['Finish reasons that fail', {}, undefined],
    [
      'Finish reasons that fail',
      { fails: [{ finish: 'length' }, { finish: 'content_filter' }] },
      'length, content_filter',
    ],
    ['Keys', {}, 'main (${env:WEIR_API_KEY}), spare (${env:WEIR_SPARE_KEY})'],
    ['Seed', {}, '42'],
    ['Description', {}, undefined],
    ['Description', { description: 'why' }, 'why'],
  ] as const)('%s %j', (term, differing, words) => {
    expect(termOf(term, differing as unknown as Partial<Plan>)).toBe(words);
  });

  it.each([
    [stage!.load, `3/s for 25 s; open: ${openWords}`],
    [
      { kind: 'closed', users: 1, duration: ms(1000), thinkTime: ms(0), rampUp: ms(0) },
      '1 user for 1 s, ramped up in 0 s; closed: a slow gateway receives fewer requests, so latencies hide queueing',
    ],
    [
      { kind: 'iterations', users: 2, iterations: 9, thinkTime: ms(0), maxDuration: ms(1000) },
      '2 users sharing 9 requests, at most 1 s; closed: a slow gateway receives fewer requests, so latencies hide queueing',
    ],
    [
      { kind: 'saturate', connections: 4, duration: ms(1000) },
      '4 connections flat out for 1 s; closed: each connection sends the next request as soon as the answer arrives, so latencies hide queueing',
    ],
  ] as const)('a stage has its load, and what its model means', (load, words) => {
    const stages = [{ ...stage!, load }];
    expect(termOf('Stage steady', { stages })).toBe(words);
    expect(termOf('Connections', { stages })?.split(',')[0]).toBe(
      load.kind === 'saturate' ? 'HTTP/1.1 by autocannon' : http1,
    );
  });

  it('each population has a start, target, keys and retries, which the plan then does not have', () => {
    const keys = [{ name: 'main', weight: 1 }];
    const populations = [
      { name: 'a', after: ms(0), keys, retry: null },
      {
        name: 'b',
        after: ms(9000),
        keys: [...keys, { name: 'spare', weight: 1 }],
        retry,
        target: 't',
      },
    ] as Plan['populations'] & object;
    expect(termOf('Population a', { populations })).toBe(
      'from the start; key main; retries: none: a failure is an outcome',
    );
    expect(termOf('Population b', { populations })).toBe(
      `from 9 s to t; keys main, spare; retries: ${retries}`,
    );
    expect(termOf('Retries', { populations })).toBeUndefined();
  });

  it('each named target has its address and endpoints', () => {
    const paths = { '/models': '/m?key=typed' };
    const targets = [
      { name: 'a', target: plan.target, wire: { ...wire, paths }, headers: { h: '${env:H}' } },
      { name: 'b', target: { kind: 'container' } as const, wire, headers: {} },
    ];
    const terms = planTerms(samplePlan({ targets })).filter(([term]) =>
      /^(Target )?[ab]\b/.test(term),
    );
    expect(terms).toEqual([
      ['Target a', 'the bundled mock'],
      ['a, Endpoints', '/models is /m?…'],
      ['a, Connections', `${http1}, direct`],
      ['a, Header h', '${env:H}'],
      ['Target b', 'the bundled mock in a container'],
      ['b, Connections', `${http1}, direct`],
    ]);
  });
});
