import { join } from 'node:path';
import {
  installed,
  installedMaven,
  installedNpm,
  installedPython,
  pinnedIn,
  roomFile,
} from '../harness/installed.ts';
import { fetchPackages } from '../harness/program-output.ts';
import { startServer } from '../harness/server-process.ts';
import type { GatewayOptions, LimiterCase, StartedGateway } from './limiter-case.ts';

/** The gateways of this room in the languages of the limiters, each with one of them. */

type Start = LimiterCase['start'];

const wordsFor = (limiter: string, options: GatewayOptions): readonly string[] => [
  `limiter=${limiter}`,
  `port=${options.port}`,
  `limit=${options.limit}`,
  `window=${options.window}`,
  `log=${options.log}`,
];

/** A limiter of npm; `module` is its name in the manifest. */
export const npmGateway =
  (limiter: string, module = limiter): Start =>
  async (options, words): Promise<StartedGateway> => {
    const packages = await installedNpm('npm', 'limiters/npm');
    const version = await pinnedIn(
      'limiters/npm/manifest.json',
      new RegExp(`"${module}": "(?:npm:.*@)?([\\d.]+)"`),
    );
    const gateway = roomFile('limiters/npm/gateway.ts');
    const own = [...wordsFor(limiter, options), `packages=${packages}`, ...words];
    const { port } = options;
    const running = await startServer({ command: [process.execPath, gateway, ...own], port });
    return { ...running, version };
  };

/** A limiter of PyPI; `module` is its name in the requirements. */
export const pythonGateway =
  (limiter: string, module: string): Start =>
  async (options, words): Promise<StartedGateway> => {
    const packages = await installedPython('pypi', 'limiters/pypi/requirements.txt');
    const version = await pinnedIn(
      'limiters/pypi/requirements.txt',
      new RegExp(`^${module}==(.+)$`, 'm'),
    );
    const gateway = roomFile('limiters/pypi/gateway.py');
    const running = await startServer({
      command: ['python3', gateway, ...wordsFor(limiter, options), ...words],
      port: options.port,
      env: { PYTHONPATH: packages },
    });
    return { ...running, version };
  };

/** A limiter of the Go module proxy; `module` is its path. */
export const goGateway =
  (limiter: string, module: string): Start =>
  async (options, words): Promise<StartedGateway> => {
    const built = await installed({
      name: 'go',
      files: {
        'main.go': 'limiters/go/main.go',
        'go.mod': 'limiters/go/go.mod',
        'go.sum': 'limiters/go/go.sum',
      },
      install: (folder) => fetchPackages(folder, 'go', ['go', 'build', '-o', 'gateway', '.']),
    });
    const version = await pinnedIn('limiters/go/go.mod', new RegExp(`${module} v(\\S+)`));
    const running = await startServer({
      command: [join(built, 'gateway'), ...wordsFor(limiter, options), ...words],
      port: options.port,
    });
    return { ...running, version };
  };

/** A limiter of Maven Central; `artifact` is its name. */
export const mavenGateway =
  (limiter: string, artifact: string): Start =>
  async (options, words): Promise<StartedGateway> => {
    const jars = await installedMaven('maven', 'limiters/maven/pom.xml');
    const version = await pinnedIn(
      'limiters/maven/pom.xml',
      new RegExp(`${artifact}</artifactId>\\s*<version>(.+?)<`),
    );
    const running = await startServer({
      command: [
        'java',
        '-Dsun.net.httpserver.nodelay=true',
        '-cp',
        join(jars, '*'),
        roomFile('limiters/maven/Gateway.java'),
        ...wordsFor(limiter, options),
        ...words,
      ],
      port: options.port,
    });
    return { ...running, version };
  };
