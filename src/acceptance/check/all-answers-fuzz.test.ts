// @full 10 s: ten thousand answers in place of three
import { expect, it } from 'vitest';
import { fuzzThousands } from './fuzzed-memory.fixture.ts';

it('ten thousand random and changed answers are judged and reported, quickly and in flat memory', async () => {
  const { slowest, growth } = await fuzzThousands(10);
  expect(slowest).toBeLessThan(2000);
  expect(growth).toBeLessThan(10);
}, 900_000);
