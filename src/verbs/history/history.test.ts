import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sampleSide } from '../../judge/series/sample-sides.fixture.ts';
import type { Result } from '../../model/result/result.ts';
import { fakeHost } from '../../run/fake-host.fixture.ts';
import { deleteBaseline, listBaselines, listHistory, saveBaseline } from './history.ts';
import { historySchema } from './model/trend.ts';

/** A history in a separate folder, with these results beside it. */
const opened = async (results: readonly Partial<Result>[] = []) => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-history-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const fake = fakeHost({ WEIR_HISTORY: join(folder, 'history.db') });
  const files = results.map((_, n) => join(folder, `${n + 1}.json`));
  for (const [n, changes] of results.entries()) {
    const [{ result }] = sampleSide('a', 1, { seed: n }, changes).repetitions;
    await writeFile(files[n]!, JSON.stringify(result));
  }
  const list = async (plan?: string) => {
    await listHistory({ plan, page: false, out: undefined }, fake.host);
    return historySchema.parse(JSON.parse(fake.printed.at(-1)!.json!)).trends;
  };
  const printed = (): string => fake.printed.at(-1)!.text({ colour: false, width: 100 });
  return { ...fake, folder, files, list, printed };
};

const onDay = (day: number): Partial<Result> => ({ startedAt: `2026-07-0${day}T10:20:30.000Z` });
const planOf = (name: string, planHash: string): Partial<Result> => {
  const [{ result }] = sampleSide('a', 1).repetitions;
  return { plan: { ...result.plan, name }, planHash };
};

describe('the history', () => {
  it('takes runs that a baseline names by their files, once, and lists them by their plans', async () => {
    const { host, files, said, list, printed } = await opened([onDay(1), onDay(2)]);
    await saveBaseline('main', [files[0]!, files[1]!], host);
    await saveBaseline('main', ['2'], host);
    await saveBaseline('old', [files[0]!], host);
    expect(said).toEqual(['main: runs 1, 2', 'main: run 2', 'old: run 1']);
    const trends = await list();
    expect(trends).toHaveLength(1);
    expect(trends[0]!.runs.map(({ id, file, baselines }) => [id, file, baselines])).toEqual([
      [1, files[0], ['old']],
      [2, files[1], ['main']],
    ]);
    expect(trends[0]!.figures.map(({ id, points }) => [id, points.length])).toMatchInlineSnapshot(`
      [
        [
          "chat-stream ttft.p50",
          2,
        ],
        [
          "chat-stream ttft.p95",
          2,
        ],
        [
          "chat-stream tpot.p50",
          2,
        ],
        [
          "chat-stream endToEnd.p50",
          2,
        ],
        [
          "chat-stream endToEnd.p95",
          2,
        ],
        [
          "completed",
          2,
        ],
        [
          "outputTokens",
          2,
        ],
        [
          "errors",
          2,
        ],
        [
          "limited",
          2,
        ],
      ]
    `);
    expect(printed()).toContain('2 runs');
  });

  it('lists the runs of one plan, by its name or four letters of its hash', async () => {
    const { host, files, list } = await opened([
      planOf('evening', 'abcdef'),
      planOf('morning', 'fedcba'),
    ]);
    await saveBaseline('main', files, host);
    const plansOf = async (plan?: string) => (await list(plan)).map((trend) => trend.plan);
    expect((await plansOf()).toSorted()).toEqual(['evening', 'morning']);
    expect(await plansOf('morning')).toEqual(['morning']);
    expect(await plansOf('abcd')).toEqual(['evening']);
    await expect(plansOf('abc')).rejects.toThrow(
      '--plan: expected a plan of the history, evening, morning, or the start of its hash; got abc',
    );
  });

  it('that is empty lists nothing, and knows no plan', async () => {
    const { list } = await opened();
    expect(await list()).toEqual([]);
    await expect(list('x')).rejects.toThrow(
      '--plan: expected a plan of the history, which is empty, or the start of its hash; got x',
    );
  });

  it('writes its page beside it, or where that is asked, and prints nothing else', async () => {
    const { host, folder, said, printed } = await opened();
    const out = join(folder, 'other.html');
    await listHistory({ plan: undefined, page: true, out: undefined }, host);
    await listHistory({ plan: undefined, page: true, out }, host);
    expect(said).toEqual([`Page: ${join(folder, 'history.html')}`, `Page: ${out}`]);
    expect(printed()).toBe('');
    expect(await readFile(out, 'utf8')).toMatch(/^<!doctype html>/i);
    const nowhere = join(folder, 'none', 'x.html');
    await expect(listHistory({ plan: undefined, page: true, out: nowhere }, host)).rejects.toThrow(
      `the page ${nowhere} cannot be written: its folder does not exist`,
    );
  });

  it('has baselines, lists all or one of them, and forgets one but not its runs', async () => {
    const { host, files, said, list, printed } = await opened([onDay(1)]);
    await saveBaseline('main', files, host);
    await saveBaseline('other', ['1'], host);
    await listBaselines(null, host);
    const all = printed();
    await listBaselines('main', host);
    const one = printed();
    expect([all.includes('main'), all.includes('other')]).toEqual([true, true]);
    expect([one.includes('main'), one.includes('other')]).toEqual([true, false]);
    await deleteBaseline('main', host);
    expect(said.at(-1)).toBe('main is no longer a baseline; its runs stay in the history');
    await expect(listBaselines('main', host)).rejects.toThrow(
      'no baseline is called main: There are other; `weir history baseline main RUN…` names runs so',
    );
    await expect(deleteBaseline('othr', host)).rejects.toThrow(
      'no baseline is called othr: did you mean "other"? There are other; `weir',
    );
    expect((await list())[0]!.runs.map(({ id, baselines }) => [id, baselines])).toEqual([
      [1, ['other']],
    ]);
  });

  it('takes no run that it does not have, nor one that nothing can be compared with', async () => {
    const { host, files } = await opened([{ partial: 'stopped by SIGINT' }]);
    await expect(saveBaseline('main', ['7'], host)).rejects.toThrow(
      'the history has no run 7: `weir history` lists them',
    );
    await expect(saveBaseline('main', files, host)).rejects.toThrow(
      `${files[0]} cannot be a base: it is invalid or incomplete, or nothing in it succeeded`,
    );
    await expect(deleteBaseline('main', host)).rejects.toThrow(
      'no baseline is called main: there is none yet; ',
    );
    const off = fakeHost({ WEIR_HISTORY: 'off' });
    await expect(listBaselines(null, off.host)).rejects.toThrow('no history is kept');
  });
});
