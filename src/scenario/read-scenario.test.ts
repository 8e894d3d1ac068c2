import { describe, expect, it } from 'vitest';
import type { Plan } from '../model/plan/plan.ts';
import { planSchema } from '../model/plan/plan.ts';
import { problemsText } from './text/scenario-problem.ts';
import { readScenario, type ScenarioSource } from './read-scenario.ts';

const planOf = (text: string, more: Partial<ScenarioSource> = {}): Plan => {
  const reading = readScenario({ text, name: 'some/where/first.yaml', environment: {}, ...more });
  if (!reading.ok) throw new Error(problemsText(reading.problems, 'first.yaml'));
  expect(planSchema.parse(reading.plan)).toEqual(reading.plan);
  return reading.plan;
};

const load = 'load: {kind: constant, rate: 5/s, duration: 30s}\n';
const models = 'traffic: [{kind: models}]\n';
const minimal = `${models}${load}`;

const chatOf = (fields: string) => planOf(`traffic: [{kind: chat, model: m, ${fields}}]\n${load}`);

const conversationsOf = (plan: Plan) => {
  const entry = plan.stages[0]?.traffic[0];
  return entry !== undefined && 'conversations' in entry ? entry.conversations : null;
};

const bodyOf = (plan: Plan) => {
  const entry = plan.stages[0]?.traffic[0];
  return entry !== undefined && 'body' in entry ? entry.body : null;
};

