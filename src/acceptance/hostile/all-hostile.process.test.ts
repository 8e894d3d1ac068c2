// @full 600 s: every attack many times
import { describe, expect, it, vi } from 'vitest';
import {
  clients,
  memoryMargin,
  properMatrix,
  runMatrix,
  suitedTo,
} from './hostile-matrix.fixture.ts';
import { attacksByFamily, largeFamilies, smallFamilies } from './hostile-servers.fixture.ts';

vi.setConfig({ testTimeout: 600_000 });

describe.each(clients)('the client %s', (client) => {
  const suited = [...smallFamilies, ...largeFamilies]
    .map((family) => ({ family, attacks: suitedTo(attacksByFamily[family], client) }))
    .filter(({ attacks }) => attacks.length > 0);

  it.each(suited)(
    'survives hostile $family, counts right, and takes little more memory',
    async ({ family, attacks }) => {
      const users = largeFamilies.includes(family) ? 2 : 12;
      const matrix = { attacks, clients: [client], repeats: 3, users };
      const hostile = await runMatrix(matrix);
      expect(hostile.problems).toEqual([]);
      const proper = await runMatrix(properMatrix(matrix));
      expect(proper.problems).toEqual([]);
      expect(hostile.peakMemory - proper.peakMemory).toBeLessThan(memoryMargin);
    },
  );

  it.each(suited)(
    'survives hostile $family over TLS and counts right',
    async ({ family, attacks }) => {
      const users = largeFamilies.includes(family) ? 2 : 12;
      const matrix = { attacks, clients: [client], repeats: 1, users, secure: true };
      expect((await runMatrix(matrix)).problems).toEqual([]);
    },
  );

  it('survives answers that are nested deeply', async () => {
    const attacks = suitedTo(attacksByFamily.depth, client);
    const { problems } = await runMatrix({ attacks, clients: [client], repeats: 1, users: 3 });
    expect(problems).toEqual([]);
  });
});
