import { spawnSync } from 'node:child_process';
import { constants } from 'node:fs';
import {
  access,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const launcher = resolve('src/cli/weir.js');

interface Launch {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly said: string;
}

/** Runs a copy of the launcher on a Node that claims to be another version; `own` is the shell script in the place of the checkout's Node. */
const launchedOn = async (version: string, own?: string): Promise<Launch> => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-test-'));
  const copy = join(folder, 'src', 'cli', 'weir.js');
  const ownNode = join(folder, 'node_modules', '.bin', 'node');
  const pretend = `Object.defineProperty(process, 'versions', { value: { node: '${version}' } });`;
  try {
    await mkdir(dirname(copy), { recursive: true });
    await mkdir(dirname(ownNode), { recursive: true });
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    await copyFile(launcher, copy);
    if (own !== undefined) await writeFile(ownNode, `#!/bin/sh\n${own}\n`, { mode: 0o755 });
    const words = ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`, copy, 'plan'];
    const { status, signal, stdout, stderr } = spawnSync(process.execPath, words, {
      encoding: 'utf8',
    });
    return { status, signal, said: stdout + stderr };
  } finally {
    await rm(folder, { recursive: true });
  }
};

/** Writes to the standard error, one a line, which packages a process has loaded when it ends. */
const reportPackages = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  const packages = new Set();
  registerHooks({
    load(url, context, next) {
      const name = /.*\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1];
      if (name !== undefined) packages.add(name);
      return next(url, context);
    },
  });
  process.on('exit', () => console.error([...packages].join('\\n')));
`)}`;

/** The packages that `weir validate` loads for a scenario, in a folder with the clips `own.wav` and `own.m4a`. */
const packagesToValidate = async (scenario: string): Promise<readonly string[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-test-'));
  const file = join(folder, 'scenario.yaml');
  try {
    await writeFile(file, scenario);
    await copyFile('fixtures/speech/gate.wav', join(folder, 'own.wav'));
    await copyFile('fixtures/speech/keeper.m4a', join(folder, 'own.m4a'));
    const flags = ['--import', reportPackages, launcher, 'validate', file];
    const { stdout, stderr } = spawnSync(process.execPath, flags, { encoding: 'utf8' });
    expect(stdout).toContain('is valid');
    return stderr.trim().split('\n');
  } finally {
    await rm(folder, { recursive: true });
  }
};

describe('the start of weir validate', () => {
  const load = 'load: { kind: constant, rate: 1/s, duration: 1s }';

  it('loads no package that only a run or an audio file needs', async () => {
    const packages = await packagesToValidate(`traffic: [{ kind: models }]\n${load}`);
    const needed = ['yaml', 'yargs', 'zod', 'fastest-levenshtein'];
    expect(packages).toEqual(expect.arrayContaining(needed));
    const manifest = z
      .object({ dependencies: z.record(z.string(), z.string()) })
      .parse(JSON.parse(await readFile('package.json', 'utf8')));
    const unneeded = Object.keys(manifest.dependencies).filter((name) => !needed.includes(name));
    expect(unneeded).toContain('undici');
    expect(packages.filter((name) => unneeded.includes(name))).toEqual([]);
  });

  it('loads the reader of audio files for a compressed file of one’s own, not for WAV or bundled speech', async () => {
    const packagesFor = (clips: string) =>
      packagesToValidate(`traffic: [{ kind: transcription, model: a, clips: ${clips} }]\n${load}`);
    expect(await packagesFor('[{ file: own.m4a }]')).toContain('music-metadata');
    expect(await packagesFor('[{ file: own.wav }]')).not.toContain('music-metadata');
    expect(await packagesFor('bundled')).not.toContain('music-metadata');
  });
});

describe('the launcher', () => {
  it('reports a Node that is too old in one sentence, and exits with 2', async () => {
    expect(await launchedOn('22.21.1')).toMatchInlineSnapshot(`
      {
        "said": "weir needs Node.js 22.22 or newer, but this is Node.js 22.21.1: install Node.js 24. A checkout brings its own: run \`npm ci\` in it, and put its node_modules/.bin on the path.
      ",
        "signal": null,
        "status": 2,
      }
    `);
    expect((await launchedOn('12.22.12')).status).toBe(2);
  });

  it('asks for the version that package.json names', async () => {
    const manifest = z
      .object({ engines: z.object({ node: z.templateLiteral(['>=', z.string()]) }) })
      .parse(JSON.parse(await readFile('package.json', 'utf8')));
    const oldest = manifest.engines.node.slice(2);
    expect((await launchedOn('4.0.0')).said).toContain(`Node.js ${oldest} or newer`);
    expect((await launchedOn(`${oldest}.0`)).said).not.toContain('or newer');
  });

  it('hands its words to the Node of the checkout if the one on the path is too old', async () => {
    const { status, said } = await launchedOn(
      '20.20.2',
      'for last; do :; done; echo "own $last"; exit 10',
    );
    expect({ status, said }).toEqual({ status: 10, said: 'own plan\n' });
  });

  it('ends by the signal that ended the Node of the checkout', async () => {
    expect((await launchedOn('20.20.2', 'kill -TERM $$')).signal).toBe('SIGTERM');
  });

  it('says that a Node is too old if the one of the checkout is, too', async () => {
    const again = `exec '${process.execPath}' "$@"`;
    expect((await launchedOn('20.20.2', again)).said).toContain('but this is Node.js 20.20.2');
  });

  it('runs the source if there is one, even next to a build', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'weir-test-'));
    const source = join(folder, 'src', 'cli');
    const built = join(folder, 'dist', 'cli');
    const said = (): string =>
      spawnSync(process.execPath, [join(source, 'weir.js')], { encoding: 'utf8' }).stdout;
    try {
      await Promise.all([source, built].map((path) => mkdir(path, { recursive: true })));
      await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
      await copyFile(launcher, join(source, 'weir.js'));
      await writeFile(join(built, 'main.js'), 'console.log("built");');
      expect(said()).toBe('built\n');
      await writeFile(join(source, 'main.ts'), 'console.log("source" as string);');
      expect(said()).toBe('source\n');
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('compiles the source of an installation from git once, and says so if it cannot', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'weir-test-'));
    const root = join(folder, 'node_modules', 'weir-bench');
    const write = async (path: string, text: string): Promise<void> => {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    };
    const run = () => {
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        [join(root, 'src/cli/weir.js')],
        { encoding: 'utf8' },
      );
      return { status, said: stdout + stderr };
    };
    try {
      await write('package.json', '{ "type": "module" }');
      await write('src/cli/weir.js', await readFile(launcher, 'utf8'));
      const compiler = 'src/platform/compiled-source.js';
      await write(compiler, await readFile(compiler, 'utf8'));
      await write('src/cli/main.ts', "import { word } from '../word.ts';\nconsole.log(word);");
      await write('src/word.ts', 'enum Word { One }\nexport const word: string = "first";');
      expect(run()).toEqual({
        status: 2,
        said: expect.stringContaining('compiles itself at its first start, which failed') as string,
      });
      await write('src/word.ts', 'export const word: string = "first";');
      expect(run()).toEqual({ status: 0, said: 'first\n' });
      await write('src/word.ts', 'export const word: string = "second";');
      expect(run()).toEqual({ status: 0, said: 'first\n' });
      expect((await readdir(root)).toSorted()).toEqual(['dist', 'package.json', 'src']);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('can be run by its name', async () => {
    await expect(access(launcher, constants.X_OK)).resolves.toBeUndefined();
  });
});
