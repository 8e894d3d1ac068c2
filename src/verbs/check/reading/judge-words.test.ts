import { expect, it } from 'vitest';
import { judgeWords } from './judge-words.ts';

const outcomeOf = (expected: string, found: string): string => {
  const { outcome, name } = judgeWords(expected, found, 'the text');
  return name === undefined ? outcome : `${outcome}: ${name}`;
};

const text = 'The river rises slowly behind the old weir this morning.';

it.each([
  ['the same', text, 'pass'],
  ['the same in other case', text.toUpperCase(), 'pass'],
  ['a text without its end', 'The river rises slowly behind', 'deviation: cut-words'],
  [
    'some other words',
    'The lake rises slowly behind an old mill this morning.',
    'deviation: other-words',
  ],
  ['another text', 'Nobody has ever said so, and nobody will.', 'violation'],
])('%s is judged', (_, found, expected) => {
  expect(outcomeOf(text, found)).toBe(expected);
});

it('a transcript that is too long for any recording of the suite takes no time', () => {
  const [expected, found] = ['a b c ', 'c a b d '].map((words) => words.repeat(100_000));
  const before = process.cpuUsage();
  expect(outcomeOf(expected!, found!)).toBe('unchecked');
  expect(outcomeOf(text, found!)).toBe('violation');
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(1000);
});
