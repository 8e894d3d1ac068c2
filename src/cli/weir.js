#!/usr/bin/env -S node --no-memory-reducer --min-semi-space-size=16 --max-semi-space-size=16 --initial-old-space-size=128
// Plain old JavaScript: a Node too old for the program must still be able to parse this file.
// Node's flags, as `npm start` has them: no compaction of the whole heap when the process seems quiet, in the midst of
// a run; a young generation of one size, since V8 lets it grow with each pause of the machine and does not shrink it; and an
// old one with room for some minutes of an average run, which are then without its collections of 7 to 50 ms.

const oldest = { major: 22, minor: 22 };
const found = process.versions.node;
const [major = 0, minor = 0] = found.split('.').map(Number);

/**
 * Runs the source if there is one, even beside a build; only the published package has no source. Of an installation from git, which is
 * below `node_modules` as the published package is, the source is compiled first.
 */
const start = async () => {
  const { existsSync } = await import('node:fs');
  // Halves the start-up time of this process and of its child processes.
  const { enableCompileCache } = await import('node:module');
  const { directory } = enableCompileCache();
  if (directory !== undefined) process.env.NODE_COMPILE_CACHE ??= directory;
  const source = new URL('main.ts', import.meta.url);
  const built = new URL('../../dist/cli/main.js', import.meta.url);
  const isSource = existsSync(source);
  const isInstalled = import.meta.url.includes('/node_modules/');
  if (isSource && isInstalled) {
    const { compileOnce } = await import('../platform/compiled-source.js');
    try {
      compileOnce();
    } catch (error) {
      console.error(`weir: ${/** @type {Error} */ (error).message}`);
      process.exitCode = 2;
      return;
    }
  }
  await import((isSource && !isInstalled ? source : built).href);
};

/** Runs the program on the Node that a checkout brings, and ends as it did; reports a Node that is too old where there is none. */
const startElsewhere = async () => {
  const { existsSync } = await import('node:fs');
  const { fileURLToPath } = await import('node:url');
  const own = fileURLToPath(new URL('../../node_modules/.bin/node', import.meta.url));
  if (process.env.WEIR_OWN_NODE !== undefined || !existsSync(own)) {
    console.error(
      `weir needs Node.js ${oldest.major}.${oldest.minor} or newer, but this is Node.js ${found}: install Node.js 24. ` +
        'A checkout brings its own: run `npm ci` in it, and put its node_modules/.bin on the path.',
    );
    process.exitCode = 2;
    return;
  }
  const { spawn } = await import('node:child_process');
  const words = [...process.execArgv, ...process.argv.slice(1)];
  const env = { ...process.env, WEIR_OWN_NODE: '1' };
  const child = spawn(own, words, { stdio: 'inherit', env });
  // A terminal sends Ctrl-C to both; the program ends by itself when it has its report.
  process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'));
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  process.on('SIGHUP', () => child.kill('SIGHUP'));
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 1;
    if (signal === null) return;
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
};

if (major > oldest.major || (major === oldest.major && minor >= oldest.minor)) {
  void start();
} else {
  void startElsewhere();
}
