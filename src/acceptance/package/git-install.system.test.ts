import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { sumOutcomes } from '../../model/measures/outcome-counts.ts';
import { publishedResult } from '../harness/published-result.fixture.ts';
import { startProgram } from '../harness/weir-process.fixture.ts';
import {
  checkout,
  foldersOfNode,
  manifest,
  measureInstallation,
  npmOrFail,
  scratchFolder,
} from './install.fixture.ts';

/** What `npm install git+https://…` gives: the source, which compiles itself when it is first used. */

vi.setConfig({ testTimeout: 120_000, hookTimeout: 300_000 });

let folders: Awaited<ReturnType<typeof scratchFolder>>;
let project: string;
let installed: string;
let seconds: number;

/** A repository with one commit, of the files of the checkout as they are now. */
const repositoryIn = async (folder: string): Promise<string> => {
  const repository = join(folder, 'weir.git');
  const git = async (...words: readonly string[]): Promise<void> => {
    const environment = { ...process.env, GIT_DIR: repository, GIT_WORK_TREE: checkout };
    const ended = await startProgram(['git', ...words], environment, checkout).ended;
    if (ended.code !== 0) throw new Error(`git ${words.join(' ')}: ${ended.stderr}`);
  };
  await git('init', '--quiet');
  await git('add', '--all');
  const author = ['-c', 'user.name=Weir', '-c', 'user.email=weir@localhost'];
  await git(...author, 'commit', '--quiet', '--message', 'As it is now');
  return repository;
};

const libraryReadme = await readFile(join(checkout, 'src', 'library', 'README.md'), 'utf8');
const [, example = ''] = /```js\n(import .*?)```/s.exec(libraryReadme) ?? [];

const scenario = `traffic: [{ kind: chat-stream, model: weir/small, maxTokens: 5 }]
load: { kind: constant, rate: 20/s, duration: 2s }
mock: { ttft: 20ms, gap: 2ms }
`;

beforeAll(async () => {
  folders = await scratchFolder();
  const repository = await repositoryIn(folders.path);
  project = await folders.emptyProject('project');
  const began = performance.now();
  await npmOrFail(['install', `git+${pathToFileURL(repository).href}`], project);
  seconds = (performance.now() - began) / 1000;
  installed = join(project, 'node_modules', 'weir-bench');
  await writeFile(join(project, 'short.yaml'), scenario);
  await writeFile(join(project, 'example.mjs'), example);
});

afterAll(() => folders.remove());

describe('an installation from git', () => {
  it('takes less than a minute and brings no development packages, tests or benches', async () => {
    expect(seconds).toBeLessThan(60);
    const { packages, scripts } = await measureInstallation(project);
    expect(packages).toBeLessThanOrEqual(50);
    expect(scripts).toEqual([]);
    const files = await readdir(installed, { recursive: true });
    expect(files).toContain(join('src', 'cli', 'main.ts'));
    expect(
      files.filter((file) => /\.(test|fixture)\.ts$|^src.(acceptance|bench|proving)/.test(file)),
    ).toEqual([]);
  });
});

describe.each(Object.entries(foldersOfNode))('an installation from git, on %s', (_, folderOf) => {
  let folder: string | null;
  beforeAll(async () => {
    folder = await folderOf(folders.emptyProject);
    await rm(join(installed, 'dist'), { recursive: true, force: true });
  });
  beforeEach((context) => {
    if (folder === null) context.skip('the registry did not give this Node');
  });

  const start = (words: readonly [string, ...string[]]) => {
    const path = [folder, '/usr/bin', '/bin'].join(delimiter);
    const environment = { PATH: path, NO_COLOR: '1', WEIR_HISTORY: 'off' };
    return startProgram(words, environment, project).ended;
  };

  it('is a library before its program was ever started', async () => {
    const { code, stdout, stderr } = await start([join(folder!, 'node'), 'example.mjs']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('15 of 15, 15 samples');
  });

  it('compiles itself once if two programs start at the same time', async () => {
    await rm(join(installed, 'dist'), { recursive: true });
    const words = [join(project, 'node_modules', '.bin', 'weir'), '--version'] as const;
    const both = await Promise.all([start(words), start(words)]);
    const said = { code: 0, stdout: `${manifest.version}\n`, stderr: '' };
    expect(both).toEqual([said, said]);
    const names = await readdir(installed);
    expect(names.filter((name) => name.startsWith('dist'))).toEqual(['dist']);
  });

  it('runs a scenario in two workers', async () => {
    const weir = join(project, 'node_modules', '.bin', 'weir');
    const out = await mkdtemp(join(folders.path, 'out-'));
    const words = ['run', 'short.yaml', '--workers', '2', '--out', out];
    const { code, stderr } = await start([weir, ...words]);
    // On a busy machine the load generator is overloaded, and Weir says so.
    expect([0, 12], stderr).toContain(code);
    const result = publishedResult(await readFile(join(out, 'result.json'), 'utf8'));
    expect(sumOutcomes(result.groups)).toMatchObject({ completed: 40 });
  });
});
