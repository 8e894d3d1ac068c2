#!/usr/bin/env -S node --no-memory-reducer --min-semi-space-size=16 --max-semi-space-size=16 --initial-old-space-size=128
// This file is old-style JavaScript, since a Node that is too old for the program must be able to parse this file.
// The first line sets the flags of Node that `npm start` also sets:
// - V8 does not compact the whole heap when the process seems quiet in the middle of a run.
// - The young generation has a fixed size. V8 would let it grow with each pause of the machine, and never shrink it.
// - The old generation has room for some minutes of an average run. These minutes are without its collections of 7 to
//   50 ms.

const oldest = { major: 22, minor: 22 };
const found = process.versions.node;
const [major = 0, minor = 0] = found.split('.').map(Number);

/**
 * Runs the source if the source exists, even if a build also exists. Only the published package has no source. An
 * installation from git is below `node_modules`, where Node strips no types, so its source is compiled first.
 */
const start = async () => {
  const { existsSync } = await import('node:fs');
  // The compile cache halves the start-up time of this process and of its child processes.
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

/**
 * Runs the program on the Node of the checkout, and ends in the same way as the program. Without a Node in the
 * checkout, reports that this Node is too old.
 */
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
  // A terminal sends Ctrl-C to both processes. The program ends by itself when its report is written.
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
