import { describe, expect, it } from 'vitest';
import { problemsText } from './text/scenario-problem.ts';
import { readScenario, type ScenarioSource } from './read-scenario.ts';

/** Returns the problems as users see them, one per line; empty if the text is a valid scenario. */
const problemsOf = (text: string, more: Partial<ScenarioSource> = {}): string[] => {
  const reading = readScenario({ text, name: 'f.yaml', environment: {}, ...more });
  return reading.ok ? [] : problemsText(reading.problems, 'f.yaml').split('\n');
};

const models = 'traffic: [{kind: models}]\n';
const load = 'load: {kind: constant, rate: 5/s, duration: 30s}\n';
const validText = `${models}${load}`;

describe('an empty scenario', () => {
  it.each([
    ['nothing', ''],
    ['comments only', '# nothing yet\n'],
  ])('is reported as empty with %s', (_, text) => {
    expect(problemsOf(text)).toEqual([
      'f.yaml:1:1: the scenario is empty: expected at least "traffic" and "load"; start with a copy of scenarios/quickstart.yaml',
    ]);
  });

  it('is distinguished from a list or a text', () => {
    expect(problemsOf('- kind: chat\n')).toMatchInlineSnapshot(`
      [
        "f.yaml:1:1: expected a mapping with "traffic" and "load", got a list",
      ]
    `);
    expect(problemsOf('run it\n')).toMatchInlineSnapshot(`
      [
        "f.yaml:1:1: expected a mapping with "traffic" and "load", got "run it"",
      ]
    `);
  });

  it('lacks its two parts, and both are named', () => {
    expect(problemsOf('name: x\n')).toMatchInlineSnapshot(`
      [
        "f.yaml:1:1: "load" is missing: expected one load, or several named ones under "stages"; for example load: {kind: constant, rate: 5/s, duration: 30s}",
        "f.yaml:1:1: "traffic" is missing: expected a list of the requests to send; for example traffic: [{kind: chat-stream, model: NAME}]",
      ]
    `);
  });
});

describe('all problems of a scenario', () => {
  it('are reported together, in the order of the text, each at its place', () => {
    const text = `nmae: x
traffic:
  - kind: chat
    modle: m
    weight: -1
    temperature: 3
    messages: [{role: sytem, content: 3}]
  - kind: speach
load:
  kind: constant
  rate: 5
  duration: 30
warm_up: 3s
vus: 3
inFlight: 1.5
seed: -1
streams: lenien
deadlines: {connect: 5, idle: non, total: 0s}
limits: {requestsPerMinute: many, tokensPerMinute: 0}
caps: {bytes: 25, events: 0}
wire: {http2: yes, proxy: nne, caFile: 3}
target: moc
`;
    expect(problemsOf(text)).toMatchInlineSnapshot(`
      [
        "f.yaml:1:1: unknown key "nmae"; did you mean "name"?",
        "f.yaml:4:5: "modle" is not a key of the kind "chat"; did you mean "model"?",
        "f.yaml:5:13: expected a number above 0 and at most 1,000,000, got the number -1",
        "f.yaml:6:18: expected a number from 0 to 2, got the number 3",
        "f.yaml:7:23: expected "system", "user" or "assistant", got "sytem"; did you mean "system"?",
        "f.yaml:7:39: expected text, or a list of content parts, got the number 3",
        "f.yaml:8:5: "model" is missing: expected the name of a model",
        "f.yaml:8:11: expected "chat", "chat-stream", "speech", "transcription" or "models", got "speach"; did you mean "speech"?",
        "f.yaml:11:9: expected a rate such as 20/s, 60/min or 3600/h, got the number 5; a number needs its unit: 5/s, 5/min or 5/h",
        "f.yaml:12:13: expected a length of time such as 30s, 500ms, 2m or 1h30m, got the number 30; a number needs its unit: 30s for seconds or 30ms for milliseconds",
        "f.yaml:13:1: unknown key "warm_up"; did you mean "warmUp"?",
        "f.yaml:14:1: unknown key "vus"; did you mean "users" inside "load"?",
        "f.yaml:15:11: expected a whole number from 1 to 1,000,000, got the number 1.5",
        "f.yaml:16:7: expected a whole number from 0 to 9,007,199,254,740,991, got the number -1",
        "f.yaml:17:10: expected "lenient", "standard" or "strict", got "lenien"; did you mean "lenient"?",
        "f.yaml:18:22: expected a length of time such as 30s, 500ms, 2m or 1h30m, or none, got the number 5; a number needs its unit: 5s for seconds or 5ms for milliseconds",
        "f.yaml:18:31: expected a length of time such as 30s, 500ms, 2m or 1h30m, or none, got "non"; did you mean "none"?",
        "f.yaml:18:43: expected a length of time above 0s and at most 7d, or none, got "0s"",
        "f.yaml:19:29: expected a whole number from 1 to 1,000,000,000, or none, got "many"",
        "f.yaml:19:52: expected a whole number from 1 to 1,000,000,000,000, or none, got the number 0",
        "f.yaml:20:15: expected a size such as 25 MB, 4 MiB or 512 kB, got the number 25; a number needs its unit: 25 MB or 25 MiB",
        "f.yaml:20:27: expected a whole number from 1 to 100,000,000, got the number 0",
        "f.yaml:21:15: expected true or false, got "yes"",
        "f.yaml:21:27: expected environment, none, or the address of a proxy such as http://proxy.example:3128, got "nne"; did you mean "none"?",
        "f.yaml:21:40: expected text, got the number 3",
        "f.yaml:22:9: expected mock, container, or the address of a gateway such as https://gateway.example/v1, got "moc"; did you mean "mock"?",
      ]
    `);
  });

  it('include a duplicate key as well as invalid fields', () => {
    expect(problemsOf(`${validText}seed: 1\nseed: x\n`)).toMatchInlineSnapshot(`
      [
        "f.yaml:4:1: this key is set twice in the same mapping; keep one of them",
        "f.yaml:4:7: expected a whole number from 0 to 9,007,199,254,740,991, got "x"",
      ]
    `);
  });
});