describe('a scenario', () => {
  it.each(['chat', 'chat-stream', 'speech', 'transcription'])('may name an entry of %s', (kind) => {
    const { stages } = planOf(`traffic: [{kind: ${kind}, model: m, name: one}]\n${load}`);
    expect(stages[0]!.traffic).toMatchObject([{ kind, name: 'one' }]);
  });

  it('with two lines has all defaults', () => {
    expect(planOf(minimal)).toMatchInlineSnapshot(`
      {
        "budget": null,
        "canary": true,
        "caps": {
          "bytes": 67108864,
          "events": 500000,
        },
        "deadlines": {
          "connect": 10000,
          "firstToken": 60000,
          "idle": 60000,
          "total": 600000,
        },
        "description": null,
        "format": "plan/1",
        "grace": 30000,
        "headers": {},
        "inFlight": 10000,
        "keys": [
          {
            "name": "default",
            "template": "\${env:WEIR_API_KEY}",
            "weight": 1,
          },
        ],
        "limits": {
          "limiter": null,
          "requestsPerMinute": 60,
          "tokensPerMinute": 2000000,
        },
        "mock": {
          "contextTokens": 131072,
          "credits": {
            "balance": null,
            "ledger": 10000,
          },
          "faultHeader": true,
          "faults": [],
          "gap": 20,
          "hangUps": "stop",
          "latency": "fixed",
          "limits": {
            "burstShare": 0.16666666666666666,
            "hiddenRequests": 0,
            "inFlight": null,
            "profile": "spec",
            "requestsPerMinute": 60,
            "steps": 6,
            "tokensPerMinute": 2000000,
            "window": 60000,
            "workers": 1,
          },
          "metrics": true,
          "models": [
            "weir/small",
            "weir/large",
          ],
          "outputTokens": {
            "max": 96,
            "min": 32,
          },
          "prices": {},
          "promptCache": {
            "keeps": null,
            "tokens": 6400000,
          },
          "sendStamps": false,
          "speech": {
            "base": 150,
            "model": "weir-tts",
            "perCharacter": 4,
            "voices": [
              "Abigail.wav",
              "Adrian.wav",
              "Alexander.wav",
              "Alice.wav",
              "Austin.wav",
              "Axel.wav",
              "Connor.wav",
              "Cora.wav",
              "Elena.wav",
              "Eli.wav",
              "Emily.wav",
              "Everett.wav",
              "Gabriel.wav",
              "Gianna.wav",
              "Henry.wav",
              "Ian.wav",
              "Jade.wav",
              "Jeremiah.wav",
              "Jordan.wav",
              "Julian.wav",
              "Layla.wav",
              "Leonardo.wav",
              "Michael.wav",
              "Miles.wav",
              "Olivia.wav",
              "Ryan.wav",
              "Taylor.wav",
              "Thomas.wav",
            ],
          },
          "transcription": {
            "base": 100,
            "model": "weir/whisper",
            "perSecond": 25,
          },
          "ttft": 200,
          "uploadTooLarge": 413,
        },
        "name": "first",
        "objectives": [],
        "pace": null,
        "perRequest": [],
        "retry": null,
        "seed": 1,
        "stages": [
          {
            "load": {
              "curve": [
                {
                  "duration": 30000,
                  "from": 5,
                  "to": 5,
                },
              ],
              "kind": "open",
              "spacing": "even",
            },
            "name": "main",
            "traffic": [
              {
                "kind": "models",
                "weight": 1,
              },
            ],
          },
        ],
        "streams": "standard",
        "target": {
          "kind": "mock",
        },
        "transport": "socket",
        "warmUp": 0,
        "wire": {
          "caFile": null,
          "connectAhead": true,
          "http2": false,
          "maxRequestsPerConnection": null,
          "proxy": {
            "kind": "environment",
          },
          "reuse": true,
          "verifyTls": true,
        },
        "workers": 1,
      }
    `);
  });

  it('in JSON means the same as in YAML', () => {
    const json = JSON.stringify({
      $schema: './schema.json',
      traffic: [{ kind: 'models' }],
      load: { kind: 'constant', rate: '5/s', duration: '30s' },
    });
    expect(planOf(json)).toEqual(planOf(minimal));
  });

  it('is named after its file unless it has a name', () => {
    expect(planOf(minimal).name).toBe('first');
    expect(planOf(minimal, { name: '.yaml' }).name).toBe('.yaml');
    expect(planOf(`name: mine\n${minimal}`).name).toBe('mine');
  });

  it('can declare with one word that it has no limits', () => {
    const limits = { requestsPerMinute: null, tokensPerMinute: null, limiter: null };
    expect(planOf(`${minimal}limits: none\n`).limits).toEqual(limits);
    expect(planOf(minimal, { overrides: ['limits=none'] }).limits).toEqual(limits);
  });

  it('passes all fields of its file to the plan', () => {
    const text = `
name: all
description: everything said
target: https://gateway.example/v1/
keys:
  - {name: a, key: '\${env:KEY_A}'}
  - {name: b, key: '\${secret:keys/b}', weight: 3}
headers: {X-Team: 'load \${env:TEAM}'}
traffic: [{kind: models, weight: 2}]
stages:
  - {name: one, load: {kind: poisson, rate: 60/min, duration: 1m}}
  - {name: two, load: {kind: stairs, from: 1/s, step: 1/s, every: 10s, steps: 2}}
  - {name: three, load: {kind: closed, users: 2, duration: 5s, thinkTime: 1s, rampUp: 2s}}
  - {name: four, load: {kind: iterations, users: 2, iterations: 9, maxDuration: 1m}}
warmUp: 5s
grace: 0s
inFlight: 50
deadlines: {connect: 1s, firstToken: none, idle: 2s, total: none}
caps: {bytes: 1 MB, events: 10}
limits: {requestsPerMinute: none, tokensPerMinute: 5}
pace: {requests: 30/min, tokens: none, window: 10s}
budget: {requests: 9, tokens: 8, cost: 0.07}
retry: {attempts: 4, base: 100ms, cap: 2s, on: [limited, unanswered]}
streams: strict
seed: 0
wire: {http2: true, proxy: 'http://proxy.example:3128', caFile: ca.pem, verifyTls: false, connectAhead: false, maxRequestsPerConnection: 7}
mock: {ttft: 1ms, gap: 0s, limits: {requestsPerMinute: 5, tokensPerMinute: none}}
`;
    const plan = planOf(text, { environment: { KEY_A: 'k', TEAM: 't' } });
    const { stages, ...rest } = plan;
    const lines = [...Object.entries(rest), ...stages.map((stage) => ['stage', stage] as const)];
    expect(lines.map(([key, value]) => `${key}: ${JSON.stringify(value)}`).join('\n'))
      .toMatchInlineSnapshot(`
        "format: "plan/1"
        name: "all"
        description: "everything said"
        target: {"kind":"url","url":"https://gateway.example/v1"}
        wire: {"http2":true,"proxy":{"kind":"url","url":"http://proxy.example:3128"},"caFile":"ca.pem","verifyTls":false,"connectAhead":false,"reuse":true,"maxRequestsPerConnection":7}
        transport: "undici"
        workers: 1
        canary: true
        keys: [{"name":"a","template":"\${env:KEY_A}","weight":1},{"name":"b","template":"\${secret:keys/b}","weight":3}]
        headers: {"x-team":"load \${env:TEAM}"}
        warmUp: 5000
        grace: 0
        inFlight: 50
        deadlines: {"connect":1000,"firstToken":null,"idle":2000,"total":null}
        caps: {"bytes":1000000,"events":10}
        limits: {"requestsPerMinute":null,"tokensPerMinute":5,"limiter":null}
        retry: {"attempts":4,"base":100,"cap":2000,"on":["limited","unanswered"]}
        pace: {"requests":5,"tokens":null,"window":10000,"margin":166.66666666666666,"charged":"ended"}
        budget: {"requests":9,"tokens":8,"cost":70000}
        streams: "strict"
        objectives: []
        perRequest: []
        seed: 0
        mock: {"models":["weir/small","weir/large"],"contextTokens":131072,"ttft":1,"gap":0,"latency":"fixed","outputTokens":{"min":32,"max":96},"promptCache":{"keeps":null,"tokens":6400000},"speech":{"model":"weir-tts","voices":["Abigail.wav","Adrian.wav","Alexander.wav","Alice.wav","Austin.wav","Axel.wav","Connor.wav","Cora.wav","Elena.wav","Eli.wav","Emily.wav","Everett.wav","Gabriel.wav","Gianna.wav","Henry.wav","Ian.wav","Jade.wav","Jeremiah.wav","Jordan.wav","Julian.wav","Layla.wav","Leonardo.wav","Michael.wav","Miles.wav","Olivia.wav","Ryan.wav","Taylor.wav","Thomas.wav"],"base":150,"perCharacter":4},"transcription":{"model":"weir/whisper","base":100,"perSecond":25},"prices":{},"limits":{"requestsPerMinute":5,"tokensPerMinute":null,"inFlight":null,"window":60000,"profile":"spec","burstShare":0.16666666666666666,"steps":6,"workers":1,"hiddenRequests":0},"credits":{"balance":null,"ledger":10000},"faults":[],"hangUps":"stop","faultHeader":true,"metrics":true,"sendStamps":false,"uploadTooLarge":413}
        stage: {"name":"one","load":{"kind":"open","curve":[{"from":1,"to":1,"duration":60000}],"spacing":"poisson"},"traffic":[{"kind":"models","weight":2}]}
        stage: {"name":"two 1/s","load":{"kind":"open","curve":[{"from":1,"to":1,"duration":10000}],"spacing":"even"},"traffic":[{"kind":"models","weight":2}]}
        stage: {"name":"two 2/s","load":{"kind":"open","curve":[{"from":2,"to":2,"duration":10000}],"spacing":"even"},"traffic":[{"kind":"models","weight":2}]}
        stage: {"name":"three","load":{"kind":"closed","users":2,"duration":5000,"thinkTime":1000,"rampUp":2000},"traffic":[{"kind":"models","weight":2}]}
        stage: {"name":"four","load":{"kind":"iterations","users":2,"iterations":9,"maxDuration":60000,"thinkTime":0},"traffic":[{"kind":"models","weight":2}]}"
      `);
  });

  it('asks a short default question if it has none', () => {
    expect(conversationsOf(chatOf('weight: 1'))).toEqual([
      [{ role: 'user', content: expect.stringContaining('weir') as string }],
    ]);
  });

  it('turns prompts and messages into conversations, with the system message first', () => {
    const user = (content: string) => ({ role: 'user', content });
    expect(conversationsOf(chatOf('prompt: a'))).toEqual([[user('a')]]);
    expect(conversationsOf(chatOf('prompts: [a, b], system: s'))).toEqual([
      [{ role: 'system', content: 's' }, user('a')],
      [{ role: 'system', content: 's' }, user('b')],
    ]);
    expect(conversationsOf(chatOf('messages: [{role: user, content: a}]'))).toEqual([[user('a')]]);
    expect(
      conversationsOf(chatOf('system: s, conversations: [[{role: user, content: a}]]')),
    ).toEqual([[{ role: 'system', content: 's' }, user('a')]]);
  });

  it('combines named fields and bodies, the entry’s own before the common one', () => {
    const common = 'body: {top_k: 1, temperature: 1, max_tokens: 5, nested: {a: [1, null]}}\n';
    const entry = 'temperature: 0.5, topP: 0.9, maxTokens: 9, body: {top_k: 2}';
    const plan = planOf(`${common}traffic: [{kind: chat, model: m, ${entry}}]\n${load}`);
    expect(bodyOf(plan)).toEqual({
      top_k: 2,
      temperature: 0.5,
      top_p: 0.9,
      nested: { a: [1, null] },
    });
    expect(plan.stages[0]?.traffic[0]).toMatchObject({ maxTokens: 9 });
  });

  it('allows a stage to have its own traffic', () => {
    const own = 'traffic: [{kind: chat, model: m}]';
    const { stages } = planOf(
      `${models}stages: [{name: a, ${load.trim()}}, {name: b, ${load.trim()}, ${own}}]`,
    );
    expect(stages.map(({ traffic }) => traffic.map(({ kind }) => kind))).toEqual([
      ['models'],
      ['chat'],
    ]);
  });

  it('may reuse its parts with YAML anchors', () => {
    const text = `${models}stages:\n  - {name: a, load: &l {kind: constant, rate: 1/s, duration: 5s}}\n  - {name: b, load: {<<: *l, rate: 2/s}}\n`;
    const { stages } = planOf(text);
    expect(stages.map(({ load: { kind, ...rest } }) => [kind, rest])).toEqual([
      ['open', { curve: [{ from: 1, to: 1, duration: 5000 }], spacing: 'even' }],
      ['open', { curve: [{ from: 2, to: 2, duration: 5000 }], spacing: 'even' }],
    ]);
  });
});

