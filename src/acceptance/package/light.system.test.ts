import { readFile, stat, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { sumOutcomes } from '../../model/measures/outcome-counts.ts';
import { resultIn } from '../harness/run-files.fixture.ts';
import { type FinishedProgram, startProgram } from '../harness/weir-process.fixture.ts';
import {
  foldersOfNode,
  manifest,
  measureInstallation,
  npmOrFail,
  packInto,
  scratchFolder,
} from './install.fixture.ts';

/** What an installation takes, and what its optional packages add. */

vi.setConfig({ testTimeout: 300_000, hookTimeout: 600_000 });

let folders: Awaited<ReturnType<typeof scratchFolder>>;
let tarball: string;

beforeAll(async () => {
  folders = await scratchFolder();
  tarball = await packInto(folders.path);
});
afterAll(async () => {
  await folders.remove();
});

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(2)} MB`;

const scenario = (more: string): string => `
traffic: [{ kind: chat, model: weir/small, prompt: Say yes., maxTokens: 5 }]
mock: { ttft: 2ms, gap: 0ms, limits: { requestsPerMinute: none, tokensPerMinute: none } }
${more}
`;
const steady = scenario('load: { kind: constant, rate: 20/s, duration: 2s }');

/** What needs an optional package, and what is said without it. */
const features = {
  'the load saturate': {
    packages: ['autocannon'],
    text: scenario('load: { kind: saturate, connections: 2, duration: 2s }'),
    words: [],
    missing: `a load of the kind "saturate" needs the package autocannon, which is not installed: run \`npm install autocannon@9.0\`, or use the kind "closed"`,
  },
  '--otlp': {
    packages: ['exporter-metrics-otlp-http', 'resources', 'sdk-metrics'].map(
      (name) => `@opentelemetry/${name}`,
    ),
    text: steady,
    words: ['--otlp', 'http://127.0.0.1:9'],
    missing:
      '--otlp needs packages that are not installed: run `npm install @opentelemetry/exporter-metrics-otlp-http@0.301 @opentelemetry/resources@3 @opentelemetry/sdk-metrics@3`',
  },
  'a tokenizer by name': {
    packages: ['gpt-tokenizer'],
    text: steady.replace('prompt: Say yes.', 'prompt: { tokens: 20, tokenizer: o200k_base }'),
    words: [],
    missing:
      'the tokenizer o200k_base needs the package gpt-tokenizer, which is not installed: run `npm install gpt-tokenizer@4`',
  },
} as const;

it('the tarball has at most 900 KB', async () => {
  const { size } = await stat(tarball);
  console.log(`The tarball has ${(size / 1e3).toFixed(0)} KB.`);
  expect(size).toBeLessThanOrEqual(900_000);
});

describe.each(Object.entries(foldersOfNode))(
  'from an empty folder, on %s',
  (name, folderOfNode) => {
    let node: string | null;
    let project: string;

    beforeAll(async () => {
      node = await folderOfNode(folders.emptyProject);
      project = await folders.emptyProject(name.replaceAll(/\W/g, '-'));
      await npmOrFail(['install', tarball], project, node);
    });
    beforeEach((context) => {
      if (node === null) context.skip('the registry did not give this Node');
    });

    const weir = (words: readonly string[]): Promise<FinishedProgram> => {
      const environment = {
        PATH: [node, '/usr/bin', '/bin'].join(delimiter),
        NO_COLOR: '1',
        WEIR_HISTORY: 'off',
      };
      const program = join(project, 'node_modules', '.bin', 'weir');
      return startProgram([program, ...words], environment, project).ended;
    };

    const run = async (feature: keyof typeof features, out: string): Promise<FinishedProgram> => {
      const { text, words } = features[feature];
      await writeFile(join(project, 'feature.yaml'), text);
      return weir(['run', 'feature.yaml', '--out', out, ...words]);
    };

    it('takes at most 100 packages and 30 MB, and runs no script of any', async () => {
      const { packages, scripts, bytes, onDisk } = await measureInstallation(project);
      console.log(
        `${name}: ${packages} packages, ${megabytes(bytes)} of files, ${megabytes(onDisk)} on disk.`,
      );
      expect(packages).toBeLessThanOrEqual(100);
      expect(onDisk).toBeLessThanOrEqual(30e6);
      expect(scripts).toEqual([]);
    });

    it('serves OpenMetrics without any more package', async () => {
      await writeFile(join(project, 'steady.yaml'), steady);
      const { stderr } = await weir(['run', 'steady.yaml', '--metrics', '0', '--out', 'metrics']);
      expect(stderr).toContain('Live metrics: http://127.0.0.1:');
      expect(sumOutcomes((await resultIn(join(project, 'metrics'))).groups).completed).toBe(40);
    });

    it.each(Object.keys(features) as (keyof typeof features)[])(
      'says what to install for %s',
      async (feature) => {
        const { code, stderr } = await run(feature, 'without');
        expect(stderr).toContain(features[feature].missing);
        expect(code).toBe(2);
        await expect(readFile(join(project, 'without', 'result.json'))).rejects.toThrow('ENOENT');
      },
    );

    it('has them all once that is installed, and still runs no script', async () => {
      const wanted = Object.values(features).flatMap(({ packages }) =>
        packages.map((each) => `${each}@${manifest.peerDependencies[each]}`),
      );
      await npmOrFail(['install', ...wanted], project, node);
      for (const [index, feature] of Object.keys(features).entries()) {
        const out = `with-${index}`;
        const { stderr } = await run(feature as keyof typeof features, out);
        const { completed } = sumOutcomes((await resultIn(join(project, out))).groups);
        expect(completed, stderr).toBeGreaterThanOrEqual(40);
      }
      expect((await measureInstallation(project)).scripts).toEqual([]);
    });
  },
);
