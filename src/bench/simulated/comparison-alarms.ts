import {
  sharesOfVerdicts,
  type SimulatedComparison,
} from '../../verbs/compare/judge/repeated-sides.fixture.ts';
import { atMost, type BenchPart, benchRow } from '../harness/bench.ts';

/** Comparisons of each row. */
const count = 10_000;
/** No test draws with it. */
const seed = 2027;

type Cell = Partial<SimulatedComparison>;

const noises = [0.02, 0.05, 0.1];
const bothSizes = [5, 8];

const crossed = (
  cells: readonly Cell[],
  ...others: readonly (readonly Cell[])[]
): readonly Cell[] =>
  others.reduce<readonly Cell[]>(
    (found, more) => found.flatMap((one) => more.map((other) => ({ ...one, ...other }))),
    cells,
  );

const sizes = bothSizes.map((runs) => ({ runs }));
const noisy = noises.map((noise) => ({ noise }));
const own = [{ isShared: false }];
const walks = [{ walk: 0.03 }];
const otherLucks = (['normal', 'skewed'] as const).map((luck) => ({ luck }));

/** Runs of an unchanged gateway, and the share of regressions that is allowed, in percent. */
const unchanged: readonly (readonly [string, number, readonly Cell[]])[] = [
  [
    'base first, 3 % slower each run',
    2,
    [
      ...crossed(sizes, noisy, [{ isShared: false }, { isShared: true }]),
      ...crossed(sizes, noisy.slice(1), own, otherLucks),
      ...crossed(sizes, noisy, own, walks),
      { runs: 3, noise: 0.1, isShared: false },
    ].map((cell) => ({ ...cell, drift: 0.03, isAlternating: false })),
  ],
  [
    'in turns',
    1,
    [
      ...crossed(sizes, noisy, own),
      ...crossed(sizes, noisy.slice(2), [{ isShared: true }]),
      ...crossed(sizes, noisy.slice(2), own, [...otherLucks, ...walks, { drift: 0.03 }]),
    ],
  ],
  [
    'one against one, 3 % slower',
    2,
    crossed([{ runs: 1, drift: 0.03, isAlternating: false }], noisy, own),
  ],
];

const cellText = ({ runs, noise = 0, isShared = false, luck, walk, drift }: Cell): string =>
  [
    runs && `${runs} runs`,
    `${noise * 100} % ${isShared ? 'shared' : 'own'}`,
    luck,
    walk && `walk of ${walk * 100} %`,
    drift && `drift of ${drift * 100} %`,
  ]
    .filter(Boolean)
    .join(', ');

/** How often runs of an unchanged gateway are called a regression, in simulated comparisons. */
export const measureComparisonAlarms: BenchPart = (say) => {
  const rows = unchanged.flatMap(([name, most, cells]) =>
    cells.map((cell) => {
      const { regression } = sharesOfVerdicts(count, { ...cell, seed });
      say(`${name}, ${cellText(cell)}: ${(100 * regression).toFixed(2)} %`);
      return benchRow(`${name}, ${cellText(cell)}`, '%', 100 * regression, atMost(most));
    }),
  );
  return Promise.resolve(rows);
};

const orders = [
  { order: 'in turns', most: 1, cell: { isAlternating: true } },
  { order: 'base first', most: 2, cell: { isAlternating: false } },
];
const kinds = [
  { noise: 0.02, isShared: true },
  ...crossed(noisy.slice(1), [{ isShared: false }, { isShared: true }]),
];
/** The columns of the table: what is different about the new side or each run. */
const differences = {
  unchanged: {},
  '3 % slower each run': { drift: 0.03 },
  '+10 %': { factor: 1.1 },
  '+20 %': { factor: 1.2 },
};

/** How often five runs against five are called a regression: the first table of reports/compare.md. */
export const measureComparisonPower: BenchPart = (say) => {
  const rows = orders.flatMap(({ order, most, cell }) =>
    kinds.flatMap((kind) => {
      const figures = Object.entries(differences).map(([difference, changed]) => {
        const { regression } = sharesOfVerdicts(count, { ...cell, ...kind, ...changed, seed });
        const bound = 'factor' in changed ? null : atMost(most);
        return benchRow(`${order}, ${cellText(kind)}, ${difference}`, '%', 100 * regression, bound);
      });
      const noise = `${100 * (kind.noise ?? 0)} % ${kind.isShared ? 'shared' : 'own'}`;
      const shares = figures.map(({ value }) => `${value.toFixed(1)} %`);
      say(`| ${[order, noise, ...shares].join(' | ')} |`);
      return figures;
    }),
  );
  return Promise.resolve(rows);
};
