import { expect, it } from 'vitest';
import { fakeHost } from '../../run/fake-host.fixture.ts';
import { followStops } from '../../run/input/follow-stops.ts';
import { claimSlice, measureOffset, waitForRun } from './join-run.ts';
import { memoryRendezvous, sampleRun } from './memory-rendezvous.fixture.ts';
import { runKey } from './model/records.ts';

const waiting = (wait: number, place = memoryRendezvous()) => {
  const { host, said, stop } = fakeHost();
  const stops = followStops(host.onStop, () => undefined);
  const found = waitForRun(place.rendezvous, wait, stops, (text) => said.push(text));
  return { ...place, said, stop, found };
};

it('a worker takes a run that is there, and says nothing', async () => {
  const place = memoryRendezvous();
  place.records.set(runKey, JSON.stringify(sampleRun()));
  const { found, said } = waiting(0, place);
  expect(await found).toEqual(sampleRun());
  expect(said).toEqual([]);
});

it('a worker says once that it waits, and ends when the time is over', async () => {
  const { found, said } = waiting(1);
  await expect(found).rejects.toThrow('no coordinator came to memory within 1 ms: start weir');
  expect(said).toEqual(['Waiting for weir coordinate at memory.']);
});

it('a worker that waits can be stopped', async () => {
  const { found, stop } = waiting(60_000);
  stop('SIGINT');
  await expect(found).rejects.toThrow('stopped by SIGINT before the load began');
});

it('a worker takes no run of another version', async () => {
  const place = memoryRendezvous();
  place.records.set(runKey, '{"format":"rendezvous/2"}');
  await expect(waiting(60_000, place).found).rejects.toThrow(
    'the rendezvous memory holds a run of another version of Weir',
  );
});

it('workers get the free slices in order, and one too many gets none', async () => {
  const { rendezvous } = memoryRendezvous();
  const claim = (worker: string, run = sampleRun()) => claimSlice(rendezvous, run, null, worker);
  expect([await claim('a'), await claim('b')]).toEqual([0, 1]);
  await expect(claim('c')).rejects.toThrow(
    'all 2 slices are taken: this worker sends nothing. Give weir coordinate more --slices',
  );
  await expect(claim('c', sampleRun({ slices: 1 }))).rejects.toThrow('the only slice is taken');
});

it('a worker that names a slice gets that one, or none', async () => {
  const { rendezvous } = memoryRendezvous();
  const claim = (worker: string, index: number, count: number) =>
    claimSlice(rendezvous, sampleRun(), { index, count }, worker);
  expect(await claim('a', 1, 2)).toBe(1);
  expect(await claim('a', 1, 2)).toBe(1);
  await expect(claim('b', 1, 2)).rejects.toThrow(
    'slice 1/2 is taken: this worker sends nothing, since its requests would be sent twice',
  );
  await expect(claim('b', 0, 3)).rejects.toThrow(
    '--slice: the coordinator divides the load into 2 slices, and this worker is 0 of 3',
  );
});

it('a worker asks for the time at least sixteen times, and takes what the answers allow', async () => {
  const { rendezvous } = memoryRendezvous();
  let asked = 0;
  const clock = {
    ...rendezvous,
    askTime: () => {
      asked += 1;
      // Each third question has no answer.
      return Promise.resolve(asked % 3 === 0 ? null : 1000);
    },
  };
  const { offset, uncertainty } = await measureOffset(clock, 100);
  expect(asked).toBeGreaterThanOrEqual(23);
  expect(uncertainty).toBeLessThan(1000);
  expect(offset).toBeGreaterThan(1e9);
});

it('a worker gives up a clock that leaves all its questions unanswered', async () => {
  const { rendezvous } = memoryRendezvous();
  let asked = 0;
  const silent = {
    ...rendezvous,
    askTime: () => {
      asked += 1;
      return Promise.resolve(asked === 1 ? Number.NaN : null);
    },
  };
  await expect(measureOffset(silent, 4)).rejects.toThrow(
    'the coordinator’s clock does not answer at memory: is weir coordinate still running there?',
  );
  expect(asked).toBe(4);
});
