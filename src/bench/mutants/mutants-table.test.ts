import { expect, it } from 'vitest';
import { mutantsTable, noticedPart } from './mutants-table.ts';

const outcome = (room: string, noticedBy: string | null, tests = 2) => ({
  path: `src/${room}/a.ts`,
  room,
  kind: 'number' as const,
  line: 7,
  before: 'const a = 1;',
  after: 'const a = 2;',
  noticedBy,
  tests,
});

it('each room has a row, and what nobody noticed stands below with its place and change', () => {
  const outcomes = [outcome('run', null), outcome('run', 'a.test.ts'), outcome('judge', null, 0)];
  expect(noticedPart(outcomes)).toBeCloseTo(1 / 3);
  expect(mutantsTable(outcomes)).toBe(`| room | mutants | noticed | |
| --- | --- | --- | --- |
| judge | 1 | 0 | 0 % |
| run | 2 | 1 | 50 % |
| whole | 3 | 1 | 33 % |

src/run/a.ts:7: number, run by 2 files of tests
  - const a = 1;
  + const a = 2;
src/judge/a.ts:7: number, run by no test
  - const a = 1;
  + const a = 2;`);
});
