import { expect, it, vi } from 'vitest';
import { clients, memoryMargin, properMatrix, runMatrix } from './hostile-matrix.fixture.ts';
import { attacksByFamily, largeFamilies, smallFamilies } from './hostile-servers.fixture.ts';

vi.setConfig({ testTimeout: 600_000 });

it.each([
  { answers: 'short or slow', families: smallFamilies, users: 12 },
  { answers: 'large', families: largeFamilies, users: 3 },
])(
  'no hostile server whose answers are $answers makes a run hang, miscount, or take much more memory than a proper one',
  async ({ families, users }) => {
    const attacks = families.flatMap((family) => attacksByFamily[family]);
    const matrix = { attacks, clients, repeats: 1, users };
    const hostile = await runMatrix(matrix);
    expect(hostile.problems).toEqual([]);
    expect(hostile.cases).toBeGreaterThan(400);
    const proper = await runMatrix(properMatrix(matrix));
    expect(proper.problems).toEqual([]);
    expect(hostile.peakMemory - proper.peakMemory).toBeLessThan(memoryMargin);
  },
);

// Fails today: JSON.stringify, Array.join and String run out of stack in the readers of errors and tool calls.
it.fails('no small answer that is nested deeply ends a run', async () => {
  const { problems } = await runMatrix({
    attacks: attacksByFamily.depth,
    clients: ['socket'],
    repeats: 1,
    users: 3,
  });
  expect(problems).toEqual([]);
});