describe('the environment', () => {
  it('is substituted for ${env:…} everywhere except in keys and headers', () => {
    const text =
      'name: "run ${env:WHO}-${env:N}"\nkeys: ${env:K}\nheaders: {x-who: "${env:WHO}"}\ntarget: ${env:URL}\n';
    const environment = { WHO: 'me', N: '3', K: 'secret', URL: 'http://127.0.0.1:8000/v1' };
    const plan = planOf(`${text}${minimal}`, { environment });
    expect(plan.name).toBe('run me-3');
    expect(plan.target).toEqual({ kind: 'url', url: 'http://127.0.0.1:8000/v1' });
    expect(plan.keys).toEqual([{ name: 'default', template: '${env:K}', weight: 1 }]);
    expect(plan.headers).toEqual({ 'x-who': '${env:WHO}' });
    expect(JSON.stringify(plan)).not.toContain('secret');
  });

  it('gives numbers, words and text, as the field expects, quoted or not', () => {
    const text = `seed: \${env:N}\ninFlight: "\${env:N}"\nwire: {http2: "\${env:YES}"}\nlimits: {requestsPerMinute: "\${env:N}", tokensPerMinute: "\${env:NONE}"}\nname: \${env:N}\nbody:\n  bare: \${env:N}\n  quoted: "\${env:N}"\ntraffic: [{kind: chat, model: "\${env:N}"}]\n${load}`;
    const plan = planOf(text, { environment: { N: '10', YES: 'true', NONE: 'none' } });
    expect(plan).toMatchObject({
      seed: 10,
      inFlight: 10,
      wire: { http2: true },
      limits: { requestsPerMinute: 10, tokensPerMinute: null },
      name: '10',
    });
    expect(plan.stages[0]?.traffic[0]).toMatchObject({
      model: '10',
      body: { bare: 10, quoted: '10' },
    });
  });

  it('does not need a key for the reference gateway', () => {
    const key = 'keys: ${env:NOT_SET}\n';
    expect(planOf(`${key}${minimal}`).keys[0]?.template).toBe('${env:NOT_SET}');
    expect(planOf(`target: container\n${minimal}`).keys[0]?.template).toBe('${env:WEIR_API_KEY}');
  });
});

