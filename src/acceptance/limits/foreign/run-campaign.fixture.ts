import { isMainThread, workerData } from 'node:worker_threads';
import { currentThread, startThread } from '../../../platform/process/thread.ts';
import { type CampaignCell, type CampaignResult, runCell } from './campaign.fixture.ts';

/** Two are enough for the machines that run this, and leave an example of each size its memory. */
const threads = 2;

/** Marks the threads that this file starts, since a test runner that imports it has threads, too. */
const mark = 'campaign';

/**
 * Runs cells in two threads and returns the results in the order of the cells; `onDone` receives each
 * result when it is there. Throws if a thread ends early.
 */
export const runCampaign = async (
  cells: readonly CampaignCell[],
  onDone: (result: CampaignResult) => void = () => undefined,
): Promise<readonly CampaignResult[]> => {
  const results: CampaignResult[] = [];
  let next = 0;
  const runThread = async (): Promise<void> => {
    let place = next++;
    if (place >= cells.length) return;
    const thread = startThread<CampaignCell | null>(new URL(import.meta.url), mark, (result) => {
      results[place] = result as CampaignResult;
      onDone(results[place]!);
      place = next++;
      thread.post(cells[place] ?? null);
    });
    thread.post(cells[place]!);
    const reason = await thread.ended;
    if (reason !== null) throw new Error(`a thread of the campaign failed: ${reason}`);
  };
  await Promise.all(Array.from({ length: threads }, runThread));
  return results;
};

if (!isMainThread && workerData === mark) {
  const thread = currentThread<typeof mark, CampaignCell | null, CampaignResult>();
  thread.listen((cell) => {
    if (cell === null) thread.close();
    else void runCell(cell).then((result) => thread.post(result));
  });
}
