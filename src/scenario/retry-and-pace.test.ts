import { describe, expect, it } from 'vitest';
import { problemsText } from './text/scenario-problem.ts';
import { readScenario } from './read-scenario.ts';

/** Returns the problems as users see them, one per line; empty if the text is a valid scenario. */
const problemsOf = (text: string): string[] => {
  const reading = readScenario({ text, name: 'f.yaml', environment: {} });
  return reading.ok ? [] : problemsText(reading.problems, 'f.yaml').split('\n');
};

const load = 'load: {kind: constant, rate: 5/s, duration: 30s}\n';
const validText = `traffic: [{kind: models}]\n${load}`;

describe('retries', () => {
  it('are refused for every kind of error', () => {
    const faulty = [
      'three',
      '{attempts: 0}',
      '{attempts: 2.5, base: 1, cap: 0s}',
      '{base: 2s, cap: 1s}',
      '{on: []}',
      '{on: limited}',
      '{on: [limited, limted, limited]}',
      '{on: [limited, connect, limited]}',
      '{retries: 3}',
    ];
    const lines = faulty.flatMap((fields) => [
      `${fields}:`,
      ...problemsOf(`${validText}retry: ${fields}\n`),
    ]);
    expect(lines.join('\n')).toMatchInlineSnapshot(`
      "three:
      f.yaml:3:8: expected a mapping such as {attempts: 3}, got "three"
      {attempts: 0}:
      f.yaml:3:19: expected a whole number from 1 to 100, got the number 0
      {attempts: 2.5, base: 1, cap: 0s}:
      f.yaml:3:19: expected a whole number from 1 to 100, got the number 2.5
      f.yaml:3:30: expected a length of time such as 30s, 500ms, 2m or 1h30m, got the number 1; a number needs its unit: 1s for seconds or 1ms for milliseconds
      f.yaml:3:38: expected a length of time above 0s and at most 7d, got "0s"
      {base: 2s, cap: 1s}:
      f.yaml:3:19: the longest wait ("cap": 1s) is shorter than the first ("base": 2s); raise "cap" or lower "base"
      {on: []}:
      f.yaml:3:13: expected at least one of limited, server-error, connect, unanswered
      {on: limited}:
      f.yaml:3:13: expected a list of limited, server-error, connect, unanswered, got "limited"
      {on: [limited, limted, limited]}:
      f.yaml:3:23: expected "limited", "server-error", "connect" or "unanswered", got "limted"; did you mean "limited"?
      {on: [limited, connect, limited]}:
      f.yaml:3:32: retry names must differ; "limited" is used twice
      {retries: 3}:
      f.yaml:3:9: unknown key "retries"; did you mean "attempts"?"
    `);
  });

  it('are valid without any field', () => {
    expect(problemsOf(`${validText}retry: {}\n`)).toEqual([]);
  });
});

describe('a pace', () => {
  const withPace = (fields: string, more = validText): string[] =>
    problemsOf(`${more}pace: ${fields}\n`);

  it('is refused for every kind of error', () => {
    const chats = `traffic: [{kind: chat, model: m}, {kind: chat, model: m, maxTokens: 5}, {kind: chat, model: m, body: {max_completion_tokens: 9}}]\n${load}`;
    const faulty: readonly (readonly [string, string?])[] = [
      ['fast'],
      ['{requests: 60, tokens: limt}'],
      ['{requests: 0/s, tokens: 1e9/s}'],
      ['{window: 0s, margin: 5}'],
      ['{requests: none, tokens: none}'],
      ['{requests: 1/min, window: 30s}'],
      ['{}', chats],
      ['{tokens: none}', chats],
      ['{tokens: none}', `${validText}limits: {requestsPerMinute: none}\n`],
      ['{request: 60/min}'],
      ['{burst: 0}'],
      ['{requests: none, burst: 5}'],
    ];
    const lines = faulty.flatMap(([fields, more]) => [`${fields}:`, ...withPace(fields, more)]);
    expect(lines.join('\n')).toMatchInlineSnapshot(`
      "fast:
      f.yaml:3:7: expected a mapping such as {requests: 60/min, tokens: limit}, got "fast"
      {requests: 60, tokens: limt}:
      f.yaml:3:18: expected a rate such as 20/s, 60/min or 3600/h, or limit, or none, got the number 60; a number needs its unit: 60/s, 60/min or 60/h
      f.yaml:3:30: expected a rate such as 20/s, 60/min or 3600/h, or limit, or none, got "limt"; did you mean "limit"?
      {requests: 0/s, tokens: 1e9/s}:
      f.yaml:3:18: expected a rate above 0/s and at most 1000000000000/min, got "0/s"
      f.yaml:3:31: expected a rate such as 20/s, 60/min or 3600/h, or limit, or none, got "1e9/s"
      {window: 0s, margin: 5}:
      f.yaml:3:16: expected a length of time above 0s and at most 7d, got "0s"
      f.yaml:3:28: expected a length of time such as 30s, 500ms, 2m or 1h30m, got the number 5; a number needs its unit: 5s for seconds or 5ms for milliseconds
      {requests: none, tokens: none}:
      f.yaml:3:1: the pace has no limit to keep; give it a rate, or declare the limits
      {requests: 1/min, window: 30s}:
      f.yaml:3:8: at this rate a window of 30s has no room for even one of the requests; raise the rate or lengthen "window"
      {}:
      f.yaml:1:11: "maxTokens" is missing: a pace for tokens has to reserve the most that an answer may use; add maxTokens, or write pace: {tokens: none}
      {tokens: none}:
      {tokens: none}:
      f.yaml:4:1: the pace has no limit to keep; give it a rate, or declare the limits
      {request: 60/min}:
      f.yaml:3:8: unknown key "request"; did you mean "requests"?
      {burst: 0}:
      f.yaml:3:15: expected a whole number from 1 to 1,000,000, got the number 0
      {requests: none, burst: 5}:
      f.yaml:3:24: "burst" spreads requests at their rate, and "requests" has none; give "requests" a rate, or leave out "burst""
    `);
  });

  it('is valid without any field', () => {
    expect(withPace('{}')).toEqual([]);
  });
});
