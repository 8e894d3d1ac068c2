import { describe, expect, it } from 'vitest';
import { readScenario } from './read-scenario.ts';
import { problemsText } from './text/scenario-problem.ts';

const read = (wire: string) =>
  readScenario({
    text: `traffic: [{kind: models}]\nload: {kind: constant, rate: 5/s, duration: 30s}\nwire: ${wire}\n`,
    name: 'f.yaml',
    environment: {},
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
