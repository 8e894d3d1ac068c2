import { expect, it } from 'vitest';
import { samplePlan } from '../model/plan/sample-plan.fixture.ts';
import { openCanary } from './canary.ts';

/** The self-test streams of a run, whose emitter is one of the test. */

const watched = samplePlan({ canary: true, transport: 'socket' });

it('an emitter is shared among event loops, at most five streams for each', async () => {
  let stops = 0;
  let exit: string | null = null;
  const emitter = {
    port: 4000,
    pid: 77,
    ended: () => exit,
    stop: async () => void (stops += 1),
  };
  const openFor = (loops: number) => openCanary(watched, loops, async () => emitter);
  const streams = await Promise.all(
    [1, 32, 33, 40, 41, 80, 81, 161].map(async (loops) => {
      const { streamOptions } = await openFor(loops);
      return [loops, streamOptions?.streams];
    }),
  );
  expect(streams).toEqual([
    [1, 5],
    [32, 5],
    [33, 4],
    [40, 4],
    [41, 3],
    [80, 2],
    [81, 1],
    [161, 1],
  ]);
  const { streamOptions, notes, endNotes, pid, stop } = await openFor(40);
  expect([streamOptions, notes, endNotes(), pid]).toEqual([
    { port: 4000, streams: 4, transport: 'socket' },
    [],
    [],
    77,
  ]);
  exit = 'SIGKILL';
  expect(endNotes()).toEqual([
    'The canary’s emitter ended during the run (SIGKILL): nothing shows how late reads were after that.',
  ]);
  await stop();
  expect(stops).toBe(1);
});

it.each([
  ['spawn EMFILE', 'Raise the limit of open files (`ulimit -n`)'],
  ['no program', 'Fix that'],
])('a run goes on without an emitter, and says why: %s', async (reason, remedy) => {
  const { notes, ...rest } = await openCanary(watched, 1, async () => reason);
  expect(notes).toEqual([
    `No self-test streams: the canary’s emitter could not be started (${reason}). ${remedy}, or switch the canary off with \`canary: false\`.`,
  ]);
  expect([rest.streamOptions, rest.pid, rest.endNotes()]).toEqual([null, null, []]);
  await rest.stop();
});

it('a run without self-test streams starts no emitter', async () => {
  const start = (): never => {
    throw new Error('an emitter was started');
  };
  await expect(openCanary(samplePlan(), 1, start)).resolves.toMatchObject({ streamOptions: null });
});
