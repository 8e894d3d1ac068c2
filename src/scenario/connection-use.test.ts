import { describe, expect, it } from 'vitest';
import { readScenario } from './read-scenario.ts';
import { problemsText } from './text/scenario-problem.ts';

const read = (wire: string) =>
  readScenario({
    text: `traffic: [{kind: models}]\nload: {kind: constant, rate: 5/s, duration: 30s}\nwire: ${wire}\n`,
    name: 'f.yaml',
    environment: {},
  });

/** What a target and its wire become, or the problems with them. */
const resultOf = (target: string, wire = '{}'): unknown => {
  const reading = readScenario({
    text: `target: '${target}'\nkeys: '\${env:K}'\ntraffic: [{kind: models}]\nload: {kind: constant, rate: 5/s, duration: 30s}\nwire: ${wire}\n`,
    name: 'f.yaml',
    environment: { K: 'k' },
  });
  if (!reading.ok) return problemsText(reading.problems, 'f.yaml').replace(/.*?got /s, '');
  return reading.plan.target.kind === 'url' ? reading.plan.target.url : reading.plan.target;
};

describe('a target on a Unix socket', () => {
  it.each([
    ['unix:/run/x.sock', 'unix:/run/x.sock'],
    ['unix:///run/x.sock:/v1/', 'unix:/run/x.sock:/v1'],
    ['unix:/run/x.sock:', 'unix:/run/x.sock'],
    ['unix:/run/x.sock:/v1?api-version=1', 'unix:/run/x.sock:/v1?api-version=1'],
  ])('%s is %s in the plan', (written, target) => {
    expect(resultOf(written)).toBe(target);
  });

  it.each([
    ['unix:x.sock', 'is written unix:/run/gateway.sock'],
    ['unix:', 'is written unix:/run/gateway.sock'],
    ['http+unix://%2Frun%2Fx.sock/v1', 'is written unix:/run/gateway.sock'],
    ['http://unix:/run/x.sock:/v1', 'is written unix:/run/gateway.sock'],
    ['unix:/run/x.sock:/v1/chat/completions', 'without /chat/completions'],
    ['unix:/run/x.sock:/v1?api_key=1', 'a key must not be in an address'],
    [`unix:/${'x'.repeat(107)}`, 'at most 107 bytes'],
  ])('is refused if it is written %s: %s', (written, problem) => {
    expect(resultOf(written)).toContain(problem);
  });

  it('has neither a proxy nor certificates', () => {
    const proxied = resultOf('unix:/run/x.sock', '{proxy: "http://proxy:1"}');
    expect(proxied).toContain('"proxy" cannot be combined with the target');
    const certified = resultOf('unix:/run/x.sock', '{clientCert: a.pem}');
    expect(certified).toContain('"clientCert" is shown over TLS only');
  });
});

describe('a client certificate', () => {
  it('needs an https target, and its key the certificate', () => {
    const url = 'https://a.example/v1';
    expect(resultOf(url, '{clientCert: a.pem, clientKey: a.key}')).toBe(url);
    expect(resultOf(url, '{clientCert: both.pem}')).toBe(url);
    expect(resultOf(url, '{clientKey: a.key}')).toContain('"clientCert" names none');
    const plain = resultOf('http://a.example/v1', '{clientCert: a.pem}');
    expect(plain).toContain('the target is not an https address');
  });
});

describe('the number of uses of a connection', () => {
  it('is limited only if the scenario says so', () => {
    const planned = (wire: string) => {
      const reading = read(wire);
      if (!reading.ok) return reading.problems;
      const { reuse, maxRequestsPerConnection } = reading.plan.wire;
      return { reuse, maxRequestsPerConnection };
    };
    expect(planned('{}')).toEqual({ reuse: true, maxRequestsPerConnection: null });
    expect(planned('{reuse: false}')).toEqual({ reuse: false, maxRequestsPerConnection: null });
    expect(planned('{maxRequestsPerConnection: 20}')).toEqual({
      reuse: true,
      maxRequestsPerConnection: 20,
    });
    expect(planned('{maxRequestsPerConnection: none}')).toEqual(planned('{}'));
  });

  it('is refused with its place if it is not a number or contradicts another field', () => {
    const faulty = [
      '{reuse: never}',
      '{maxRequestsPerConnection: 0}',
      '{keepAlive: false}',
      '{reuse: false, maxRequestsPerConnection: 2}',
    ];
    const problems = faulty.map((wire) => {
      const reading = read(wire);
      return reading.ok ? '' : problemsText(reading.problems, 'f.yaml');
    });
    expect(problems.join('\n')).toMatchInlineSnapshot(`
      "f.yaml:3:15: expected true or false, got "never"
      f.yaml:3:34: expected a whole number from 1 to 1,000,000,000, or none, got the number 0
      f.yaml:3:8: unknown key "keepAlive"; did you mean "reuse"?
      f.yaml:3:22: "reuse: false" opens a connection for each request, and "maxRequestsPerConnection" allows 2; keep one of them"
    `);
  });
});
