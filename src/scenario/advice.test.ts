import { describe, expect, it } from 'vitest';
import { readScenario, type ScenarioSource } from './read-scenario.ts';
import { numberAdvice, perMinuteAdvice } from './schema/fields.ts';
import { durationNotation, plainNumberIn, rateNotation, respelt } from './schema/notation.ts';
import { problemsText } from './text/scenario-problem.ts';

const models = 'traffic: [{kind: models}]\n';
const load = 'load: {kind: constant, rate: 5/s, duration: 30s}\n';
const problemsOf = (text: string, more: Partial<ScenarioSource> = {}): readonly string[] => {
  const reading = readScenario({ text, name: 'f', environment: {}, ...more });
  return reading.ok ? [] : problemsText(reading.problems, 'f').split('\n');
};
const withLoad = (text: string) => problemsOf(`${models}load: {kind: constant, ${text}}\n`);

describe('a number in another spelling', () => {
  it.each([
    ['1:30', '1m30s'],
    ['01:00:05', '1h5s'],
    ['00:02:00', '2m'],
    ['PT30S', '30s'],
    ['5 min', '5m'],
    ['1,000ms', '1000ms'],
    ['1h30', '1h30m'],
    ['2 fortnights', null],
  ])('%s is the duration %s', (text, right) => {
    expect(respelt(text, durationNotation.read)).toBe(right);
  });

  it.each([
    ['10rps', '10/s'],
    ['10/2s', '5/s'],
    ['1/4s', '0.25/s'],
    ['5/1s', '5/s'],
    ['5,5/s', '5.5/s'],
    ['1_000/s', '1000/s'],
    ['1k/s', '1000/s'],
    ['2e3/s', '2000/s'],
    ['60 rpm', '60/min'],
    ['7 per hour', '7/h'],
    ['many/s', null],
  ])('%s is the rate %s', (text, right) => {
    expect(respelt(text, rateNotation.read)).toBe(right);
  });

  it.each([
    ['2M', 2_000_000],
    ['1.5k', 1500],
    ['$5', 5],
    ['5€', 5],
    ['50%', 50],
    ['60/min', 60],
    ['100 tokens', 100],
    ['3 vus', 3],
    ['1,000', 1000],
    ['5 apples', null],
    ['', null],
  ])('%s is the plain number %s', (text, n) => {
    expect(plainNumberIn(text)).toBe(n);
  });

  it('has advice with it, and a list is a sweep', () => {
    expect(numberAdvice('2M')).toBe('; write 2000000');
    expect(numberAdvice(2)).toBe('');
    const sweep =
      '; several values, one after the other, are a sweep: `weir sweep --vary load.users=1,2,4`';
    for (const text of ['1,2,4', '1..9', '1-9', '1..8*2']) expect(numberAdvice(text)).toBe(sweep);
    expect(numberAdvice('1,two')).toBe('');
    expect(perMinuteAdvice('5/s')).toBe('; write 300, the number a minute');
    expect(perMinuteAdvice('60 rpm')).toBe('; write 60, the number a minute');
    expect(perMinuteAdvice('1/h')).toBe('');
    expect(perMinuteAdvice('3k')).toBe('; write 3000');
    expect(perMinuteAdvice(5)).toBe('');
  });
});

