#!/usr/bin/env -S node --no-memory-reducer --min-semi-space-size=16 --max-semi-space-size=16 --initial-old-space-size=128
// Plain old JavaScript: a Node too old for the program must still be able to parse this file.
// Node's flags, as `npm start` has them: no compaction of the whole heap when the process seems quiet, in the midst of
// a run; a young generation of one size, since V8 lets it grow with each pause of the machine and does not shrink it; and an
// old one with room for some minutes of an average run, which are then without its collections of 7 to 50 ms.

const oldest = { major: 22, minor: 22 };
const found = process.versions.node;
const [major = 0, minor = 0] = found.split('.').map(Number);

/** Runs the source if there is one, even beside a build; only the published package has no source. */
const start = async () => {
  const { existsSync } = await import('node:fs');
  // Halves the start-up time of this process and of its child processes.
  const { enableCompileCache } = await import('node:module');
  const { directory } = enableCompileCache();
  if (directory !== undefined) process.env.NODE_COMPILE_CACHE ??= directory;
  const source = new URL('main.ts', import.meta.url);
  const built = new URL('../../dist/cli/main.js', import.meta.url);
  await import((existsSync(source) ? source : built).href);
};

if (major > oldest.major || (major === oldest.major && minor >= oldest.minor)) {
  void start();
} else {
  console.error(
    `weir needs Node.js ${oldest.major}.${oldest.minor} or newer, but this is Node.js ${found}: install Node.js 24, ` +
      'or in a checkout run `npm ci` and then `npx weir`, which brings its own.',
  );
  process.exitCode = 2;
}
