import { expect, it } from 'vitest';
import { exitCode, exitCodes, exitMeaning, exitOfStop, gravestExit } from './exit-codes.ts';

it('every exit has the number on which scripts rely, the gravest first', () => {
  expect(exitCodes.map(({ name }) => `${name} ${exitCode(name)}`)).toEqual([
    'hangup 129',
    'interrupted 130',
    'terminated 143',
    'internal 1',
    'configuration 2',
    'incomplete 3',
    'invalid 12',
    'empty 15',
    'violated 14',
    'objective 10',
    'regression 11',
    'inconclusive 13',
    'unwritten 4',
    'pass 0',
  ]);
});

it('an exit has its meaning, and of several exits the gravest counts', () => {
  expect(exitMeaning('internal')).toBe('a bug in Weir');
  expect(exitMeaning('regression')).toBe('a comparison found a regression');
  expect(gravestExit(['pass', 'unwritten', 'objective'])).toBe('objective');
  expect(gravestExit(['unwritten', 'pass'])).toBe('unwritten');
  expect(gravestExit([])).toBe('pass');
});

it('a stop by a signal has the exit of the signal', () => {
  const stops = (['SIGHUP', 'SIGINT', 'SIGTERM'] as const).map((cause) =>
    exitCode(exitOfStop[cause]),
  );
  // By the convention of shells, 128 and the number of the signal: 1, 2 and 15.
  expect(stops).toEqual([129, 130, 143]);
});