describe('a scenario', () => {
  it('has no rate or length without an end', () => {
    expect(withLoad('rate: max, duration: forever')).toMatchInlineSnapshot(`
      [
        "f:2:30: expected a rate such as 20/s, 60/min or 3600/h, got "max"; as many as the gateway answers is the load "saturate", or --users",
        "f:2:45: expected a length of time such as 30s, 500ms, 2m or 1h30m, got "forever"; a run has an end, after 7d at most: Ctrl-C ends it early and keeps the report",
      ]
    `);
    expect(problemsOf(`${models}${load}warmUp: inf\nwire: {http2: max}\n`)).toMatchInlineSnapshot(`
      [
        "f:3:9: expected "auto", or a length of time such as 30s, 500ms, 2m or 1h30m, got "inf"; a run has an end, after 7d at most: Ctrl-C ends it early and keeps the report",
        "f:4:15: expected true or false, got "max"",
      ]
    `);
  });

  it('says where a comma ended a number', () => {
    expect(withLoad('rate: 5,5/s, duration: 30s')).toMatchInlineSnapshot(`
      [
        "f:2:30: expected a rate such as 20/s, 60/min or 3600/h, got the number 5; a comma ends a value here: write 5.5/s",
        "f:2:32: "5/s" is not a key of the kind "constant"; a comma ends a value here: write the number with a point, such as 2.5",
      ]
    `);
    expect(withLoad('rate: 1,000/s, duration: 30s')).toMatchInlineSnapshot(`
      [
        "f:2:30: expected a rate such as 20/s, 60/min or 3600/h, got the number 1; a comma ends a value here: write 1000/s",
        "f:2:32: "000/s" is not a key of the kind "constant"; a comma ends a value here: write the number without it, such as 1000",
      ]
    `);
    expect(problemsOf(`traffic: [{kind: models, weight: 2,5}]\n${load}`)).toMatchInlineSnapshot(`
      [
        "f:1:36: "5" is not a key of the kind "models"; a comma ends a value here: write the number with a point, such as 2.5",
      ]
    `);
    expect(problemsOf(`traffic: [{kind: models, weight: 50%}]\n${load}`)).toMatchInlineSnapshot(`
      [
        "f:1:34: expected a number above 0 and at most 1,000,000, got "50%"; write 50",
      ]
    `);
  });

  it('has plain keys, anchors that exist, and merges mappings', () => {
    expect(problemsOf(`${models}${load}? [a]\n: 1\n`)).toMatchInlineSnapshot(`
      [
        "f:3:3: a key must be plain text",
      ]
    `);
    expect(problemsOf(`traffic: *none\n${load}`)).toMatchInlineSnapshot(`
      [
        "f:1:10: there is no anchor "&none" before this alias",
      ]
    `);
    expect(problemsOf(`traffic: &t [*t]\n${load}`)).toMatchInlineSnapshot(`
      [
        "f:1:14: this alias is inside the value that it refers to",
      ]
    `);
    expect(problemsOf(`${models}load: {<<: 5, kind: constant}\n`)).toMatchInlineSnapshot(`
      [
        "f:2:8: "<<" merges mappings, and this is not a mapping",
      ]
    `);
  });

  it('has messages for the first ten places that are no YAML, and the number of others', () => {
    const repeated = (count: number): readonly string[] =>
      problemsOf(`a: 1\n${'a: 2\n'.repeat(count)}`).filter(
        (line) => !/"a" is not|missing/.test(line),
      );
    expect(repeated(11).slice(-2)).toMatchInlineSnapshot(`
      [
        "f:12:1: unknown key "a"; scenarios/keys.md lists the keys of a scenario",
        "f: and 1 more place of invalid YAML",
      ]
    `);
    expect(repeated(12).at(-1)).toMatchInlineSnapshot(`"f: and 2 more places of invalid YAML"`);
  });

  it('with too many marks or aliases is not read', () => {
    expect(problemsOf(`[${'['.repeat(500_001)}`)).toMatchInlineSnapshot(`
      [
        "f:1:1: more than 500000 lines, commas and brackets: keep prompts in a file of their own",
      ]
    `);
    const lines = ['a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]'];
    for (let i = 1; i < 8; i += 1)
      lines.push(`a${i}: &a${i} [${Array.from({ length: 10 }, () => `*a${i - 1}`).join(', ')}]`);
    expect(problemsOf(lines.join('\n')).slice(0, 1)).toMatchInlineSnapshot(`
      [
        "f:1:1: its aliases expand to more than 100000 values",
      ]
    `);
  });
});