describe('a load', () => {
  const withLoad = (fields: string): string[] => problemsOf(`${models}load: ${fields}\n`);

  const faulty: readonly [string, string][] = [
    ['of an unknown kind', '{kind: constnt, rate: 5/s}'],
    ['of another tool’s kind', '{kind: constant-arrival-rate, rate: 5/s}'],
    ['without a kind', '{rate: 5/s, duration: 5s}'],
    ['that is a word', 'constant'],
    ['that is empty', ''],
    ['with another kind’s key', '{kind: closed, users: 3, duration: 5s, rate: 5/s}'],
    ['without its fields', '{kind: stairs}'],
    ['with an empty field', '{kind: constant, rate: , duration: ~}'],
    ['without requests', '{kind: ramping, steps: [{to: 0/s, over: 5s}]}'],
    ['with less than one request', '{kind: constant, rate: 1/h, duration: 30s}'],
    ['of zero rate', '{kind: constant, rate: 0/s, duration: 30s}'],
    ['of negative rate and duration', '{kind: constant, rate: -5/s, duration: -30s}'],
    ['of absurd rate and duration', '{kind: constant, rate: 1000001/s, duration: 8d}'],
    ['of too many requests', '{kind: constant, rate: 1000/s, duration: 1d}'],
    ['of too many iterations', '{kind: iterations, iterations: 10000001}'],
    ['of fractions of users', '{kind: closed, users: 1.5, duration: 5s}'],
    ['of no users', '{kind: closed, users: 0, duration: 5s}'],
    ['of more users than work', '{kind: iterations, users: 9, iterations: 5}'],
    ['of more users than may be in flight', '{kind: closed, users: 20000, duration: 5s}'],
    ['with a ramp-up beyond its end', '{kind: closed, users: 2, duration: 5s, rampUp: 6s}'],
    [
      'with stairs into the clouds',
      '{kind: stairs, from: 1/s, step: 900000/s, every: 1s, steps: 3}',
    ],
    ['with no steps', '{kind: ramping, steps: []}'],
    ['with a list of texts for steps', '{kind: ramping, steps: [5/s]}'],
  ];

  it('is refused for every kind of error', () => {
    const lines = faulty.flatMap(([name, fields]) => [`${name}:`, ...withLoad(fields)]);
    expect(lines.join('\n')).toMatchInlineSnapshot(`
      "of an unknown kind:
      f.yaml:2:1: "duration" is missing: expected a length of time such as 30s, 500ms, 2m or 1h30m
      f.yaml:2:14: expected "constant", "poisson", "gamma", "ramping", "stairs", "closed", "iterations", "saturate" or "trace", got "constnt"; did you mean "constant"?
      of another tool’s kind:
      f.yaml:2:1: "duration" is missing: expected a length of time such as 30s, 500ms, 2m or 1h30m
      f.yaml:2:14: expected "constant", "poisson", "gamma", "ramping", "stairs", "closed", "iterations", "saturate" or "trace", got "constant-arrival-rate"; did you mean "constant"?
      without a kind:
      f.yaml:2:1: "kind" is missing: expected "constant", "poisson", "gamma", "ramping", "stairs", "closed", "iterations", "saturate" or "trace"
      that is a word:
      f.yaml:2:7: expected a mapping with a "kind", for example {kind: constant, rate: 5/s, duration: 30s}, got "constant"
      that is empty:
      f.yaml:2:1: expected a mapping with a "kind", for example {kind: constant, rate: 5/s, duration: 30s}, got nothing
      with another kind’s key:
      f.yaml:2:46: "rate" is not a key of the kind "closed"; it belongs to "constant", "poisson" or "gamma"
      without its fields:
      f.yaml:2:1: "from" is missing: expected a rate such as 20/s, 60/min or 3600/h
      f.yaml:2:1: "step" is missing: expected a rate such as 20/s, 60/min or 3600/h
      f.yaml:2:1: "every" is missing: expected a length of time such as 30s, 500ms, 2m or 1h30m
      f.yaml:2:1: "steps" is missing: expected a whole number from 1 to 1,000
      with an empty field:
      f.yaml:2:24: expected a rate such as 20/s, 60/min or 3600/h, got nothing
      f.yaml:2:42: expected a length of time such as 30s, 500ms, 2m or 1h30m, got nothing
      without requests:
      f.yaml:2:7: this load makes no request at all; raise its rate or its duration
      with less than one request:
      f.yaml:2:7: this load makes less than one request (0.008); raise its rate or its duration
      of zero rate:
      f.yaml:2:30: expected a rate above 0/s and at most 1000000/s, got "0/s"
      of negative rate and duration:
      f.yaml:2:30: expected a rate above 0/s and at most 1000000/s, got "-5/s"
      f.yaml:2:46: expected a length of time above 0s and at most 7d, got "-30s"
      of absurd rate and duration:
      f.yaml:2:30: expected a rate above 0/s and at most 1000000/s, got "1000001/s"
      f.yaml:2:51: expected a length of time above 0s and at most 7d, got "8d"
      of too many requests:
      f.yaml:2:1: the run would make 86,400,000 requests; expected at most 10,000,000; lower a rate or a duration
      of too many iterations:
      f.yaml:2:38: expected a whole number from 1 to 10,000,000, got the number 10000001
      of fractions of users:
      f.yaml:2:29: expected a whole number from 1 to 100,000, got the number 1.5
      of no users:
      f.yaml:2:29: expected a whole number from 1 to 100,000, got the number 0
      of more users than work:
      f.yaml:2:33: expected at most as many users as iterations (5), got the number 9
      of more users than may be in flight:
      f.yaml:2:29: 20,000 users are more than "inFlight" allows (10,000); lower the users or raise "inFlight"
      with a ramp-up beyond its end:
      f.yaml:2:54: expected a ramp-up that is no longer than "duration", got "6s"
      with stairs into the clouds:
      f.yaml:2:67: expected stairs that end at 1000000/s or below, got the number 3
      with no steps:
      f.yaml:2:30: expected at least one step
      with a list of texts for steps:
      f.yaml:2:31: expected a step such as {to: 10/s, over: 30s}, got "5/s""
    `);
  });

  it.each(faulty)('%s has at least one problem', (_, fields) => {
    expect(withLoad(fields)).not.toEqual([]);
  });
});

