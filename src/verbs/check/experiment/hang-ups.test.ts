import { expect, it } from 'vitest';
import { type HangUpServer, requests, serveHangUps } from './hang-up-server.fixture.ts';
import { examineHangUps } from './hang-ups.ts';

const examine = (server: HangUpServer) => examineHangUps(serveHangUps(server), requests);

it('a server that stops is idle at once, and admits again at once', async () => {
  const { slot, generation, charge } = await examine({ stops: true, slots: 3 });
  expect(slot).toMatchObject({ admitted: 3, admittedAfter: 10 });
  expect(generation).toMatchObject({ idleAfter: 20 });
  expect(charge).toMatchObject({ ofHangUp: 6, ofWhole: 400 });
});

it('a server that goes on is busy, and full, as long as the answer would have taken', async () => {
  const { slot, generation, charge } = await examine({ stops: false, slots: 2 });
  const { admittedAfter, naturalRest } = slot as { admittedAfter: number; naturalRest: number };
  expect(admittedAfter / naturalRest).toBeGreaterThan(0.95);
  const { idleAfter, naturalRest: rest } = generation as { idleAfter: number; naturalRest: number };
  expect(idleAfter / rest).toBeGreaterThan(0.95);
  expect(charge).toMatchObject({ ofHangUp: 400, ofWhole: 400 });
});

it.each([500, 3000, 5500, 60_000])(
  'a request of somebody else that comes with the hang-up, for %d ms, accuses nobody',
  async (length) => {
    const { generation } = await examine({ stops: true, slots: 9, others: { 1: length } });
    const { naturalRest = 0, idleAfter = 0 } = generation as unknown as Record<string, number>;
    // Either it is seen, or it ends at a time that proves nothing.
    expect(
      'unseen' in generation || idleAfter < 0.8 * naturalRest,
      JSON.stringify(generation),
    ).toBe(true);
  },
);

it('requests of others that overlap with what was hung up on are seen', async () => {
  const { generation } = await examine({ stops: false, slots: 9, others: { 1: 800 } });
  expect(generation).toEqual({ unseen: '2 requests ran on the server after the hang-up' });
});

it('a slot that somebody else took is distinguished from a slot that is still held', async () => {
  const { slot } = await examine({ stops: true, slots: 2, others: { 2: 60_000 } });
  const { admittedAfter, naturalRest } = slot as { admittedAfter: number; naturalRest: number };
  expect(admittedAfter / naturalRest).toBeGreaterThan(0.5);
  expect(admittedAfter / naturalRest).toBeLessThan(0.7);
});

it.each([20, 60, 200])(
  'somebody else’s %d tokens a second are no charge of a hang-up',
  async (perSecond) => {
    const use = { from: 4100, perSecond };
    const { charge } = await examine({ stops: true, slots: 9, use });
    expect(charge).toEqual({ unseen: expect.stringMatching(/^somebody else used the key/) });
  },
);
