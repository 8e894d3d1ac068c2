import { expect, it } from 'vitest';
import { htmlPage } from '../../../report/document/html-page.ts';
import { recoveryDocument } from './recovery-document.ts';
import { samplePolicy, sampleRecovery } from './sample-recovery.fixture.ts';

const pageOf = (changes: Parameters<typeof samplePolicy>[0]): string =>
  htmlPage(recoveryDocument(sampleRecovery({ policies: [samplePolicy(changes)] })), '');

/** The first points of a line, and how far apart they are on the page. */
const pointsOf = (page: string, look: string): readonly (readonly [number, number])[] => {
  const [, path = ''] = new RegExp(`<path class="${look}" d="([^"]*)"`).exec(page) ?? [];
  return [...path.matchAll(/[ML]([\d.]+)[ ,]([\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)]);
};

it('the picture of a policy has a rate for each window, at its middle', () => {
  const page = pageOf({});
  const lines = ['sent', 'due', 'firm completed'].map((look) => pointsOf(page, look));
  for (const line of lines) expect(line).toHaveLength(3);
  const [sent, due, good] = lines.map((line) => line.map(([, y]) => y));
  // 42, 160 and 55 attempts in 2 s are 21, 80 and 27.5 a second: heights are in proportion to them.
  const rise = (one: number, other: number): number => one - other;
  expect(rise(sent![0]!, sent![1]!) / rise(sent![2]!, sent![1]!)).toBeCloseTo(59 / 52.5, 1);
  // In the first window 42 were sent, 41 due and 40 good.
  expect(rise(due![0]!, sent![0]!)).toBeCloseTo(rise(good![0]!, due![0]!), 0);
  const [first, second, third] = lines[0]!.map(([x]) => x);
  // The windows begin at 0, 30 and 40 s of the policy's time.
  expect((second! - first!) / (third! - second!)).toBeCloseTo(3, 1);
});

it('the picture marks the overload, and when the target was back after it', () => {
  const marks = (changes: Parameters<typeof samplePolicy>[0]): readonly string[] =>
    [...pageOf(changes).matchAll(/>(overload|back)</g)].map(([, text]) => text!);
  expect(new Set(marks({}))).toEqual(new Set(['overload', 'back']));
  for (const after of [0, null]) expect(new Set(marks({ after }))).toEqual(new Set(['overload']));
});

it('a policy with too few requests for windows has no picture', () => {
  expect(pageOf({})).toContain('<svg');
  expect(pageOf({ resolution: null, windows: [] })).not.toContain('<svg');
});
