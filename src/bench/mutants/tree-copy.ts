import { spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A copy of the checkout, in which files are changed and unit tests run. */

export interface TestRun {
  /** Files that failed; empty with a time limit reached, or if vitest itself did not start. */
  readonly failed: readonly string[];
  readonly ending: 'passed' | 'failed' | 'time limit';
}

export interface TreeCopy {
  readonly root: string;
  readonly write: (path: string, text: string) => void;
  readonly runTests: (tests: readonly string[], options: TestRunOptions) => Promise<TestRun>;
  readonly remove: () => void;
}

export interface TestRunOptions {
  readonly seconds: number;
  /** Whether to go on after the first failure. */
  readonly toTheEnd?: boolean;
  /** The folder to which is written what each file of tests runs. */
  readonly reach?: string;
}

/** Packages are not copied, but found where they are. */
const packageFolders = ['', '.runtime/arm64', '.runtime/linux', '.runtime/x64'].map((folder) =>
  join(folder, 'node_modules'),
);

export const copyTree = (source: string): TreeCopy => {
  const root = mkdtempSync(join(tmpdir(), 'weir-mutants-'));
  const listed = spawnSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], {
    cwd: source,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  for (const path of listed.stdout.split('\0').filter((each) => existsSync(join(source, each)))) {
    if (path === '') continue;
    mkdirSync(join(root, dirname(path)), { recursive: true });
    cpSync(join(source, path), join(root, path), { verbatimSymlinks: true });
  }
  for (const folder of packageFolders)
    if (existsSync(join(source, folder))) symlinkSync(join(source, folder), join(root, folder));
  return {
    root,
    write: (path, text) => {
      writeFileSync(join(root, path), text);
    },
    runTests: (tests, options) => runTests(root, tests, options),
    remove: () => {
      rmSync(root, { recursive: true, force: true });
    },
  };
};

const runTests = async (
  root: string,
  tests: readonly string[],
  { seconds, toTheEnd = false, reach }: TestRunOptions,
): Promise<TestRun> => {
  const report = join(root, 'reports', 'tests.json');
  rmSync(report, { force: true });
  const config = reach === undefined ? '.ci/vitest.config.ts' : 'src/bench/mutants/reach.config.ts';
  const words = ['--config', config, '--project', 'unit', '--reporter', 'json'];
  const child = spawn(
    process.execPath,
    [
      'node_modules/vitest/vitest.mjs',
      'run',
      ...words,
      `--outputFile=${report}`,
      ...(toTheEnd ? [] : ['--bail=1']),
      ...tests,
    ],
    {
      cwd: root,
      // In a new process group, so that ending the group ends the workers of vitest, too.
      detached: true,
      stdio: 'ignore',
      env: { ...process.env, ...(reach === undefined ? {} : { WEIR_REACH: reach }) },
    },
  );
  const { promise, resolve } = Promise.withResolvers<TestRun['ending']>();
  const endGroup = (): void => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  };
  const limit = setTimeout(() => {
    endGroup();
    resolve('time limit');
  }, seconds * 1_000);
  child.once('exit', (code) => {
    clearTimeout(limit);
    resolve(code === 0 ? 'passed' : 'failed');
  });
  process.once('exit', endGroup);
  const ending = await promise;
  process.off('exit', endGroup);
  return { ending, failed: failedFiles(root, report) };
};

const failedFiles = (root: string, report: string): readonly string[] => {
  if (!existsSync(report)) return [];
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
    readonly testResults: readonly {
      readonly name: string;
      readonly status: string;
      readonly assertionResults: readonly { readonly status: string }[];
    }[];
  };
  // Files that were cancelled after the first failure have the same status, and no test that failed.
  const failures = ({ assertionResults }: (typeof testResults)[number]): number =>
    assertionResults.filter(({ status }) => status === 'failed').length;
  return testResults
    .filter(({ status }) => status === 'failed')
    .toSorted((a, b) => failures(b) - failures(a))
    .map(({ name }) => name.replace(`${root}/`, ''));
};
