// @gate 1 s
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { pairsSchema } from './model/pairs.ts';
import { compareIn, openSide, shortLoad as short } from './paired-request.fixture.ts';

/** Whole paired comparisons of a few requests. */

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-pairs-'));
});
afterAll(() => rm(folder, { recursive: true }));

it('sends each request to both sides with the key of each, and reports what failed at one', async () => {
  const [base, next] = [await openSide(), await openSide(500)];
  const out = join(folder, 'both');
  const { said, warned, printed, listed } = await compareIn(
    folder,
    { target: base.url, next: next.url, yes: true, out, gap: '2ms' },
    short,
  );
  const stored: unknown = JSON.parse(await readFile(join(out, 'pairs.json'), 'utf8'));
  const report = pairsSchema.parse(stored);
  expect(report).toMatchObject({
    format: 'pairs/1',
    name: 'pairs',
    gap: 2,
    seconds: 1,
    pairs: 6,
    base: { target: base.url, key: ['direct'], outcomes: { completed: 6 } },
    next: { target: next.url, key: ['gateway'], outcomes: { completed: 0 } },
    failures: { baseOnly: 0, nextOnly: 6, both: 0, unknown: 0 },
    notes: [],
  });
  const bodies = (chats: readonly string[], key: string): readonly string[] =>
    chats.map((chat) => chat.replace(`Bearer ${key} `, '')).toSorted();
  expect(bodies(next.chats, 'sk-gateway')).toEqual(bodies(base.chats, 'sk-direct'));
  expect(said).toContain(
    `pairs: each request to ${base.url} and to ${next.url}, 2 ms apart in random order, for 60 ms. Ctrl-C ends it early and keeps the report.`,
  );
  expect(warned).toEqual([]);
  expect(JSON.parse(printed[0]!.json!)).toEqual(stored);
  expect(listed.join('\n')).toContain(join(out, 'pairs.html'));
  for (const [name, { url }] of [
    ['base', base],
    ['new', next],
  ] as const) {
    const result = JSON.parse(await readFile(join(out, name, 'result.json'), 'utf8'));
    expect(result).toMatchObject({ baseUrl: url, scheduled: 60, partial: null });
    expect(JSON.stringify(result)).not.toContain('sk-');
  }
});