describe('stages', () => {
  const one = '{kind: constant, rate: 1/s, duration: 5s}';

  it('replace a load and cannot be combined with one', () => {
    expect(problemsOf(`${validText}stages:\n  - {name: a, load: ${one}}\n`)).toMatchInlineSnapshot(`
      [
        "f.yaml:3:1: a scenario has either "load" or "stages", and this one has both; keep one of them",
      ]
    `);
  });

  it('have different names, including those of stairs', () => {
    const stairs = '{kind: stairs, from: 1/s, step: 1/s, every: 5s, steps: 2}';
    const text = `${models}stages:
  - {name: a, load: ${one}}
  - {name: a 2/s, load: ${one}}
  - {name: a, load: ${stairs}}
  - {name: a, load: ${one}}
`;
    expect(problemsOf(text)).toMatchInlineSnapshot(`
      [
        "f.yaml:5:12: stage names must differ; "a 2/s" is used twice",
        "f.yaml:6:12: stage names must differ; "a" is used twice",
      ]
    `);
  });

  it('have iterations only at the end', () => {
    const text = `${models}stages:
  - {name: a, load: {kind: iterations, iterations: 5}}
  - {name: b, load: ${one}}
  - {name: c, load: {kind: iterations, iterations: 5}}
`;
    expect(problemsOf(text)).toMatchInlineSnapshot(`
      [
        "f.yaml:3:28: a load of the kind "iterations" must be the last stage, because nobody knows in advance when it ends; move the stage to the end, or use the kind "closed", which has a duration",
      ]
    `);
  });

  it('need traffic, their own or the scenario’s', () => {
    const own = 'traffic: [{kind: models}]';
    const stages = (second: string) =>
      `stages:\n  - {name: a, load: ${one}, ${own}}\n  - {name: b, load: ${one}${second}}\n`;
    expect(problemsOf(stages(`, ${own}`))).toEqual([]);
    expect(problemsOf(stages(''))).toMatchInlineSnapshot(`
      [
        "f.yaml:1:1: "traffic" is missing: expected a list of the requests to send; for example traffic: [{kind: chat-stream, model: NAME}]",
      ]
    `);
  });

  it('together stay within the limits of a run', () => {
    const stage = (name: string, fields: string) => `  - {name: ${name}, load: {${fields}}}\n`;
    const long = 'kind: closed, users: 1, duration: 4d';
    const many = 'kind: constant, rate: 1000/s, duration: 2h';
    expect(problemsOf(`${models}stages:\n${stage('a', long)}${stage('b', long)}`))
      .toMatchInlineSnapshot(`
      [
        "f.yaml:2:1: the run would last 8d; expected at most 7d",
      ]
    `);
    expect(problemsOf(`${models}stages:\n${stage('a', many)}${stage('b', many)}`))
      .toMatchInlineSnapshot(`
      [
        "f.yaml:2:1: the run would make 14,400,000 requests; expected at most 10,000,000; lower a rate or a duration",
      ]
    `);
  });

  it('are checked one by one if another is invalid', () => {
    const text = `${models}stages:
  - {name: a, load: {kind: constant, rate: 0/s}}
  - {name: b, load: {kind: constant, rate: 1/h, duration: 5s}, trafic: []}
  - {load: ${one}}
`;
    expect(problemsOf(text)).toMatchInlineSnapshot(`
      [
        "f.yaml:3:15: "duration" is missing: expected a length of time such as 30s, 500ms, 2m or 1h30m",
        "f.yaml:3:44: expected a rate above 0/s and at most 1000000/s, got "0/s"",
        "f.yaml:4:21: this load makes less than one request (0.001); raise its rate or its duration",
        "f.yaml:4:64: unknown key "trafic"; did you mean "traffic"?",
        "f.yaml:5:5: "name" is missing: expected text",
      ]
    `);
  });
});

