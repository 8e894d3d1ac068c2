/**
 * The import rules as data: what each folder of `src` may import. Imports point down only, and
 * folders of one layer never import each other; `src/README.md` says why. The rules `weir/walls` and
 * `weir/world` read these tables, and `src/acceptance/package/import-rules.process.test.ts` checks each rule with a planted
 * violation.
 */

/** What a file may use: folders of `src`, packages (`node:*`: all built-in modules) and globals that touch the world. `*` means any. */
export interface Grant {
  readonly folders?: readonly string[];
  readonly packages?: readonly string[];
  readonly globals?: readonly string[];
}

const any = ['*'];
/** Built-in modules that only compute. */
const pure = ['node:crypto', 'node:util', 'node:zlib'];

const stages = 'schedule traffic record scenario workload judge report platform'.split(' ');

const rooms: Readonly<Record<string, Grant>> = {
  model: { packages: ['zod', ...pure] },
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
    packages: ['undici', 'music-metadata', 'testcontainers', 'zod', 'node:*'],
    globals: any,
  },
  engine: { folders: ['model', 'contract', 'schedule', 'traffic', 'record'], packages: pure },
  mock: {
    folders: ['model', 'contract'],
    packages: ['zod', 'music-metadata', '@fastify/busboy', 'node:*'],
  },
  run: {
    folders: ['model', 'contract', ...stages, 'engine', 'mock'],
    packages: ['zod', 'node:path', 'node:url', ...pure],
  },
  cli: {
    folders: ['model', 'contract', ...stages, 'engine', 'mock', 'run'],
    packages: ['yargs', 'zod', 'node:*'],
    globals: ['process', 'console'],
  },
  library: {
    folders: ['model', 'contract', ...stages, 'engine', 'mock', 'run'],
    packages: pure,
  },
  acceptance: { folders: any, packages: any, globals: any },
  proving: { folders: any, packages: any, globals: any },
  bench: { folders: any, packages: any, globals: any },
};

/** Experiments of a wing: they choose the next request from the last answer, and time is an argument. */
const experiment: Grant = {
  folders: ['model', 'contract', 'traffic', 'record', 'judge', 'engine'],
  packages: pure,
};

/**
 * What each sub-folder of a wing may use; `.` is the wing itself. A wing is a folder of `verbs`: a verb or a family
 * of verbs, with all that only it needs. The names mean the same in every wing.
 */
export const wingFolders: Readonly<Record<string, Grant>> = {
  model: { folders: ['model', 'contract'], packages: ['zod', ...pure] },
  judge: { folders: ['model', 'judge'], packages: pure },
  report: { folders: ['model', 'report'], packages: pure },
  readers: { folders: ['model', 'scenario'], packages: ['yaml', 'zod', ...pure] },
  reading: experiment,
  topics: experiment,
  suite: experiment,
  experiment,
  '.': {
    folders: ['model', 'contract', ...stages, 'engine', 'mock', 'run'],
    packages: ['zod', 'node:path', 'node:url', ...pure],
  },
  cli: {
    folders: ['model', 'contract', ...stages, 'engine', 'mock', 'run', 'cli'],
    packages: ['yargs', 'zod', 'node:*'],
    globals: ['process', 'console'],
  },
};

/** The sub-folders of a wing, lowest level first. */
const wingFloors = [
  'model',
  'judge/facts reading',
  'judge/limiter judge/tokens',
  'judge readers report topics',
  'experiment suite',
  'experiment/tokens',
  '.',
  'cli',
];

/**
 * The imports into a wing from outside. The main building has few doors; wings import each other only where one
 * verb is made of another.
 */
