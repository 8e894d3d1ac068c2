import { describe, expect, it } from 'vitest';
import { instant } from '../../model/quantity.ts';
import { arrivalRows, arrivalsByKind, causeText, failureMessage } from './outcome-text.ts';
import { sampleRunResult } from '../fixtures/sample-result.fixture.ts';
import { sampleObservations } from '../fixtures/sample-observations.fixture.ts';

const result = sampleRunResult();

describe('arrivals by kind of traffic', () => {
  it('add up to those of the run, outcome by outcome', () => {
    const { rows } = arrivalsByKind(result)!;
    expect(rows.map(({ name, all }) => [name, all])).toEqual(
      arrivalRows(result).map(({ name, all }) => [name, all]),
    );
    for (const { all, byKind } of rows) expect(byKind.reduce((a, b) => a + b)).toBe(all);
  });

  it('are those of the observations', () => {
    const { kinds, rows } = arrivalsByKind(result)!;
    const malformed = rows.find(({ name }) => name === 'malformed')!;
    for (const [i, kind] of kinds.entries()) {
      const own = sampleObservations().filter(({ traffic }) => traffic === kind);
      expect(rows[0]!.byKind[i]).toBe(own.length);
      expect(malformed.byKind[i]).toBe(
        own.filter(({ outcome }) => outcome.kind === 'malformed').length,
      );
    }
  });

  it('are not separated if there was one kind', () => {
    const groups = result.groups.filter(({ labels }) => labels.traffic === 'speech');
    expect(arrivalsByKind({ ...result, groups })).toBeNull();
  });
});

it('a failure is called by its status and its cause, and a status only once', () => {
  expect(causeText({ status: 401, cause: 'invalid_api_key' })).toBe('401 invalid_api_key');
  expect(causeText({ status: null, cause: 'reset' })).toBe('reset');
  expect(causeText({ status: 429, cause: '429' })).toBe('429');
  expect(causeText({ status: 503, cause: null })).toBe('503');
});

describe('the message of a group of failures', () => {
  const example = { requestId: 'a-1', serverId: null, text: 'at most 60 a\nminute; wait 54 s' };
  const limited = {
    traffic: 'chat',
    outcome: 'limited',
    status: 429,
    cause: 'rate_limit',
    message: 'at most # a minute; wait # s',
    sameText: false,
    count: 2,
    first: instant(1),
    last: instant(2),
    example,
  } as const;

  it('is their own if they share it, and masked where they differ', () => {
    expect(failureMessage({ ...limited, sameText: true })).toBe('at most 60 a minute; wait 54 s');
    expect(failureMessage({ ...limited, outcome: 'malformed' })).toBe(limited.message);
    expect(failureMessage({ ...limited, example: { ...example, text: ' ' } })).toBe(
      limited.message,
    );
    const others = { ...limited, message: 'other messages' };
    expect(failureMessage(others)).toBe('other messages');
  });

  it('has the numbers of the first 429, which can be the limit', () => {
    expect(failureMessage(limited)).toBe('such as “at most 60 a minute; wait 54 s”');
  });
});
