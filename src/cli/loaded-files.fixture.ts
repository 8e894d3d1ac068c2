import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Writes the addresses of the files that a process has loaded as its last line of standard error. */
const reportFiles = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  const files = new Set();
  registerHooks({
    load(url, context, next) {
      if (url.startsWith('file:')) files.add(url);
      return next(url, context);
    },
  });
  process.on('exit', () => console.error('\\n' + JSON.stringify([...files])));
`)}`;

/**
 * Returns the paths of the files that a command line loads with an input: its own and those of packages. Throws if it
 * ends with another exit code.
 */
export const filesLoadedBy = (
  launcher: string,
  words: readonly string[],
  exitCode = 0,
  input = '',
): readonly string[] => {
  const flags = ['--import', reportFiles, launcher, ...words];
  const env = { ...process.env, WEIR_API_KEY: 'a-key' };
  const { status, stderr } = spawnSync(process.execPath, flags, { encoding: 'utf8', env, input });
  if (status !== exitCode)
    throw new Error(`weir ${words.join(' ')} ended with ${status}: ${stderr}`);
  const urls = JSON.parse(stderr.trimEnd().split('\n').at(-1)!) as readonly string[];
  return urls.map((url) => fileURLToPath(url));
};

/** The modules of Node that a command line loads, such as `tls`. Throws if it fails. */
export const builtinsLoadedBy = (launcher: string, words: readonly string[]): readonly string[] => {
  const report = `data:text/javascript,process.on('exit',()=>console.error(process.moduleLoadList.join('\\n')))`;
  const { status, stderr } = spawnSync(process.execPath, ['--import', report, launcher, ...words], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`weir ${words.join(' ')} ended with ${status}: ${stderr}`);
  return Array.from(stderr.matchAll(/^NativeModule (\w+)$/gm), ([, name = '']) => name);
};
