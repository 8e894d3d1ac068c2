import { expect, it } from 'vitest';
import { drawFrom } from '../../../model/workload/draw.ts';
import { storedRuns } from './sample-runs.fixture.ts';
import { trendsOf } from './trends.ts';

it('trends do not warn of a change below the minimum effect, however significant', () => {
  const [trend] = trendsOf([...storedRuns(30, 1), ...storedRuns(30, 1.05, 30)], (figure) =>
    drawFrom(1, figure),
  );
  expect(trend!.figures.flatMap(({ changes }) => changes)).toStrictEqual([]);
});
