import { describe, expect, it } from 'vitest';
import { type Check, pass, unchecked, violation } from '../reading/check-case.ts';
import { reply } from '../topics/judged.fixture.ts';
import { answersFrom, judgeChecks, unseenRows } from './judge-checks.ts';

const check = (id: string, judge: Check['judge'], more: Partial<Check> = {}): Check => ({
  id,
  topic: 'chat-answers',
  rows: ['2.4.id'],
  expected: 'e',
  needs: [],
  uses: [],
  isGate: false,
  judge,
  ...more,
});
const gate = (id: string, judge: Check['judge']): Check => check(id, judge, { isGate: true });
const needing = (id: string, ...needs: readonly string[]): Check =>
  check(id, () => pass('read'), { needs });

const rowsOf = (checks: readonly Check[], answers = [reply('a', {}), reply('b', {})]) =>
  judgeChecks(
    checks,
    checks,
    answersFrom({} as never, {
      answers: new Map(answers.map((each) => [each.requestId, each])),
      limited: [],
      repeated: [],
    }),
    'spec',
  ).map(({ id, outcome, observed }) => `${id}: ${outcome}: ${observed}`);

describe('a check of an answer', () => {
  const good = gate('a', () => pass('200'));
  it.each([
    ['a: pass: 200', 'x: pass: read', good, ['a']],
    [
      'a: violation: 500',
      'x: unchecked: a was not answered as wanted',
      gate('a', () => violation('500')),
      ['a'],
    ],
    ['a: unchecked: 429', 'x: unchecked: 429', gate('a', () => unchecked('429')), ['a']],
    ['a: pass: 200', 'x: unchecked: there is no answer to c', good, ['a', 'c']],
  ])('%s, then %s', (first, second, given, needs) => {
    expect(rowsOf([given, needing('x', ...needs)])).toEqual([first, second]);
  });

  it('is not made if the answer is not whole, or did not come', () => {
    const cut = reply('a', {}, { failure: { cause: 'reset', detail: 'x' } });
    expect(rowsOf([good, needing('x', 'a')], [cut])[1]).toBe(
      'x: unchecked: the answer to a is not whole',
    );
    expect(rowsOf([good, needing('x', 'a')], [])[1]).toBe(
      'x: unchecked: the answer to a is not whole',
    );
  });

  it('keeps eight lines of evidence, and quotes the first row of the interface', () => {
    const evidence = Array.from({ length: 9 }, (_, at) => `line ${at}`);
    const bounds = { of: 'input', reported: 3, least: 1, most: 2 } as const;
    const given = check('x', () => ({ ...violation('v', evidence), bounds }));
    const [row] = judgeChecks(
      [given, check('y', () => pass('p'), { rows: [] })],
      [],
      answersFrom({} as never, { answers: new Map(), limited: [], repeated: [] }),
      'spec',
    );
    expect(row!.evidence).toEqual(evidence.slice(0, 8));
    expect(row).toMatchObject({ bounds, name: null, section: '2.4', expected: 'e' });
    expect(row!.sentence).not.toBe('');
  });
});

it('rows that no check can see are listed with a reason', () => {
  const unseen = unseenRows();
  expect(unseen.length).toBeGreaterThan(0);
  expect(unseen.every(({ reason, sentence }) => reason !== '' && sentence !== '')).toBe(true);
});
