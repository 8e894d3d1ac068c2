/**
 * This process serves the live page of a run. It makes the page from the lines of the run's checkpoint, so the load
 * generator need not render or serve anything. It ends when its standard input ends, at the end of the run.
 */
import { readLiveScript, readReportAssets } from '../../platform/files/report-assets.ts';
import { startClock } from '../../platform/host/clock.ts';
import { openLiveServer } from '../../platform/live/live-server.ts';
import { onInterrupt } from '../../platform/process/interrupts.ts';
import { openParentPipe } from '../../platform/process/parent-pipe.ts';
import { yieldToOthers } from '../../platform/process/this-process.ts';
import { LiveState } from './live-state.ts';
import { pageSetupSchema, toPageSchema } from './page-messages.ts';

/**
 * The interval between two updates, in ms. After each update, the process waits at least `idleShare` times as long as
 * the update took. So this process uses at most a fifth of a core.
 */
const updateInterval = 1000;
const idleShare = 4;
const pollInterval = 50;

// Ctrl-C in the terminal sends a signal to the run and to this process. This process ignores the signal, since the run
// handles it.
onInterrupt(() => undefined);
const parent = openParentPipe();
const clock = startClock();
const assets = { ...(await readReportAssets()), liveScript: await readLiveScript() };
const setup = pageSetupSchema.parse(JSON.parse((await parent.firstLine) ?? 'null'));
const state = new LiveState(setup);
/** Whether the run's data has changed since the last update. */
let isChanged = false;
let readers = 0;
let isStopped = false;
/** The finished report; `null` if the report could not be written, and `undefined` before the run ends. */
let finished: string | null | undefined;

const server = await openLiveServer(setup.port, {
  page: () => finished ?? state.page(assets),
  onStop: () => {
    // Only the first click on the button has an effect. A second request to stop would abort the requests in flight,
    // and a second reader must not do this.
    if (!isStopped) parent.print(JSON.stringify({ stop: true }));
    isStopped = true;
  },
  onReaders: (count) => {
    readers = count;
    parent.print(JSON.stringify({ readers: count }));
  },
}).catch((error: unknown) => {
  const { code, message } = error as NodeJS.ErrnoException;
  parent.print(JSON.stringify({ problem: code ?? message }));
  parent.close();
  return null;
});

if (server !== null) {
  parent.onLine((line) => {
    const json: unknown = JSON.parse(line);
    isChanged = true;
    const message = toPageSchema.safeParse(json);
    if (!message.success) state.add(json);
    else if ('progress' in message.data.live) state.progress = message.data.live.progress;
    else finished = message.data.live.finished;
  });
  let next = 0;
  const stopUpdates = clock.every(pollInterval, () => {
    const begun = clock.now();
    if (!isChanged || readers === 0 || begun < next) return;
    isChanged = false;
    server.send('page', state.update());
    next = Math.max(begun + updateInterval, clock.now() + idleShare * (clock.now() - begun));
  });
  parent.print(JSON.stringify({ address: server.address }));
  yieldToOthers();
  await parent.closed;
  stopUpdates();
  await (typeof finished === 'string'
    ? server.finish('finished', finished)
    : server.finish('gone', finished === null ? 'unwritten' : 'ended'));
}
