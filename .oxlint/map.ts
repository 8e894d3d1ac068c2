/**
 * The map of the house as data: what each folder of `src` may know. Imports point down only, and
 * folders of one layer never import each other; `src/README.md` says why. The rules `weir/walls` and
 * `weir/world` read this table, and `src/acceptance/walls.process.test.ts` proves each wall by a planted
 * violation.
 */

/** What a file may use: folders of `src`, packages (`node:*` for all of Node's) and globals that touch the world. `*` means any. */
export interface Grant {
  readonly folders?: readonly string[];
  readonly packages?: readonly string[];
  readonly globals?: readonly string[];
}

const any = ['*'];
/** Modules of Node that only compute. */
const pure = ['node:crypto', 'node:util', 'node:zlib'];

const stages = 'schedule traffic record scenario workload judge report platform'.split(' ');

const rooms: Readonly<Record<string, Grant>> = {
  model: { packages: ['zod', 'hdr-histogram-js', ...pure] },
  contract: { packages: ['zod', ...pure] },
  schedule: { folders: ['model'], packages: pure },
  traffic: {
    folders: ['model', 'contract'],
    packages: ['fastest-levenshtein', 'structured-headers', ...pure],
  },
  record: { folders: ['model'], packages: pure },
  scenario: { folders: ['model'], packages: ['yaml', 'zod', 'fastest-levenshtein', ...pure] },
  workload: { folders: ['model'], packages: pure },
  judge: { folders: ['model'], packages: ['cephes', ...pure] },
  report: { folders: ['model'], packages: pure },
  platform: {
    folders: ['model'],
    packages: ['undici', 'proxy-from-env', 'music-metadata', 'testcontainers', 'zod', 'node:*'],
    globals: any,
  },
  engine: { folders: ['model', 'contract', 'schedule', 'traffic', 'record'], packages: pure },
  mock: {
    folders: ['model', 'contract'],
    packages: ['zod', 'music-metadata', '@fastify/busboy', 'node:*'],
  },
  probe: {
    folders: ['model', 'contract', 'traffic', 'record', 'judge', 'engine'],
    packages: pure,
  },
  cli: {
    folders: ['model', 'contract', ...stages, 'engine', 'mock', 'probe'],
    packages: ['yargs', 'zod', 'node:*'],
    globals: ['process', 'console'],
  },
  acceptance: { folders: any, packages: any, globals: any },
  bench: { folders: any, packages: any, globals: any },
};

/** What some files are granted beyond their room; the patterns are tried on the path below `src`. */
const exceptions: readonly (Grant & { readonly path: RegExp })[] = [
  { path: /^platform\/(autocannon|watched-barrel)\.ts$/, packages: ['autocannon'] },
  { path: /^platform\/metrics\.ts$/, packages: ['prom-client'] },
  {
    path: /^platform\/tokenizers\.ts$/,
    packages: ['@huggingface/tokenizers', 'gpt-tokenizer'],
  },
  {
    path: /^platform\/otlp\.ts$/,
    packages: ['exporter-metrics-otlp-http', 'resources', 'sdk-metrics'].map(
      (name) => `@opentelemetry/${name}`,
    ),
  },
  { path: /^mock\/real-clock\.ts$/, globals: any },
  { path: /^report\/html\/page\//, packages: ['uplot'], globals: any },
  {
    path: /(\.test|-suite)\.ts$/,
    packages: [
      'vitest',
      'fast-check',
      'eventsource-parser',
      'gpt-tokenizer',
      'playwright-core',
      'selfsigned',
      'node:*',
    ],
  },
  { path: /^(platform|engine|mock|probe|cli)\/.+(\.test|-suite)\.ts$/, globals: any },
];

/** The room a path below `src` lies in, or null where the map shows none. */
export function roomOf(path: string): string | null {
  const room = path.split('/', 1)[0] ?? '';
  return path.includes('/') && Object.hasOwn(rooms, room) ? room : null;
}

/** All that the file at a path below `src` may use. */
export function grantOf(path: string): Required<Grant> {
  const own = rooms[roomOf(path) ?? ''] ?? {};
  const grants = [own, ...exceptions.filter((exception) => exception.path.test(path))];
  return {
    folders: grants.flatMap((grant) => grant.folders ?? []),
    packages: grants.flatMap((grant) => grant.packages ?? []),
    globals: grants.flatMap((grant) => grant.globals ?? []),
  };
}
