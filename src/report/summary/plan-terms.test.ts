import { loadText } from './workload-text.ts';
import { describe, expect, it } from 'vitest';
import { perSecond, milliseconds } from '../../model/quantity.ts';
import { redacted } from '../../model/plan/secret.ts';
import { sampleReportPlan } from '../fixtures/sample-plan.fixture.ts';
import { addressText, planTerms } from './plan-terms.ts';

const text = planTerms(sampleReportPlan)
  .map(([term, value]) => `${term}: ${value}`)
  .join('\n');

describe('the scenario as a list', () => {
  it('contains neither prompts nor values that may be secret', () => {
    expect(JSON.stringify(sampleReportPlan)).toContain('the quick brown prompt');
    expect(text).not.toContain('the quick brown prompt');
    expect(text).not.toContain('typed-in-value');
    expect(text).toContain(`Header x-tenant: ${redacted}`);
    expect(text).not.toContain('user:pass');
  });

  it('shows of a template only the references, not what was typed around them', () => {
    const plan = { ...sampleReportPlan, headers: { 'x-auth': 'half-a-secret-${env:REST}' } };
    expect(planTerms(plan)).toContainEqual(['Header x-auth', '${env:REST}']);
  });

  it('has connections and headers once, or for each target that has a name', () => {
    const termsOf = (plan: typeof sampleReportPlan): readonly string[] =>
      planTerms(plan)
        .map(([term]) => term)
        .filter((term) => /Target|Connections|Header/.test(term));
    expect(termsOf(sampleReportPlan)).toEqual(['Target', 'Connections', 'Header x-tenant']);
    const { target, wire, headers } = sampleReportPlan;
    const targets = [
      { name: 'a', target, wire, headers },
      { name: 'b', target, wire, headers: {} },
    ];
    expect(termsOf({ ...sampleReportPlan, targets })).toEqual([
      'Target a',
      'a, Connections',
      'a, Header x-tenant',
      'Target b',
      'b, Connections',
    ]);
  });

  it('shows the paths of a target only if they are its own', () => {
    expect(text).not.toContain('Endpoints');
    const paths = { '/chat/completions': '/x/chat', '/models': '/x/models?key=typed' };
    const plan = { ...sampleReportPlan, wire: { ...sampleReportPlan.wire, paths } };
    const shown = '/chat/completions is /x/chat, /models is /x/models?…';
    expect(planTerms(plan)).toContainEqual(['Endpoints', shown]);
  });

  it.each([
    ['ended', 1500, '; tokens are charged by 1.5 s after the end of their answer'],
    ['prompt-sent', 1000, '; prompts are charged on admission, answers by 1 s after their end'],
    ['sent', 1000, '; tokens are charged on admission'],
    ['ended', undefined, ' apart for the network'],
  ] as const)(
    'says when tokens are charged if that was learned: %s, %s',
    (charged, settle, ending) => {
      const pace = {
        requests: 60,
        tokens: 2e6,
        window: milliseconds(60_000),
        margin: milliseconds(1000),
      };
      const learned = settle === undefined ? {} : { settle: milliseconds(settle) };
      const plan = { ...sampleReportPlan, pace: { ...pace, charged, ...learned } };
      const [, said] = planTerms(plan).find(([term]) => term === 'Pace')!;
      expect(said.endsWith(ending), said).toBe(true);
    },
  );

  it('says how connections are used where that is set', () => {
    const { wire } = sampleReportPlan;
    const ofWire = (other: Partial<typeof wire>): string => {
      const plan = { ...sampleReportPlan, wire: { ...wire, ...other } };
      return JSON.stringify(planTerms(plan));
    };
    expect(ofWire({ reuse: false })).toContain('a new connection for each request');
    expect(ofWire({ reuse: true, maxRequestsPerConnection: 9 })).toContain(
      'at most 9 requests on a connection',
    );
  });

  it('reads naturally', () => {
    expect(text).toMatchInlineSnapshot(`
      "Name: quickstart
      Description: All five kinds of traffic against the reference gateway.
      Target: http://127.0.0.1:8080/v1
      Stage steady: 20/s for 40 s, Poisson; open: requests are sent when they are due, whether or not earlier answers have arrived
      steady, 72 %: chat-stream to m-large: 1 prompt, at most 64 tokens, also temperature 0, tools, priced 0.15 in and 0.6 out per million tokens
      steady, 18 %: chat to m-large: 1 prompt, at most 64 tokens, also temperature 0, tools, no price
      steady, 5 %: speech to m-voice: 2 texts, in mp3, voice calm.wav, speed 1.1
      steady, 4 %: transcription to m-ear: clips from bundled, interview.wav, answers in verbose_json, language en, word timestamps
      steady, 1 %: models
      Stage peak: 20/s → 60/s in 20 s; open: requests are sent when they are due, whether or not earlier answers have arrived
      peak, 100 %: chat-stream to m-large: 1 prompt, at most 64 tokens, also temperature 0, tools, priced 0.15 in and 0.6 out per million tokens
      Keys: alpha (\${env:WEIR_API_KEY}), beta (\${secret:keys/beta})
      Limits: 600 requests and 2,000,000 tokens (by the interface) per minute and key
      Warm-up: 10 s
      Grace after the last arrival: 30 s
      Maximum in flight: 150 requests
      Deadlines: connect 5 s, first token 10 s, total 60 s
      Retries: none: a failure is an outcome
      Pace: none: requests are sent when they are due
      Connections: HTTP/1.1 by the transport undici, direct
      Header x-tenant: [redacted]
      Streams: lenient: without [DONE], a stream is complete when every choice has a finish reason; with it, also without any
      Seed: 1"
    `);
  });

  it.each([
    [
      {
        kind: 'closed',
        users: 8,
        duration: milliseconds(60_000),
        thinkTime: milliseconds(500),
        rampUp: milliseconds(5000),
      },
      '8 users for 60 s, thinking 500 ms, ramped up in 5 s',
    ],
    [
      {
        kind: 'iterations',
        users: 1,
        iterations: 1000,
        maxDuration: milliseconds(600_000),
        thinkTime: milliseconds(0),
      },
      '1 user sharing 1,000 requests, at most 10 min',
    ],
    [
      {
        kind: 'open',
        curve: [{ from: perSecond(0.5), to: perSecond(0.5), duration: milliseconds(60_000) }],
        spacing: 'poisson',
      },
      '0.5/s for 60 s, Poisson',
    ],
    [
      {
        kind: 'open',
        curve: [{ from: perSecond(2), to: perSecond(2), duration: milliseconds(60_000) }],
        spacing: { gamma: 0.5 },
      },
      '2/s for 60 s, gamma of shape 0.5',
    ],
  ] as const)('a load of %j is put in words', (load, words) => {
    expect(
      loadText({ ...load, ...('curve' in load ? { curve: [...load.curve] } : {}) } as Parameters<
        typeof loadText
      >[0]),
    ).toBe(words);
  });

  it.each([
    ['https://user:pass@host/v1', 'https://host/v1'],
    ['https://host/v1/@x', 'https://host/v1/@x'],
    ['http://a@b@host:1/', 'http://host:1/'],
  ])('the address %s is shown as %s', (url, shown) => {
    expect(addressText(url)).toBe(shown);
  });
});