describe('a warm-up', () => {
  it('leaves a part of the run to measure', () => {
    expect(problemsOf(`${validText}warmUp: 29s\n`)).toEqual([]);
    expect(problemsOf(`${validText}warmUp: 30s\n`)).toMatchInlineSnapshot(`
      [
        "f.yaml:3:9: the warm-up leaves nothing to measure: the load lasts 30s; shorten the warm-up or lengthen the load",
      ]
    `);
  });
});

describe('a warm-up that the run finds', () => {
  const problemsWith = (kind: string): string[] =>
    problemsOf(`${models}load: ${kind}\nwarmUp: auto\n`);

  it('needs one load that becomes constant, for at least 20 s', () => {
    const constant = [
      '{kind: poisson, rate: 5/s, duration: 20s}',
      '{kind: closed, users: 5, rampUp: 10s, duration: 30s}',
      '{kind: ramping, from: 1/s, steps: [{to: 5/s, over: 10s}, {to: 5/s, over: 30s}]}',
      '{kind: saturate, connections: 2, duration: 20s}',
    ];
    for (const each of constant) expect([each, problemsWith(each)]).toEqual([each, []]);
    const short = [
      '{kind: poisson, rate: 5/s, duration: 19s}',
      '{kind: closed, users: 5, rampUp: 11s, duration: 30s}',
    ];
    for (const each of short)
      expect(problemsWith(each)).toEqual([
        'f.yaml:3:9: "warmUp: auto" needs at least 20s of constant load; lengthen the load, or give the warm-up a duration',
      ]);
    const changing = [
      '{kind: ramping, from: 1/s, steps: [{to: 5/s, over: 60s}]}',
      '{kind: stairs, from: 1/s, step: 1/s, every: 30s, steps: 2}',
      '{kind: iterations, users: 1, iterations: 100}',
    ];
    for (const each of changing)
      expect(problemsWith(each)).toEqual([
        'f.yaml:3:9: "warmUp: auto" needs one load that stays the same or becomes constant: what changes with the load is no warm-up; give the warm-up a duration',
      ]);
  });

  it('is a duration or auto', () => {
    expect(problemsOf(`${validText}warmUp: Auto\n`)).toMatchInlineSnapshot(`
      [
        "f.yaml:3:9: expected "auto", or a length of time such as 30s, 500ms, 2m or 1h30m, got "Auto"; did you mean "auto"?",
      ]
    `);
  });
});

