/**
 * Builds the image of Weir from this checkout, and prints its name: `npm run --silent image`, or with a
 * name of one's own `npm run --silent image -- registry.example/weir:1`. It has the packed package, its
 * dependencies as the lock file pins them, and the optional packages that are of use in a container. No registry is
 * asked: the base is made of this machine's Node unless `WEIR_NODE_IMAGE` names one.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import {
  installedPackages,
  manifestOf,
  packageRoot,
} from '../src/platform/process/installed-packages.ts';

const manifest = manifestOf(packageRoot);
const { version } = manifest;

/** Optional packages that are of no use in a container: one needs an engine, the other has 30 MB of vocabularies. */
const left = ['testcontainers', 'gpt-tokenizer'];

const optional = Object.keys(manifest.peerDependencies ?? {}).filter(
  (name) => !left.includes(name),
);

/** The last line that a program prints; what else it says goes to standard error. Throws if it fails. */
const lastLine = (program: string, ...words: readonly string[]): string => {
  const ended = spawnSync(program, words, {
    cwd: packageRoot,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (ended.error !== undefined) throw ended.error;
  if (ended.status !== 0)
    throw new Error(`${program} ${words[0]} ended with ${ended.status}: ${ended.stdout}`);
  return ended.stdout.trim().split('\n').at(-1) ?? '';
};

/** Neither declarations nor source maps: Node reads no TypeScript below `node_modules`. */
const isNeeded = (source: string) => (path: string) =>
  !relative(source, path).split(sep).includes('node_modules') && !/\.([cm]?ts|map)$/.test(path);

const layOut = (folder: string): void => {
  const tarball = lastLine(process.execPath, '.package/pack.ts', folder);
  lastLine('tar', '-xf', join(folder, tarball), '-C', folder);
  for (const [destination, source] of installedPackages(optional))
    cpSync(source, join(folder, destination), { recursive: true, filter: isNeeded(source) });
  mkdirSync(join(folder, 'work'));
};

const build = (folder: string, image: string): void => {
  const base = process.env['WEIR_NODE_IMAGE'] ?? lastLine('bash', 'src/mock/base-image.sh');
  const labels = {
    title: 'Weir',
    description: 'Load testing and benchmarking for OpenAI-compatible inference gateways',
    version,
    licenses: 'MIT',
  };
  const words = Object.entries(labels).flatMap(([name, value]) => [
    '--label',
    `org.opencontainers.image.${name}=${value}`,
  ]);
  const source = ['--build-arg', `NODE_IMAGE=${base}`, '--file', '.package/Dockerfile', folder];
  console.error(lastLine('docker', 'build', '--tag', image, ...words, ...source));
};

/** Returns what prevents Docker from building; `null` if it answers. */
const engineProblem = (): string | null => {
  const { error, status, stderr } = spawnSync('docker', ['info'], { encoding: 'utf8' });
  if (error !== undefined)
    return `The image is built by Docker, which cannot be started here (${error.message}). Install Docker, and try again.`;
  return status === 0
    ? null
    : `The image is built by Docker, whose daemon does not answer: ${stderr.trim().split('\n').at(-1)} Start it, for example by \`sudo systemctl start docker\`, and try again.`;
};

const main = (image: string): void => {
  const problem = engineProblem();
  if (problem !== null) throw new Error(problem);
  const folder = mkdtempSync(join(tmpdir(), 'weir-image-'));
  try {
    layOut(folder);
    build(folder, image);
    console.log(image);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

try {
  main(process.argv[2] ?? `weir:${version}`);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
