import { extname, join } from 'node:path';
import type { z } from 'zod';
import type { Plan } from '../../model/plan/plan.ts';
import { parsedJson } from '../../model/parsed-json.ts';
import { readTextFile } from '../../platform/files/whole-file.ts';
import { weirVersion } from '../../platform/host/machine.ts';
import { startPageProcess } from '../../platform/live/start-page-process.ts';
import { Problem } from '../../platform/problem.ts';
import { scheduledEnd } from '../../schedule/stages.ts';
import type { LivePageRequest } from '../input/run-request.ts';
import {
  fromPageSchema,
  pageReadySchema,
  type PageSetup,
  type ToPage,
} from '../live/page-messages.ts';
import { outputFiles } from '../output/output-folder.ts';
import type { CheckpointSink } from './checkpoint.ts';
import type { RunObserver } from './observer.ts';
import { setWatched, type SnapshotPace } from './snapshot-pace.ts';

const entry = new URL(`../live/page-process${extname(import.meta.filename)}`, import.meta.url);

/** The interval between two messages about the progress, in ms. */
const progressInterval = 1000;
/**
 * The live page ends if its process leaves more than this many bytes unread, since they occupy memory of the load
 * generator.
 */
const maxBacklog = 16 * 1024 * 1024;

const start = async (setup: PageSetup, startProcess: typeof startPageProcess) => {
  const page = await startProcess(entry, setup);
  const ready = pageReadySchema.parse(JSON.parse(page.line));
  if ('address' in ready) return { page, address: ready.address };
  await page.stop();
  throw new Problem(
    `--live: port ${setup.port} of 127.0.0.1 cannot be used to listen: ${ready.problem}. Give another one, or leave it out for any that is free`,
  );
};

/**
 * Returns the message in a line; `undefined` if the line is no message. Other code in the page's process may have
 * printed the line.
 */
const messageIn = (line: string): z.infer<typeof fromPageSchema> | undefined =>
  fromPageSchema.safeParse(parsedJson(line)).data;

/**
 * Serves the report of a run during the run. Another process makes the page from the lines of the checkpoint and serves
 * the page. This function only sends the lines, and requests more frequent snapshots while somebody views the page.
 * Throws a `Problem` if the port is unusable.
 */
export const openLivePage = async (
  { port, onAddress }: LivePageRequest,
  { plan, folder, pace }: { plan: Plan; folder: string; pace: SnapshotPace },
  { warn, requestStop }: { warn: (text: string) => void; requestStop: () => void },
  startProcess = startPageProcess,
): Promise<CheckpointSink & RunObserver> => {
  const report = join(folder, outputFiles.run.page);
  const setup = { port, weir: weirVersion(), name: plan.name, planned: scheduledEnd(plan), report };
  const { page, address } = await start(setup, startProcess);
  let isGivenUp = false;
  const giveUp = (reason: string): void => {
    isGivenUp = true;
    setWatched(pace, false);
    warn(`The live page has ended (${reason}); the run goes on.`);
    void page.stop();
  };
  const write = (line: string): void => {
    if (isGivenUp) return;
    if (page.backlog() > maxBacklog) giveUp('its process does not keep up');
    else page.write(`${line}\n`);
  };
  const send = (live: ToPage): void => write(JSON.stringify({ live }));
  page.onLine((line) => {
    const message = messageIn(line);
    if (message === undefined) return;
    if ('stop' in message) requestStop();
    else setWatched(pace, message.readers > 0);
  });
  let nextProgress = 0;
  onAddress(address);
  return {
    write,
    onTick: (elapsed, { due, inFlight, endedBefore }) => {
      const reason = isGivenUp ? null : page.ended();
      if (reason !== null) giveUp(reason);
      if (elapsed < nextProgress) return;
      nextProgress = elapsed + progressInterval - 20;
      send({ progress: { elapsed, due, inFlight, endedBefore } });
    },
    onPublished: async (written) => {
      // The file may contain an older report if the new report could not be written.
      const finished = written === 'pass' ? await readTextFile(report).catch(() => null) : null;
      send({ finished });
    },
    close: page.stop,
  };
};