describe('an objective', () => {
  const objective = (text: string, more = '') =>
    problemsOf(`${models}${load}objectives: ['${text}']\n${more}`);
  const server = 'server: {metrics: /metrics, figures: [{name: mine, metric: m}]}\n';

  const server5 = 'add server: {metrics: /metrics}';
  const neither = 'is neither a measure nor a figure of the run; ';
  const wrong = 'is not an objective: expected a figure, a comparison and a bound; ';
  it.each([
    [
      'server.waiting < 5',
      'one of the server’s own figures needs its name and a statistic; for example server.waiting.max',
    ],
    ['server.waiting.max < 5', `the scenario reads no metrics of the server; ${server5}`],
    ['uptime > 99%', `"uptime" ${neither}write errorRate < 1% for more than 99% that succeed`],
    [
      'nothing < 5',
      `"nothing" ${neither}reports/figures.md lists the measures; figures of the run are, for example, errorRate and completedRate`,
    ],
    ['800ms > ttft.p95', `"800ms > ttft.p95" ${wrong}write ttft.p95 < 800ms`],
    ['1% >= errorRate', `"1% >= errorRate" ${wrong}write errorRate <= 1%`],
    ['1% <= errorRate', `"1% <= errorRate" ${wrong}write errorRate >= 1%`],
    ['ttft.p95 under 1s', `"ttft.p95 under 1s" ${wrong}write ttft.p95 < 1s`],
    ['ttft.p95 is over 1s', `"ttft.p95 is over 1s" ${wrong}write ttft.p95 > 1s`],
    ['ttft.p95 at most 1s', `"ttft.p95 at most 1s" ${wrong}write ttft.p95 <= 1s`],
    ['ttft.p95 is at least 1s', `"ttft.p95 is at least 1s" ${wrong}write ttft.p95 >= 1s`],
    [
      'ttft.p95 is less than or equal to 1s',
      `"ttft.p95 is less than or equal to 1s" ${wrong}write ttft.p95 <= 1s`,
    ],
    ['ttft max < 1s', `"ttft max < 1s" ${wrong}write ttft.max < 1s`],
    ['p95(ttft) < 1s', `"p95(ttft) < 1s" ${wrong}write ttft.p95 < 1s`],
    ['ttft p95 < 1s', `"ttft p95 < 1s" ${wrong}write ttft.p95 < 1s`],
    [
      'http_req p(95) < 5',
      `"http_req p(95) < 5" ${wrong}this is a threshold of k6, of which \`weir import\` makes an objective: for example serviceTime.p95 < 500ms, or errorRate < 1%`,
    ],
    ['5ms', `"5ms" ${wrong}a comma ends an item here: write the number with a point, such as 0.8s`],
    ['fast', `"fast" ${wrong}for example ttft.p95{traffic=chat-stream} < 800ms, or errorRate < 1%`],
  ])('%s has advice', (text, advice) => {
    expect(objective(text)).toEqual([`f:3:14: ${advice}`]);
  });

  it('of the server names one of its figures, and no kind of traffic', () => {
    expect(objective('server.mine.max < 5', server)).toEqual([]);
    expect(objective('server.wating.max < 5', server)).toMatchInlineSnapshot(`
      [
        "f:3:14: "wating" is none of the server’s figures: expected running, waiting, cacheUse, prefixHits, queueTime, inputTokens, outputTokens, mine; did you mean "waiting"?",
      ]
    `);
    expect(objective('server.waiting.max{traffic=models} < 5', server)).toMatchInlineSnapshot(`
      [
        "f:3:14: a server has no figures by traffic; use stage",
      ]
    `);
  });

  it('of a request is a measure, a comparison and a bound', () => {
    expect(problemsOf(`${models}${load}perRequest: [fast, ttft.p95 < 1s]\n`))
      .toMatchInlineSnapshot(`
      [
        "f:3:14: "fast" is not an objective for a request: expected a measure, a comparison and a bound; for example ttft < 500ms",
        "f:3:20: a single request has no "p95": expected a measure alone; write ttft here, or move the whole objective to "objectives"",
      ]
    `);
  });
});

