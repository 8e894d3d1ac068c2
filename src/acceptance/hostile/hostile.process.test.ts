import { expect, it, vi } from 'vitest';
import { attacksByFamily, allAttacks } from './hostile-servers.fixture.ts';
import { clients, memoryMargin, properMatrix, runMatrix } from './hostile-matrix.fixture.ts';

vi.setConfig({ testTimeout: 600_000 });

const shallow = allAttacks.filter((attack) => !attacksByFamily.depth.includes(attack));
const matrix = { attacks: shallow, clients, repeats: 1 };

it('no hostile server makes a run hang, miscount, or take much more memory than a proper one', async () => {
  const hostile = await runMatrix(matrix);
  expect(hostile.problems).toEqual([]);
  expect(hostile.cases).toBeGreaterThan(1000);
  const proper = await runMatrix(properMatrix(matrix));
  expect(proper.problems).toEqual([]);
  expect(hostile.peakMemory - proper.peakMemory).toBeLessThan(memoryMargin);
});

// Fails today: JSON.stringify, Array.join and String run out of stack in the readers of errors and tool calls.
it.fails('no small answer that is nested deeply ends a run', async () => {
  const { problems } = await runMatrix({
    attacks: attacksByFamily.depth,
    clients: ['socket'],
    repeats: 1,
  });
  expect(problems).toEqual([]);
});
