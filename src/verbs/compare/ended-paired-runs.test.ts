// @gate 2 s
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fakeHost } from '../../run/fake-host.fixture.ts';
import { pairsSchema } from './model/pairs.ts';
import { compareIn, openSide, shortLoad as short, sideKeys } from './paired-request.fixture.ts';

/** Paired comparisons that end before their load. */

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-pairs-'));
});
afterAll(() => rm(folder, { recursive: true }));

it('shares the budget of the scenario among both sides, and says that it was spent', async () => {
  const [base, next] = [await openSide(), await openSide()];
  const out = join(folder, 'spent');
  const { message } = await compareIn(
    folder,
    { target: base.url, next: next.url, yes: true, out, maxAdded: '10s' },
    { ...short, budget: { requests: 5 } },
  );
  expect(base.chats.length + next.chats.length).toBe(5);
  expect(message).toBe('incomplete');
  const { notes } = pairsSchema.parse(JSON.parse(await readFile(join(out, 'pairs.json'), 'utf8')));
  expect(notes).toEqual([
    expect.stringMatching(
      /^The load ended after [\d.]+ ms, since the next request might have passed budget\.requests\.$/,
    ),
  ]);
});

it('keeps what it has when it is stopped', async () => {
  const [base, next] = [await openSide(), await openSide()];
  const out = join(folder, 'stopped');
  const fake = fakeHost(sideKeys);
  const push = next.chats.push.bind(next.chats);
  next.chats.push = (...chats: string[]) => {
    fake.stop('SIGTERM');
    return push(...chats);
  };
  const { message } = await compareIn(
    folder,
    { target: base.url, next: next.url, yes: true, out },
    { load: { kind: 'constant', rate: '100/s', duration: '30s' } },
    fake,
  );
  expect(message).toBe('terminated');
  const { notes } = pairsSchema.parse(JSON.parse(await readFile(join(out, 'pairs.json'), 'utf8')));
  expect(notes).toEqual(['The load stopped before the load had ended.']);
});
