import { execFile } from 'node:child_process';
import { symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { openTempFolder } from './run-weir.ts';

const run = promisify(execFile);

/**
 * Returns the commit that a bench by turns compares with: the one that `WEIR_BENCH_BASE` names, else the newest of the days
 * before that of HEAD. Throws if there is none.
 */
export const earlierCommit = async (repository: string, named?: string): Promise<string> => {
  const git = async (...words: readonly string[]): Promise<string> =>
    (await run('git', words, { cwd: repository })).stdout.trim();
  if (named !== undefined) return git('rev-parse', '--verify', `${named}^{commit}`);
  const day = await git('log', '-1', '--format=%cd', '--date=format:%Y-%m-%d 00:00:00 %z');
  const commit = await git('rev-list', '-1', `--before=${day}`, 'HEAD');
  if (commit === '') throw new Error(`no commit before ${day}: name one, WEIR_BENCH_BASE=COMMIT`);
  return commit;
};

/** The files of a commit in a separate folder, with the packages that are installed here; removed when the scope of `await using` is left. */
export const openEarlierVersion = async () => {
  const repository = resolve('.');
  const commit = await earlierCommit(repository, process.env['WEIR_BENCH_BASE']);
  const folder = await openTempFolder();
  try {
    const archive = join(folder.path, 'source.tar');
    await run('git', ['archive', '--output', archive, commit], { cwd: repository });
    await run('tar', ['-xf', archive, '-C', folder.path]);
    await symlink(join(repository, 'node_modules'), join(folder.path, 'node_modules'));
  } catch (error) {
    await folder.remove();
    throw error;
  }
  return { commit, root: folder.path, [Symbol.asyncDispose]: () => folder.remove() };
};