describe('a load that saturates', () => {
  const saturate = 'load: {kind: saturate, connections: 2, duration: 5s}\n';
  const chat =
    'traffic: [{kind: chat, model: m, prompt: hi, maxTokens: 5, body: {x: "${index}"}}]\n';

  it('has neither values of single requests nor keys that run out', () => {
    expect(problemsOf(`${chat}${saturate}headers: {X-Id: "\${uuid}"}\n`)).toMatchInlineSnapshot(`
      [
        "f:1:66: \${uuid} and \${index} cannot be combined with a load of the kind "saturate": it sends a few requests again and again; leave them out, or use the kind "closed"",
        "f:3:10: \${uuid} and \${index} cannot be combined with a load of the kind "saturate": it sends a few requests again and again; leave them out, or use the kind "closed"",
      ]
    `);
    const key = '${command:print-token; lifetime=5m}';
    expect(problemsOf(`${models}${saturate}keys: "${key}"\n`)).toMatchInlineSnapshot(`
      [
        "f:3:7: a key with a "lifetime" cannot be combined with a load of the kind "saturate": it prepares its requests before; leave "lifetime" out, or use the kind "closed"",
      ]
    `);
    const keys = `keys: [{name: a, key: "\${env:A}"}, {name: b, key: "${key}"}]\n`;
    expect(problemsOf(`${models}${saturate}${keys}`, { environment: { A: 'a' } }))
      .toMatchInlineSnapshot(`
      [
        "f:3:51: a key with a "lifetime" cannot be combined with a load of the kind "saturate": it prepares its requests before; leave "lifetime" out, or use the kind "closed"",
      ]
    `);
  });
});

describe('keys and targets', () => {
  it('have commands, names and limits that are clear', () => {
    expect(problemsOf(`${models}${load}keys: "\${command:}"\n`)).toMatchInlineSnapshot(`
      [
        "f:3:7: a key does not belong in a scenario file; write \${env:NAME} to take it from an environment variable, \${secret:PATH} to read it from a file, or \${command:…} to take it from what a command prints",
      ]
    `);
    expect(problemsOf(`${models}${load}keys: "\${command:x; lifetime=5y}"\n`))
      .toMatchInlineSnapshot(`
      [
        "f:3:7: expected a command, and after which time it runs again, if at all; for example \${command:gcloud auth print-access-token; lifetime=50m}, in s, m or h",
      ]
    `);
    expect(problemsOf(`${models}${load}targets: {}\n`)).toMatchInlineSnapshot(`
      [
        "f:3:1: expected at least one target; for example {direct: mock}",
        "f:3:1: populations name their targets, and this scenario has no populations; add populations: [{name: …, target: direct}], or use "target"",
      ]
    `);
    expect(
      problemsOf(`${models}${load}target: http://h/v1\nkeys: "\${env:K}"\n`, {
        environment: { K: 'Bearer abc' },
      }),
    ).toMatchInlineSnapshot(`
      [
        "f:4:7: the environment variable K begins with the word Bearer, which Weir adds itself; set it to the key alone",
      ]
    `);
  });

  it('of one name stand with their limits where they are first named', () => {
    const key = "{name: a, key: '${env:A}', limits: {requestsPerMinute: 5}}";
    const population = (name: string) =>
      `  - {name: ${name}, ${models.trim()}, load: {kind: constant, rate: 1/s, duration: 5s}, keys: [${key}]}\n`;
    expect(
      problemsOf(`populations:\n${population('one')}${population('two')}`, {
        environment: { A: 'a' },
      }),
    ).toMatchInlineSnapshot(`
      [
        "f:3:127: the limits of the key "a" stand where it is first named; leave them out here",
      ]
    `);
  });
});

it('a body has only numbers that can be sent, and a pace is a rate', () => {
  const chat = (more: string): string =>
    `traffic: [{kind: chat, model: m, prompt: hi, maxTokens: 5, ${more}}]\n${load}`;
  expect(problemsOf(chat('body: {seed: 12345678901234567890}'))).toMatchInlineSnapshot(`
    [
      "f:1:66: the number "seed" cannot be sent as it is; it is above 2^53 and would lose digits: use a smaller number",
    ]
  `);
  expect(problemsOf(chat('temperature: 50%'))).toMatchInlineSnapshot(`
    [
      "f:1:73: expected a number from 0 to 2, got "50%"; write 0.5",
    ]
  `);
  expect(problemsOf(`${models}${load}pace: {requests: 5}\n`)).toMatchInlineSnapshot(`
    [
      "f:3:18: expected a rate such as 20/s, 60/min or 3600/h, or limit, or none, got the number 5; a number needs its unit: 5/s, 5/min or 5/h",
    ]
  `);
  expect(problemsOf(`${models}${load}pace: fast\n`)).toMatchInlineSnapshot(`
    [
      "f:3:7: expected a mapping such as {requests: 60/min, tokens: limit}, got "fast"",
    ]
  `);
});
