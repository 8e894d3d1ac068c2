#!/usr/bin/env -S node --no-memory-reducer
// Plain old JavaScript: a Node that cannot run the program must still be able to read this file.

const oldest = { major: 22, minor: 22 };
const found = process.versions.node;
const [major = 0, minor = 0] = found.split('.').map(Number);

if (major > oldest.major || (major === oldest.major && minor >= oldest.minor)) {
  void import('./main.ts');
} else {
  console.error(
    `weir needs Node.js ${oldest.major}.${oldest.minor} or newer, but this is Node.js ${found}: install Node.js 24, ` +
      'or in a checkout run `npm ci` and then `npx weir`, which brings its own.',
  );
  process.exitCode = 2;
}
