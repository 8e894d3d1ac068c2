import { describe, expect, it } from 'vitest';
import type { CheckOutcome, CheckReport, CheckRow } from '../model/check-report.ts';
import { compareChecks } from './compare-checks.ts';

const row = (id: string, outcome: CheckOutcome, name: string | null = null): CheckRow => ({
  id,
  topic: 'streams',
  section: '4.1',
  sentence: '',
  outcome,
  expected: '',
  observed: '',
  name,
  evidence: [],
});

const reportOf = (rows: CheckRow[], changes: Partial<CheckReport> = {}): CheckReport => ({
  format: 'check/1',
  weir: '0.1.0',
  target: 'https://host/v1',
  startedAt: '2026-11-25T10:00:00.000Z',
  took: 1000,
  profile: 'spec',
  models: { chat: 'a/b', speech: null, transcription: null, voice: null },
  spent: {
    requests: 1,
    inputTokens: 0,
    outputTokens: 0,
    characters: 0,
    audioSeconds: 0,
    waits: 0,
  },
  stopped: null,
  rows,
  unseen: [],
  ...changes,
});

const changeFrom = (before: CheckRow[], after: CheckRow[]): readonly string[] =>
  compareChecks(reportOf(before), reportOf(after)).changes.map(({ change }) => change);

describe('a check is', () => {
  it.each([
    ['worse', 'pass', 'violation'],
    ['worse', 'pass', 'deviation'],
    ['worse', 'deviation', 'violation'],
    ['worse', 'unchecked', 'violation'],
    ['worse', 'exempt', 'violation'],
    ['lost', 'pass', 'unchecked'],
    ['lost', 'violation', 'unchecked'],
    ['better', 'violation', 'deviation'],
    ['better', 'deviation', 'pass'],
    ['other', 'unchecked', 'pass'],
  ] as const)('%s if it was %s and is %s', (change, before, after) => {
    expect(changeFrom([row('a', before)], [row('a', after)])).toEqual([change]);
  });

  it('as before with the same result, and between results that break nothing', () => {
    const outcomes = ['pass', 'open', 'exempt'] as const;
    for (const before of outcomes)
      for (const after of outcomes)
        expect(changeFrom([row('a', before)], [row('a', after)])).toEqual([]);
    expect(changeFrom([row('a', 'violation')], [row('a', 'violation')])).toEqual([]);
    expect(changeFrom([row('a', 'unchecked')], [row('a', 'unchecked')])).toEqual([]);
  });

  it('another one if it deviates in another way', () => {
    const [crlf, bom] = ['crlf', 'bom'].map((name) => [row('a', 'deviation', name)]);
    expect(changeFrom(crlf!, bom!)).toEqual(['other']);
  });

  it('news only as a finding where the other side does not have it, and lost where it is gone', () => {
    expect(changeFrom([], [row('a', 'pass')])).toEqual([]);
    expect(changeFrom([], [row('a', 'violation')])).toEqual(['worse']);
    expect(changeFrom([], [row('a', 'deviation')])).toEqual(['new']);
    expect(changeFrom([row('a', 'pass')], [])).toEqual(['lost']);
  });
});

it('the gravest change comes first, and other circumstances are noted', () => {
  const before = reportOf([row('a', 'violation'), row('b', 'pass'), row('c', 'pass')]);
  const after = reportOf([row('a', 'pass'), row('b', 'violation'), row('c', 'pass')], {
    profile: 'litellm',
    models: { chat: 'a/c', speech: null, transcription: null, voice: null },
    stopped: 'stopped by SIGINT',
  });
  const { changes, same, notes } = compareChecks(before, after);
  expect(changes.map(({ id, change }) => `${id} ${change}`)).toEqual(['b worse', 'a better']);
  expect(same).toBe(1);
  expect(notes).toEqual([
    'The profile was spec, and is litellm.',
    'The chat model was a/b, and is a/c.',
    'The checks of 2026-11-25T10:00:00.000Z ended early: stopped by SIGINT.',
  ]);
});
