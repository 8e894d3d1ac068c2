// npm runs this script of a workspace after every install in a checkout, where nothing is to be built,
// and after an install in its clone of a git dependency, where nothing else will build what it then
// packs: the variable is how npm tells itself that it is preparing one. The programs of workspaces are
// linked later, hence the path to Node.js. Plain old JavaScript: the Node that runs npm may be an old one.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const build = () => {
  const brought = fileURLToPath(
    new URL(`../.runtime/${process.arch}/node_modules/node-runtime/bin/node`, import.meta.url),
  );
  const node = process.platform === 'linux' && existsSync(brought) ? brought : process.execPath;
  const script = fileURLToPath(new URL('build.ts', import.meta.url));
  const { status } = spawnSync(node, [script], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
};

if (process.env['_PACOTE_NO_PREPARE_']) build();