const wingDoors: readonly { readonly from: RegExp; readonly to: RegExp }[] = [
  { from: /^cli\/verb-table\.ts$/, to: /^verbs\/[a-z-]+\/cli\/[a-z-]+\.ts$/ },
  // Experiments send their requests in one way, and look for models in one way.
  {
    from: /^verbs\/(check|init)\/[a-z-]+\.ts$/,
    to: /^verbs\/limits\/(examination|experiment\/(find-probe-models|probe-requests))\.ts$/,
  },
  {
    from: /^verbs\/cache\/cache\.ts$/,
    to: /^verbs\/limits\/(examination|experiment\/send-probe-request)\.ts$/,
  },
  // `weir compare` compares checks too.
  {
    from: /^verbs\/compare\/cli\/compare\.ts$/,
    to: /^verbs\/check\/compare-stored-checks\.ts$/,
  },
  // `weir report` reports on saved findings too.
  { from: /^cli\/verbs\/report\.ts$/, to: /^verbs\/limits\/stored-findings\.ts$/ },
  // `weir run` with repetitions is a comparison.
  { from: /^cli\/verbs\/run\.ts$/, to: /^verbs\/compare\/repeat\.ts$/ },
  // What is emitted starts the workers of a fleet.
  {
    from: /^verbs\/emit\//,
    to: /^verbs\/fleet\/(hand-over-plan|loss-policies|cli\/rendezvous-options)\.ts$/,
  },
  // A sweep's curves are fitted as a capacity is, and its runs are watched in the same way.
  {
    from: /^verbs\/sweep\//,
    to: /^verbs\/capacity\/(refusal-watch|judge\/fit-scalability|model\/capacity)\.ts$/,
  },
  { from: /^library\//, to: /^verbs\/[a-z-]+\/library\.ts$/ },
];

/**
 * The folders inside a room, lowest level first: a file imports from its own folder and from levels
 * below it. `.` is the room itself. Tests and fixtures may import from the whole room.
 */
const floors: Readonly<Record<string, readonly string[]>> = {
  model: [
    '.',
    'rendezvous workload',
    'gateway observation',
    'limits measures',
    'plan',
    'result',
    'series',
  ],
  traffic: ['. limits', 'answer request', 'audio stream', 'kinds'],
  scenario: ['schema', 'text', 'compile', 'rules', '.'],
  judge: [
    'calibration errors limits/facts statistics',
    'objectives limits/limiter series trust',
    'limits/run',
  ],
  report: ['text', 'summary', 'document', '. html/charts html/page junit', 'run'],
  platform: [
    '.',
    'connection host',
    'files process telemetry',
    'live rendezvous socket',
    'http',
    'canary',
  ],
  engine: ['.', 'forecast'],
  mock: [
    'clock errors settings',
    'limits serving',
    'counters',
    'http',
    'chat faults',
    'audio',
    'gateway',
  ],
  run: ['input', 'output target', 'live', 'watch', 'workers', '.'],
  cli: ['options', 'verbs', '.'],
  proving: [
    'harness',
    'limiters/litellm limiters/npm',
    'limiters',
    'clients import launchers neighbours pairs servers spend tables tokens',
    '.',
  ],
  bench: ['harness', 'bounds lag mock mutants run simulated transport', '.'],
};

/** Additional permissions of some files; patterns match the path below `src`. */
const exceptions: readonly (Grant & { readonly path: RegExp })[] = [
  { path: /^platform\/http\/autocannon-(client|connection)\.ts$/, packages: ['autocannon'] },
  { path: /^verbs\/emit\//, packages: ['yaml', 'node:net'] },
  {
    path: /^platform\/rendezvous\/nats-/,
    packages: ['transport-node', 'jetstream', 'kv', 'obj'].map((name) => `@nats-io/${name}`),
  },
  {
    path: /^platform\/files\/tokenizers\.ts$/,
    packages: ['@huggingface/tokenizers', 'gpt-tokenizer'],
  },
  { path: /^platform\/files\/parquet\.ts$/, packages: ['hyparquet-writer'] },
  {
    path: /^platform\/telemetry\/otlp\.ts$/,
    packages: ['exporter-metrics-otlp-http', 'resources', 'sdk-metrics'].map(
      (name) => `@opentelemetry/${name}`,
    ),
  },
  {
    path: /^model\/workload\/json-schema\.ts$/,
    packages: ['ajv', 'ajv-formats', 'node:module'],
  },
  { path: /^mock\/clock\/real-clock\.ts$/, globals: any },
  { path: /^report\/html\/page\//, packages: ['uplot'], globals: any },
  {
    path: /\.(test|fixture)\.ts$/,
    packages: [
      'vitest',
      'ajv',
      'ajv-formats',
      'fast-check',
      'eventsource-parser',
      'gpt-tokenizer',
      'hdr-histogram-js',
      'playwright-core',
      'selfsigned',
      'yaml',
      'node:*',
    ],
  },
  { path: /^(platform|engine|mock|run|cli|library)\/.+\.(test|fixture)\.ts$/, globals: any },
];

/** The wing of a path below `src`, such as `verbs/limits`; null outside `verbs`. */
const wingOf = (path: string): string | null => /^verbs\/[^/]+(?=\/)/.exec(path)?.[0] ?? null;

/** The room of a path below `src`, or null if the map has none; every wing is a room. */
export function roomOf(path: string): string | null {
  const wing = wingOf(path);
  if (wing !== null) return wing;
  const room = path.split('/', 1)[0] ?? '';
  return path.includes('/') && Object.hasOwn(rooms, room) ? room : null;
}

/** The folder, inside its room, of the file at a path below `src`; `.` for the room itself. */
const innerFolderOf = (path: string): string => {
  const depth = wingOf(path) === null ? 1 : 2;
  return path.split('/').slice(depth, -1).join('/') || '.';
};

/** What a file of a wing may use; nothing in a sub-folder that the table does not have. */
const wingGrant = (path: string): Grant =>
  /\.(test|fixture)\.ts$/.test(path)
    ? { folders: any, globals: any }
    : (wingFolders[innerFolderOf(path).split('/')[0] ?? ''] ?? {});

/** Everything that the file at a path below `src` may use. */
export function grantOf(path: string): Required<Grant> {
  const own = wingOf(path) === null ? (rooms[roomOf(path) ?? ''] ?? {}) : wingGrant(path);
  const grants = [own, ...exceptions.filter((exception) => exception.path.test(path))];
  return {
    folders: grants.flatMap((grant) => grant.folders ?? []),
    packages: grants.flatMap((grant) => grant.packages ?? []),
    globals: grants.flatMap((grant) => grant.globals ?? []),
  };
}

/** Whether the file at a path below `src` may import a file of another room that is a wing. */
export const mayEnterWing = (path: string, target: string): boolean =>
  wingDoors.some(({ from, to }) => from.test(path) && to.test(target)) ||
  /^(acceptance|bench|proving)\/|\.(test|fixture)\.ts$/.test(path);

/** Whether the file at a path below `src` may import another file of its room. */
export function mayImportInRoom(path: string, target: string): boolean {
  const rows = wingOf(path) === null ? floors[roomOf(path) ?? ''] : wingFloors;
  const [from, to] = [innerFolderOf(path), innerFolderOf(target)];
  if (rows === undefined || from === to || /\.(test|fixture)\.ts$/.test(path)) return true;
  const floorOf = (folder: string): number =>
    rows.findIndex((row) => row.split(' ').includes(folder));
  return floorOf(to) >= 0 && floorOf(to) < floorOf(from);
}
