import { expect, it, vi } from 'vitest';
import type { Attack } from './attack.fixture.ts';
import {
  clients,
  type HostileClient,
  memoryMargin,
  properMatrix,
  runMatrix,
  suitedTo,
} from './hostile-matrix.fixture.ts';
import { attacksByFamily, largeFamilies, smallFamilies } from './hostile-servers.fixture.ts';

vi.setConfig({ testTimeout: 600_000 });

const families = [
  { answers: 'short or slow', families: smallFamilies, users: 12 },
  { answers: 'large', families: largeFamilies, users: 2 },
];

/** Each attack meets one of the clients that it suits; `npm run test:hostile` has all of them meet. */
const shareOf = (attacks: readonly Attack[], client: HostileClient): readonly Attack[] =>
  attacks.filter((attack, place) => {
    const suited = clients.filter((each) => suitedTo([attack], each).length > 0);
    return suited[place % suited.length] === client;
  });

// Each client in its own process, since one client's large answers would count against the next.
it.each(clients.flatMap((client) => families.map((group) => ({ client, ...group }))))(
  'no hostile server whose answers are $answers makes a run by $client hang, miscount, or take much more memory than a proper one',
  async ({ client, families: chosen, users }) => {
    const attacks = shareOf(
      chosen.flatMap((family) => attacksByFamily[family]),
      client,
    );
    expect(attacks.length).toBeGreaterThan(0);
    const matrix = { attacks, clients: [client], repeats: 1, users };
    const moreMemory = async (): Promise<number> => {
      const hostile = await runMatrix(matrix);
      expect(hostile.problems).toEqual([]);
      expect(hostile.cases).toBeGreaterThanOrEqual(attacks.length);
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