describe('a traffic entry', () => {
  const withEntry = (fields: string): string[] =>
    problemsOf(`traffic:\n  - {kind: chat, model: m, ${fields}}\n${load}`);

  it('has one source of its question', () => {
    expect(withEntry('prompt: a, prompts: [b], messages: [{role: user, content: c}]'))
      .toMatchInlineSnapshot(`
        [
          "f.yaml:2:39: "prompt" already says what to ask; keep one of them",
          "f.yaml:2:53: "prompt" already says what to ask; keep one of them",
        ]
      `);
  });

  it('cannot set what Weir writes, nor anything twice', () => {
    expect(withEntry('maxTokens: 5, topP: 1, body: {stream: true, max_tokens: 5, top_p: 1}'))
      .toMatchInlineSnapshot(`
        [
          "f.yaml:2:58: Weir sets the request field "stream" itself; leave it out",
          "f.yaml:2:72: "maxTokens" already sets this field; keep one of them",
          "f.yaml:2:87: "topP" already sets this field; keep one of them",
        ]
      `);
    expect(problemsOf(`body: {messages: [], model: m}\n${validText}`)).toMatchInlineSnapshot(`
      [
        "f.yaml:1:8: Weir sets the request field "messages" itself; leave it out",
        "f.yaml:1:22: Weir sets the request field "model" itself; leave it out",
      ]
    `);
  });

  it('has one system message', () => {
    expect(withEntry('system: s, messages: [{role: system, content: c}]')).toMatchInlineSnapshot(`
      [
        "f.yaml:2:28: a conversation of this entry already begins with a system message; keep one of them",
      ]
    `);
  });

  it('has no empty values, and none that JSON cannot represent', () => {
    expect(withEntry('prompts: []')).toMatchInlineSnapshot(`
      [
        "f.yaml:2:37: expected at least one prompt",
      ]
    `);
    expect(withEntry('prompt: ""')).toMatchInlineSnapshot(`
      [
        "f.yaml:2:36: expected text that is not empty, got """,
      ]
    `);
    expect(withEntry('conversations: [[]]')).toMatchInlineSnapshot(`
      [
        "f.yaml:2:44: expected at least one message",
      ]
    `);
    expect(withEntry('body: {deep: [1, .nan]}')).toMatchInlineSnapshot(`
      [
        "f.yaml:2:45: expected a value that JSON can hold, got the number NaN",
      ]
    `);
    expect(problemsOf(`traffic: []\n${load}`)).toMatchInlineSnapshot(`
      [
        "f.yaml:1:10: expected at least one traffic entry",
      ]
    `);
    expect(problemsOf(`traffic: chat\n${load}`)).toMatchInlineSnapshot(`
      [
        "f.yaml:1:10: expected a list of traffic entries, each with a "kind", got "chat"",
      ]
    `);
    expect(problemsOf(`traffic: [chat]\n${load}`)).toMatchInlineSnapshot(`
      [
        "f.yaml:1:11: expected a mapping with a "kind", for example {kind: chat, model: NAME}, got "chat"",
      ]
    `);
  });
});