describe('an option next to a file', () => {
  it('--target takes precedence over the file', () => {
    const text = `target: \${env:NOT_SET}\n${minimal}`;
    expect(planOf(text, { target: 'mock' }).target).toEqual({ kind: 'mock' });
    const environment = { WEIR_API_KEY: 'k' };
    const address = 'http://127.0.0.1:8000/v1///';
    expect(planOf(minimal, { target: address, environment }).target).toEqual({
      kind: 'url',
      url: 'http://127.0.0.1:8000/v1',
    });
  });

  it('--set replaces and adds values, in order', () => {
    const overrides = [
      'load.rate=1/s',
      'load.rate=10/s',
      'seed=7',
      'name=two words: three',
      'wire.http2=true',
      'traffic[0].weight=2.5',
      'traffic.1={kind: chat, model: m}',
      'traffic.1.prompts=["a", b]',
      'traffic.2.kind=models',
      'headers.x-version="1"',
      'description=${env:WHO}',
    ];
    const plan = planOf(minimal, { overrides, environment: { WHO: 'me' } });
    expect(plan).toMatchObject({
      seed: 7,
      name: 'two words: three',
      description: 'me',
      wire: { http2: true },
      headers: { 'x-version': '1' },
    });
    expect(plan.stages[0]).toMatchObject({
      load: { curve: [{ from: 10 }] },
      traffic: [
        { kind: 'models', weight: 2.5 },
        {
          kind: 'chat',
          conversations: [[{ role: 'user', content: 'a' }], [{ role: 'user', content: 'b' }]],
        },
        { kind: 'models', weight: 1 },
      ],
    });
  });

  it('--set creates lists and mappings that do not exist yet', () => {
    const overrides = [
      'traffic.0.kind=models',
      'load.kind=constant',
      'load.rate=1/s',
      'load.duration=5s',
    ];
    expect(planOf('name: bare\n', { overrides }).stages).toHaveLength(1);
  });
});
