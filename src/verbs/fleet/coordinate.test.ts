import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { fakeHost } from '../../run/fake-host.fixture.ts';
import { coordinateOnce } from './coordinate.ts';
import type { CoordinateRequest } from './follow-load.ts';

/** Starts a coordinator that meets its workers in a folder. No worker comes. */
const opened = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-coordinate-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const fake = fakeHost();
  const place = join(folder, 'place');
  const coordinate = (given: Partial<CoordinateRequest> = {}, changes: object = {}) => {
    const value = {
      name: 'shared',
      traffic: [{ kind: 'models' }],
      load: { kind: 'constant', rate: '2/s', duration: '5s' },
      limits: 'none',
      ...changes,
    };
    return coordinateOnce(
      {
        source: {
          scenario: undefined,
          value,
          flags: {},
          set: [],
          target: 'http://127.0.0.1:1/v1',
        },
        slices: 2,
        rendezvous: `file://${place}`,
        onLost: 'stop',
        silence: 10_000,
        wait: 0,
        out: join(folder, 'out'),
        extraReports: {},
        live: undefined,
        history: null,
        yes: true,
        runId: undefined,
        ...given,
      },
      fake.host,
    );
  };
  return { ...fake, coordinate, place, folder };
};

it('a coordinator to whom nobody comes says so, and leaves neither files nor a meeting', async () => {
  const { coordinate, place, folder, said, warned } = await opened();
  await expect(coordinate()).rejects.toThrow(
    `0 of 2 workers came within 0 s: start the others with weir worker --rendezvous file://${place}, or wait longer with --wait. Nothing was sent`,
  );
  expect([said, warned]).toEqual([
    [`Waiting for 2 workers: start each with weir worker --rendezvous file://${place}`],
    [],
  ]);
  expect(await readdir(place)).toEqual([]);
  expect(await readdir(folder)).toEqual(['place']);
});

it('a coordinator that is stopped while it waits leaves nothing either', async () => {
  const { coordinate, place, folder, host, stop } = await opened();
  const { say } = host.printer;
  Object.assign(host.printer, {
    say: (text: string) => {
      say(text);
      setImmediate(() => stop('SIGTERM'));
    },
  });
  await expect(coordinate({ wait: 60_000, slices: 1, out: null })).rejects.toThrow(
    'stopped by SIGTERM before the load began',
  );
  expect([await readdir(place), await readdir(folder)]).toEqual([[], ['place']]);
});

it('a coordinator without a rendezvous leaves no folder', async () => {
  const { coordinate, folder } = await opened();
  await expect(coordinate({ rendezvous: 'http://h/' })).rejects.toThrow('expected nats://HOST');
  expect(await readdir(folder)).toEqual([]);
});

it('a load that has no slices is not divided, nor is a plan that does not fit its budget', async () => {
  const { coordinate, folder } = await opened();
  await expect(
    coordinate({}, { load: { kind: 'saturate', connections: 2, duration: '5s' } }),
  ).rejects.toThrow('a load of the kind "saturate" has no slices');
  await expect(coordinate({ yes: false }, { budget: { requests: 5 } })).rejects.toThrow('budget');
  expect(await readdir(folder)).toEqual([]);
});