describe('a target', () => {
  const withTarget = (target: string): string[] =>
    problemsOf(`${validText}target: ${target}\n`, { environment: { WEIR_API_KEY: 'k' } });

  it.each([
    'http://127.0.0.1:8000/v1',
    'https://gateway.example',
    'https://g.example/v1/',
    'http://[::1]:1/x/v2',
    'https://g.example/openai/deployments/gpt/?api-version=2024-10-21&region=west',
  ])('may be %s', (target) => {
    expect(withTarget(`"${target}"`)).toEqual([]);
  });

  const faulty = [
    'moc',
    'gateway.example/v1',
    'ftp://gateway.example/v1',
    'https://me:hunter22@gateway.example/v1',
    'https://gateway.example/v1?key=1',
    'https://gateway.example/v1?a=1&X-Signature=1',
    'https://gateway.example/v1#part',
    'https://gateway.example/v1/chat/completions/',
    'https://',
    'http://127.0.0.1:99999/v1',
    'http://me:hunter22/x@127.0.0.1/v1',
    'http://a%zz/v1',
    '8000',
    '""',
    '[mock]',
  ];

  it('is refused if it is not a base address', () => {
    expect(faulty.flatMap(withTarget).join('\n')).toMatchInlineSnapshot(`
      "f.yaml:3:9: expected mock, container, or the address of a gateway such as https://gateway.example/v1, got "moc"; did you mean "mock"?
      f.yaml:3:9: expected mock, container, or the address of a gateway such as https://gateway.example/v1, got "gateway.example/v1"; an address must begin with http:// or https://
      f.yaml:3:9: expected mock, container, or the address of a gateway such as https://gateway.example/v1, got "ftp://gateway.example/v1"; an address must begin with http:// or https://
      f.yaml:3:9: expected mock, container, or the address of a gateway such as https://gateway.example/v1, got an address with a user name or password in it; an address must not contain a user name or password
      f.yaml:3:9: expected mock, container, or the address of a gateway such as https://gateway.example/v1, got "https://gateway.example/v1?…"; a key must not be in an address, which reports show: use "keys", with "auth" for another header
      f.yaml:3:9: expected mock, container, or the address of a gateway such as https://gateway.example/v1, got "https://gateway.example/v1?…"; a key must not be in an address, which reports show: use "keys", with "auth" for another header
      f.yaml:3:9: expected mock, container, or the address of a gateway such as https://gateway.example/v1, got "https://gateway.example/v1#part"; an address must not contain #
      f.yaml:3:9: expected mock, container, or the address of a gateway such as https://gateway.example/v1, got "https://gateway.example/v1/chat/completi…"; write the base address, without /chat/completions at its end
      f.yaml:3:9: expected mock, container, or the address of a gateway such as https://gateway.example/v1, got "https://"; the host name after // is missing
      f.yaml:3:9: expected mock, container, or the address of a gateway such as https://gateway.example/v1, got "http://127.0.0.1:99999/v1"; its port is invalid: expected a number from 1 to 65535, got 99999
      f.yaml:3:9: expected mock, container, or the address of a gateway such as https://gateway.example/v1, got an address with a user name or password in it; its port is invalid: expected a number from 1 to 65535
      f.yaml:3:9: expected mock, container, or the address of a gateway such as https://gateway.example/v1, got "http://a%zz/v1"; the text after // is not a host name
      f.yaml:3:9: expected mock, container, or the address of a gateway such as https://gateway.example/v1, got the number 8000
      f.yaml:3:9: expected mock, container, or the address of a gateway such as https://gateway.example/v1, got ""
      f.yaml:3:9: expected mock, container, or the address of a gateway such as https://gateway.example/v1, got a list"
    `);
  });

  it.each(faulty)('%s is refused, without repeating its password', (target) => {
    expect(withTarget(target).join()).toMatch(/^f\.yaml:3:9: /);
    expect(withTarget(target).join()).not.toContain('hunter22');
  });
});
