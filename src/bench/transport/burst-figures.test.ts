import { expect, it } from 'vitest';
import { burstFiguresOf, type BurstStream } from './burst-figures.ts';

const stream = (changes: Partial<BurstStream> = {}): BurstStream => ({
  requestId: 'a',
  due: 1000,
  sent: 1010,
  read: [1100, 1153, 1200],
  ...changes,
});
const served = [{ requestId: 'a', sent: [1099, 1149, 1199] }];

it('the error of a gap is how much longer or shorter it was read than sent', () => {
  expect(burstFiguresOf([stream()], served, 0)).toEqual({
    startP50: 10,
    startP99: 10,
    gapErrorP99: 3,
  });
});

it('a delay of all tokens of a stream is no error of its gaps', () => {
  const late = stream({ read: [1599, 1649, 1699] });
  expect(burstFiguresOf([late], served, 0).gapErrorP99).toBe(0);
});

it('gaps that begin too early are left out', () => {
  const shaky = stream({ read: [1120, 1150, 1200] });
  expect(burstFiguresOf([shaky], served, 0).gapErrorP99).toBe(20);
  expect(burstFiguresOf([shaky], served, 100).gapErrorP99).toBe(0);
});

it('a token that was not read is no measurement', () => {
  const cut = stream({ read: [1100] });
  expect(() => burstFiguresOf([cut], served, 0)).toThrow('a: 3 tokens were sent, 1 were read');
  expect(() => burstFiguresOf([stream()], [], 0)).toThrow('a: 0 tokens were sent, 3 were read');
});
