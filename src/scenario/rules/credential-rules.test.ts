import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { problemsText } from '../text/scenario-problem.ts';
import { readScenario, type ScenarioSource } from '../read-scenario.ts';

const rest = 'traffic: [{kind: models}]\nload: {kind: constant, rate: 5/s, duration: 30s}\n';
const remote = `${rest}target: https://gateway.example/v1\n`;

const problemsOf = (text: string, more: Partial<ScenarioSource> = {}): string[] => {
  const reading = readScenario({ text, name: 'f.yaml', environment: {}, ...more });
  return reading.ok ? [] : problemsText(reading.problems, 'f.yaml').split('\n');
};

describe('keys', () => {
  it('are refused in any form if they are in the file', () => {
    expect(problemsOf(`keys: sk-123456\n${rest}`)).toMatchInlineSnapshot(`
      [
        "f.yaml:1:7: a key does not belong in a scenario file; write \${env:NAME} to take it from an environment variable, \${secret:PATH} to read it from a file, or \${command:…} to take it from what a command prints",
      ]
    `);
    const list =
      'keys:\n  - {name: a, key: sk-123456}\n  - {name: b, key: "Bearer ${env:B}"}\n  - sk-123456\n  - {name: c, key: 123456}\n';
    expect(problemsOf(`${list}${rest}`)).toMatchInlineSnapshot(`
      [
        "f.yaml:2:20: a key does not belong in a scenario file; write \${env:NAME} to take it from an environment variable, \${secret:PATH} to read it from a file, or \${command:…} to take it from what a command prints",
        "f.yaml:3:20: a key must be one reference and nothing else: Weir adds the word Bearer itself; write \${env:NAME} to take it from an environment variable, \${secret:PATH} to read it from a file, or \${command:…} to take it from what a command prints",
        "f.yaml:4:5: a key does not belong in a scenario file; write \${env:NAME} to take it from an environment variable, \${secret:PATH} to read it from a file, or \${command:…} to take it from what a command prints",
        "f.yaml:5:20: expected text, got a number",
      ]
    `);
    expect(problemsOf(rest, { overrides: ['keys=sk-123456'] })).toMatchInlineSnapshot(`
      [
        "--set keys: a key does not belong in a scenario file; write \${env:NAME} to take it from an environment variable, \${secret:PATH} to read it from a file, or \${command:…} to take it from what a command prints",
      ]
    `);
    expect(problemsOf(`keys: {a: sk-123456}\n${rest}`)).toMatchInlineSnapshot(`
      [
        "f.yaml:1:7: expected \${env:NAME}, \${secret:PATH}, or a list of keys, each with "name" and "key", got a mapping",
      ]
    `);
  });

  it('never appear in a message', () => {
    const secret = fc.stringMatching(/^[A-Za-z0-9_-]{8,40}$/).map((text) => `sk-${text}`);
    const shape = fc.constantFrom(
      (key: string) => `keys: ${key}\n${rest}`,
      (key: string) => `keys: [${key}]\n${rest}`,
      (key: string) => `keys: {name: ${key}}\n${rest}`,
      (key: string) => `keys: [{name: a, key: ${key}}]\n${rest}`,
      (key: string) => `keys: [{name: a, key: [${key}]}]\n${rest}`,
      (key: string) => `keys: [{name: a, key: {value: ${key}}}]\n${rest}`,
      (key: string) => `keys: [{name: a, value: ${key}}]\n${rest}`,
      (key: string) => `headers: {Authorization: ${key}}\n${rest}`,
      (key: string) => `headers: {Authorization: Bearer ${key}}\n${rest}`,
      (key: string) => `headers: {x-api-key: ${key}}\n${rest}`,
      (key: string) => `headers: {authorization: [${key}]}\n${rest}`,
      (key: string) => `headers: ${key}\n${rest}`,
      (key: string) => `target: https://user:${key}@gateway.example/v1\n${rest}`,
      (key: string) => `target: user:${key}@gateway.example/v1\n${rest}`,
      (key: string) => `target: https://gateway.example/v1?key=${key}\n${rest}`,
      (key: string) => `wire: {proxy: "http://user:${key}@proxy.example"}\n${rest}`,
    );
    fc.assert(
      fc.property(secret, shape, (key, write) => {
        const text = problemsOf(write(key)).join('\n');
        expect(text).not.toBe('');
        expect(text).not.toContain(key);
      }),
    );
  });

  it('must be in the environment for a real gateway, each named by its variable', () => {
    const list =
      'keys:\n  - {name: a, key: "${env:KEY_A}"}\n  - {name: b, key: "${env:KEY_B}"}\n  - {name: c, key: "${secret:c.key}"}\n';
    expect(problemsOf(`${list}${remote}`, { environment: { KEY_A: 'a' } })).toMatchInlineSnapshot(`
      [
        "f.yaml:3:20: the environment variable KEY_B is not set; set it before the run, for example: export KEY_B=…",
      ]
    `);
    expect(problemsOf(`${list}${rest}`)).toEqual([]);
    const environment = { KEY_A: 'a', KEY_B: 'b' };
    expect(problemsOf(`${list}${remote}`, { environment })).toEqual([]);
  });

  it('come from WEIR_API_KEY if the scenario names none', () => {
    expect(problemsOf(remote)).toMatchInlineSnapshot(`
      [
        "f.yaml:3:9: there is no key for this target: the environment variable WEIR_API_KEY is not set; set it before the run (export WEIR_API_KEY=…), or add "keys" with a reference to the key",
      ]
    `);
    expect(problemsOf(remote, { environment: { WEIR_API_KEY: '' } })).toEqual(problemsOf(remote));
    expect(problemsOf(remote, { environment: { WEIR_API_KEY: 'k' } })).toEqual([]);
    const broken = { environment: { WEIR_API_KEY: 'k\n' } };
    expect(problemsOf(remote, broken)).toMatchInlineSnapshot(`
      [
        "f.yaml:3:9: the environment variable WEIR_API_KEY contains a line break or another character that no header can carry; set it to the value alone",
      ]
    `);
  });

  it('have different names and weights above zero', () => {
    const list =
      'keys:\n  - {name: a, key: "${env:A}"}\n  - {name: a, key: "${env:A}", weight: 0}\n  - {key: "${env:A}"}\n';
    expect(problemsOf(`${list}${rest}`)).toMatchInlineSnapshot(`
      [
        "f.yaml:3:12: key names must differ; "a" is used twice",
        "f.yaml:3:40: expected a number above 0 and at most 1,000,000, got the number 0",
        "f.yaml:4:5: "name" is missing: expected text",
      ]
    `);
    expect(problemsOf(`keys: []\n${rest}`)).toMatchInlineSnapshot(`
      [
        "f.yaml:1:7: expected at least one key",
      ]
    `);
    expect(problemsOf(`keys: 5\n${rest}`)).toMatchInlineSnapshot(`
      [
        "f.yaml:1:7: expected \${env:NAME}, \${secret:PATH}, or a list of keys, each with "name" and "key", got a number",
      ]
    `);
  });
});

