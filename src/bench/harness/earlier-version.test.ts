// @gate 1 s
import { execFileSync } from 'node:child_process';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { earlierCommit } from './earlier-version.ts';

it('a bench by turns compares with the last commit of an earlier day, or with the named one', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'weir-test-'));
  const git = (words: readonly string[], date = '2026-03-01 12:00:00 +0000'): string =>
    execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e@example.test', ...words], {
      cwd: folder.path,
      encoding: 'utf8',
      env: { ...process.env, GIT_COMMITTER_DATE: date, GIT_AUTHOR_DATE: date },
    }).trim();
  const commit = async (date: string): Promise<string> => {
    await writeFile(join(folder.path, 'file'), date);
    git(['add', 'file']);
    git(['commit', '--quiet', '--message', date], date);
    return git(['rev-parse', 'HEAD']);
  };
  git(['init', '--quiet']);
  const first = await commit('2026-03-01 12:00:00 +0000');
  await expect(earlierCommit(folder.path)).rejects.toThrow('WEIR_BENCH_BASE=COMMIT');
  const last = await commit('2026-03-01 23:59:00 +0000');
  await commit('2026-03-02 00:01:00 +0000');
  await commit('2026-03-02 18:00:00 +0000');
  expect(await earlierCommit(folder.path)).toBe(last);
  expect(await earlierCommit(folder.path, first.slice(0, 8))).toBe(first);
  await expect(earlierCommit(folder.path, 'nothing')).rejects.toThrow('nothing');
});
