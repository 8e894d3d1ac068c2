import { expect, it } from 'vitest';
import { reply } from '../topics/judged.fixture.ts';
import { isDeadline } from './check-answer.ts';

it.each([
  ['deadline-total', true],
  ['deadline-idle', true],
  ['reset', false],
] as const)('%s ends an answer by a deadline: %s', (cause, is) => {
  expect(isDeadline(reply('a', {}, { failure: { cause, detail: '' } }).received)).toBe(is);
});

it('a whole answer was ended by no deadline', () => {
  expect(isDeadline(reply('a', {}).received)).toBe(false);
});

it('a text of a server is shown short, without what would change the display', () => {
  const answer = reply('a', {});
  expect(answer.quote('a\u202eb')).toBe('a\\u{202e}b');
  expect(answer.quote('x'.repeat(120))).toBe('x'.repeat(120));
  expect(answer.quote('x'.repeat(121))).toBe(`${'x'.repeat(120)}…`);
  expect(answer.quote('abc', 2)).toBe('ab…');
});