describe('the header of the key', () => {
  const withAuth = (auth: string, more = ''): string[] =>
    problemsOf(`auth: ${auth}\n${more}${rest}`);

  it('may be named', () => {
    expect(withAuth('{header: api-key}')).toEqual([]);
    expect(withAuth('{header: Authorization}')).toEqual([]);
  });

  it('is refused if it cannot carry the key', () => {
    const headers = 'headers: {Api-Key: "${secret:a}"}\n';
    const found = [
      withAuth('{header: content-type}'),
      withAuth('{header: Host}'),
      withAuth('{header: api key}'),
      withAuth('{header: ""}'),
      withAuth('{heder: api-key}'),
      withAuth('api-key'),
      withAuth('{header: api-key}', headers),
    ];
    expect(found.flat()).toMatchInlineSnapshot(`
      [
        "f.yaml:1:16: Weir sets the header "content-type" itself; name the header in which the gateway expects the key",
        "f.yaml:1:16: Weir sets the header "host" itself; name the header in which the gateway expects the key",
        "f.yaml:1:16: this is not a valid header name",
        "f.yaml:1:16: expected the name of a header, for example api-key, got """,
        "f.yaml:1:8: unknown key "heder"; did you mean "header"?",
        "f.yaml:1:7: expected a mapping such as {header: api-key}, got "api-key"",
        "f.yaml:2:11: the header "api-key" already carries the key; leave it out here, or leave "auth" out",
      ]
    `);
  });
});

