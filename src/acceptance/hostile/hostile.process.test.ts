// @long 90 s
import { expect, it, vi } from 'vitest';
import {
  clients,
  memoryMargin,
  properMatrix,
  runMatrix,
  suitedTo,
} from './hostile-matrix.fixture.ts';
import { attacksByFamily, largeFamilies, smallFamilies } from './hostile-servers.fixture.ts';

vi.setConfig({ testTimeout: 600_000 });

it.each([
  { answers: 'short or slow', families: smallFamilies, of: clients, users: 12 },
  // Each client in its own process, since one client's large answers would count against the next.
  ...clients.map((client) => ({
    answers: `large, to the client ${client},`,
    families: largeFamilies,
    of: [client],
    users: 2,
  })),
])(
  'no hostile server whose answers are $answers makes a run hang, miscount, or take much more memory than a proper one',
  async ({ families, of, users }) => {
    const all = families.flatMap((family) => attacksByFamily[family]);
    const attacks = all.filter((attack) => of.some((client) => suitedTo([attack], client).length));
    const matrix = { attacks, clients: of, repeats: 1, users };
    const moreMemory = async (): Promise<number> => {
      const hostile = await runMatrix(matrix);
      expect(hostile.problems).toEqual([]);
      expect(hostile.cases).toBeGreaterThan(attacks.length);
      const proper = await runMatrix(properMatrix(matrix));
      expect(proper.problems).toEqual([]);
      return hostile.peakMemory - proper.peakMemory;
    };
    // A late collection adds to a peak once; what is held adds to each.
    let more = await moreMemory();
    if (more >= memoryMargin) more = await moreMemory();
    expect(more).toBeLessThan(memoryMargin);
  },
);

it('no hostile server that speaks TLS makes a run hang or miscount', async () => {
  const attacks = ['chunked coding', 'bodies', 'timing'] as const;
  const matrix = {
    attacks: attacks.flatMap((family) => attacksByFamily[family]),
    clients: ['socket', 'undici'] as const,
    repeats: 1,
    users: 12,
    secure: true,
  };
  const { problems, cases } = await runMatrix(matrix);
  expect(problems).toEqual([]);
  expect(cases).toBeGreaterThan(matrix.attacks.length);
});

it('no small answer that is nested deeply ends a run', async () => {
  const { problems } = await runMatrix({
    attacks: attacksByFamily.depth,
    clients: ['socket'],
    repeats: 1,
    users: 3,
  });
  expect(problems).toEqual([]);
});
