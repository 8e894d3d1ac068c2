import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Git's hash of `src` as it is committed; `null` if files in it were changed since, or there is no Git. */
export const committedSource = async (): Promise<string | null> => {
  try {
    const [changes, tree] = await Promise.all([
      run('git', ['status', '--porcelain', '--', 'src']),
      run('git', ['rev-parse', 'HEAD:src']),
    ]);
    return changes.stdout === '' ? tree.stdout.trim() : null;
  } catch {
    return null;
  }
};
