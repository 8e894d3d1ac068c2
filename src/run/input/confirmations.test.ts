import { expect, it } from 'vitest';
import { fakeHost } from '../fake-host.fixture.ts';
import { confirmBudget, withoutPrints } from './host.ts';

it.each([
  ['y', true],
  [' Y ', true],
  ['yes', true],
  ['YES', true],
  ['', false],
  ['n', false],
  ['ye', false],
  ['yesterday', false],
  ['oh yes', false],
])('a budget is spent only after a yes: %j', async (answer, isSpent) => {
  const questions: string[] = [];
  const ask = async (question: string) => {
    questions.push(question);
    return answer;
  };
  const confirmed = await confirmBudget({ ...fakeHost().host, ask }, 'nothing was sent').then(
    () => true,
    (error: unknown) => (error as Error).message,
  );
  expect([confirmed, questions]).toEqual([isSpent || 'nothing was sent', ['Spend it? [y/N] ']]);
});

it('a budget is not spent if nobody can be asked', async () => {
  await expect(confirmBudget(fakeHost().host, 'nothing was sent')).rejects.toThrow(
    'this budget needs a confirmation, and standard input is no terminal: add --yes to spend it without being asked',
  );
});

it('a run that is a part of a command speaks, but prints no result', () => {
  const { host, said, warned, printed, listed } = fakeHost({ A: 'b' });
  const { printer, environment } = withoutPrints(host);
  printer.say('one');
  printer.warn('two');
  printer.print({ text: () => 'three' });
  printer.listFiles('four');
  printer.close({ text: () => 'five' });
  expect([said, warned, printed, listed]).toEqual([['one'], ['two'], [], []]);
  expect(environment).toEqual({ A: 'b' });
});
