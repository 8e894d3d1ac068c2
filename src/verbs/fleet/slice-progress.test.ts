import { expect, it } from 'vitest';
import { emptyOutcomeCounts } from '../../model/measures/outcome-counts.ts';
import { shareProgress } from './slice-progress.ts';

it('shares values that lie between the least and the greatest sample of their step', () => {
  const { observer, take } = shareProgress();
  expect(take()).toBeNull();
  observer.onStart!({} as never);
  const samples = [['chat', [203.1, 203.3, 0, 1000]]] as const;
  observer.onWorkerUpdate!({ figures: { outcomes: emptyOutcomeCounts(), samples } } as never);
  expect(take()!.latencies).toEqual({
    chat: [
      [203.2, 2],
      [0, 1],
      [1000, 1],
    ],
  });
});