describe('headers', () => {
  const withHeaders = (headers: string, more: Partial<ScenarioSource> = {}): string[] =>
    problemsOf(`headers:\n${headers}${rest}`, more);

  it.each([
    ['  x-team: load\n'],
    ['  traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\n'],
    ['  Authorization: "Bearer ${env:A}"\n'],
    ['  x-api-key: ${secret:some/long/path/to/the.key}\n'],
    ['  cookie: "session=${env:A}"\n'],
  ])('may contain %s', (headers) => {
    expect(withHeaders(headers, { environment: { A: 'a' } })).toEqual([]);
  });

  it('with a literal secret are refused', () => {
    const headers =
      '  Authorization: Bearer abcdef\n  x-api-key: abcdef\n  Cookie: a=b\n  x-other: Bearer abcdef\n  x-more: sk-abcdef\n  proxy-authorization: "${env:A} abcdefghijklmnopqrst"\n';
    expect(withHeaders(headers, { environment: { A: 'a' } })).toMatchInlineSnapshot(`
      [
        "f.yaml:2:18: the value of the header "authorization" does not belong in a scenario file; write \${env:NAME} or \${secret:PATH} for it, for example Bearer \${env:NAME}",
        "f.yaml:3:14: the value of the header "x-api-key" does not belong in a scenario file; write \${env:NAME} or \${secret:PATH} for it, for example Bearer \${env:NAME}",
        "f.yaml:4:11: the value of the header "cookie" does not belong in a scenario file; write \${env:NAME} or \${secret:PATH} for it, for example Bearer \${env:NAME}",
        "f.yaml:5:12: the value of the header "x-other" does not belong in a scenario file; write \${env:NAME} or \${secret:PATH} for it, for example Bearer \${env:NAME}",
        "f.yaml:6:11: the value of the header "x-more" does not belong in a scenario file; write \${env:NAME} or \${secret:PATH} for it, for example Bearer \${env:NAME}",
        "f.yaml:7:24: the value of the header "proxy-authorization" does not belong in a scenario file; write \${env:NAME} or \${secret:PATH} for it, for example Bearer \${env:NAME}",
      ]
    `);
  });

  it('that cannot be sent are refused', () => {
    const headers =
      '  bad name: x\n  Host: x\n  content-length: "5"\n  x-lines: "a\\nb"\n  x-a: "1"\n  X-A: "2"\n  x-n: 1\n  x-snow: ☃\n';
    expect(withHeaders(headers)).toMatchInlineSnapshot(`
      [
        "f.yaml:2:3: this is not a valid header name",
        "f.yaml:3:3: Weir sets the header "host" itself; leave it out",
        "f.yaml:4:3: Weir sets the header "content-length" itself; leave it out",
        "f.yaml:5:12: this value contains a line break or another character that no header can carry",
        "f.yaml:7:3: the header "x-a" is set twice; upper and lower case make no difference",
        "f.yaml:8:8: expected text, got a number; put quotes around it",
        "f.yaml:9:11: this value contains a line break or another character that no header can carry",
      ]
    `);
  });

  it('need their environment variables for any target', () => {
    expect(withHeaders('  x-team: ${env:TEAM}\n')).toMatchInlineSnapshot(`
      [
        "f.yaml:2:11: the environment variable TEAM is not set; set it before the run, for example: export TEAM=…",
      ]
    `);
  });
});

describe('templates in other fields', () => {
  it('report the name of a missing variable, and no value', () => {
    const text = `name: "\${env:WHO} and \${env:WHOM}"\nseed: \${env:SEED}\nwarmUp: \${env:WARM}\nstreams: \${env:MODE}\n${rest}`;
    const environment = { SEED: 'hunter22', WARM: '47', MODE: 'lenien' };
    const problems = problemsOf(text, { environment });
    expect(problems).toMatchInlineSnapshot(`
      [
        "f.yaml:1:7: the environment variable WHO is not set; set it before the run, for example: export WHO=…",
        "f.yaml:1:7: the environment variable WHOM is not set; set it before the run, for example: export WHOM=…",
        "f.yaml:2:7: expected a whole number from 0 to 9,007,199,254,740,991, got what the environment variable holds",
        "f.yaml:3:9: expected "auto", or a length of time such as 30s, 500ms, 2m or 1h30m, got what the environment variable holds",
        "f.yaml:4:10: expected "lenient", "standard" or "strict", got what the environment variable holds",
      ]
    `);
    expect(problems.join('\n')).not.toMatch(/hunter22|47|"lenien"/);
  });

  it('cannot contain secrets', () => {
    expect(problemsOf(`description: \${secret:a.key}\n${rest}`)).toMatchInlineSnapshot(`
      [
        "f.yaml:1:14: \${secret:…} is only allowed in keys and headers; write \${env:NAME} for a value that is not secret",
      ]
    `);
  });
});
