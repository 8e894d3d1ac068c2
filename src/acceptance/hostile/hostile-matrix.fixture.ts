import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generate } from 'selfsigned';
import { type TransportName, transportNames } from '../../model/observation/exchange.ts';
import type { Observation } from '../../model/observation/observation.ts';
import type { ScenarioInput } from '../../library/library.ts';
import { readObservations } from '../harness/run-files.fixture.ts';
import { type Attack, entryOf, requestForms, type RequestForm } from './attack.fixture.ts';
import type { ChildReport, ChildRun } from './hostile-child.fixture.ts';
import {
  type Certificate,
  noAttack,
  type ServedRequest,
  startHostileServer,
} from './hostile-servers.fixture.ts';

/** Runs attacks against Weir in a child process, and lists what does not hold. */

export const clients = [...transportNames, 'saturate'] as const;
export type HostileClient = TransportName | 'saturate';

export interface HostileMatrix {
  readonly attacks: readonly Attack[];
  readonly clients: readonly HostileClient[];
  /** How often each attack meets each client and form. */
  readonly repeats: number;
  /** How many requests are in flight at once. */
  readonly users: number;
  /** Whether the servers speak TLS. */
  readonly secure?: boolean;
}

/** What was found in one child process. */
export interface MatrixReport {
  /** Sentences; empty if everything holds. */
  readonly problems: readonly string[];
  readonly requests: number;
  /** Attack, form and client that met at least once. */
  readonly cases: number;
  readonly peakMemory: number;
}

/** In ms. */
const totalDeadline = 2500;
/** More than the total deadline, for a machine that is too busy to keep it. */
const mostTime = totalDeadline + 10_000;

const commonParts = {
  deadlines: { connect: '1500ms', firstToken: '1500ms', idle: '1500ms', total: '2500ms' },
  grace: '5s',
  canary: false,
  limits: 'none',
} as const;

const mebibyte = 1024 * 1024;

/** How much more memory a hostile server may cost than a proper one, in bytes. */
export const memoryMargin = 64 * mebibyte;

const formsOf = (client: HostileClient): readonly RequestForm[] =>
  client === 'saturate' ? ['chat', 'models'] : requestForms;

/** The attacks on requests that a client sends. */
export const suitedTo = (attacks: readonly Attack[], client: HostileClient): readonly Attack[] =>
  attacks.filter(({ forms }) => formsOf(client).some((form) => forms.includes(form)));

interface PlannedRun {
  readonly client: HostileClient;
  readonly form: RequestForm;
  readonly attacks: readonly Attack[];
}

const plannedRuns = ({ attacks, clients: chosen }: HostileMatrix): readonly PlannedRun[] =>
  chosen.flatMap((client) =>
    formsOf(client)
      .map((form) => ({
        client,
        form,
        attacks: attacks.filter(({ forms }) => forms.includes(form)),
      }))
      .filter((planned) => planned.attacks.length > 0),
  );

const scenarioOf = (
  { client, form, attacks }: PlannedRun,
  { repeats, users }: HostileMatrix,
  url: string,
): ScenarioInput => ({
  ...commonParts,
  // A hundred thousand events need more than two MiB.
  caps: { bytes: form === 'chat-stream' ? '5 MiB' : '2 MiB' },
  target: url,
  wire: { verifyTls: false },
  traffic: [entryOf(form)],
  ...(client === 'saturate'
    ? { load: { kind: 'saturate', connections: users, duration: '3s' } }
    : {
        transport: client,
        load: {
          kind: 'iterations',
          users: Math.min(users, attacks.length * repeats),
          iterations: attacks.length * repeats,
          maxDuration: '5m',
        },
      }),
});

const childPath = fileURLToPath(new URL('hostile-child.fixture.ts', import.meta.url));
/** The launcher's, without which the size of the young generation depends on the machine. */
const execArgv = [
  // V8 collects early, so that the peak is what is held and not garbage that waits: that differs by 30 MB from run to run.
  '--optimize-for-size',
  '--no-memory-reducer',
  '--min-semi-space-size=16',
  '--max-semi-space-size=16',
  '--initial-old-space-size=128',
];
/** In ms; a run that hangs is ended then. */
const childTimeout = 240_000;

const performInChild = async (runs: readonly ChildRun[]): Promise<ChildReport> => {
  const child = fork(childPath, { execArgv, silent: true });
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), childTimeout);
  try {
    const { promise, resolve } = Promise.withResolvers<ChildReport>();
    child.once('message', (message) => resolve(message as ChildReport));
    const closed = once(child, 'close');
    child.send(runs);
    const report = await Promise.race([promise, closed.then(() => null)]);
    if (report === null) throw new Error(`the child process ended without a report: ${errors}`);
    await closed;
    return report;
  } finally {
    clearTimeout(timer);
    child.kill('SIGKILL');
  }
};

/** An outcome in words: its kind, and its cause or issue. */
const describeOutcome = ({ outcome }: Observation): string => {
  if (outcome.kind === 'broken' || outcome.kind === 'dropped')
    return `${outcome.kind} ${outcome.cause}`;
  return outcome.kind === 'malformed' ? `malformed ${outcome.issue}` : outcome.kind;
};

type AllowedOutcomes = (attack: Attack) => readonly string[];

const allowedBy =
  (client: HostileClient): AllowedOutcomes =>
  ({ outcomes, byUndici }) =>
    client === 'undici' ? [...outcomes, ...byUndici] : outcomes;

const isIn = (described: string, outcomes: readonly string[]): boolean =>
  outcomes.some(
    (allowed) =>
      described === allowed ||
      (/^[ -]/.test(described.slice(allowed.length)) && described.startsWith(allowed)),
  );

/** A machine that is too busy lets requests pass their deadlines, so these are allowed as long as not all do. */
const isDeadline = (described: string): boolean => described.startsWith('broken deadline-');

/** How a request can end that no server received in whole. */
const isUnreceived = (described: string): boolean =>
  /^(dropped|broken (connect|closed-on-reuse|closed-early|reset|deadline|aborted))/.test(described);

/** Every request that the server received was observed once, and the others ended without an answer. */
const compareCounts = (
  observations: readonly Observation[],
  served: readonly ServedRequest[],
  client: HostileClient,
): readonly string[] => {
  const answered = observations.filter((each) => !isUnreceived(describeOutcome(each))).length;
  const ids = (list: readonly string[]): number => new Set(list).size;
  const isRepeated = ids(served.map(({ id }) => id)) !== served.length;
  const isWrong =
    served.length > observations.length ||
    served.length < answered ||
    (client !== 'saturate' &&
      (isRepeated || ids(observations.map(({ requestId }) => requestId)) !== observations.length));
  return isWrong
    ? [
        `${served.length} requests at the server, ${observations.length} observed, ${answered} answered`,
      ]
    : [];
};

const compareOutcomes = (
  observations: readonly Observation[],
  served: readonly ServedRequest[],
  client: HostileClient,
): readonly string[] => {
  const allowed = allowedBy(client);
  const problems: string[] = [];
  const attackOf = new Map(served.map(({ id, attack }) => [id, attack]));
  const seen = new Map<Attack, Set<string>>();
  for (const observation of observations) {
    const described = describeOutcome(observation);
    const attack = attackOf.get(observation.requestId);
    if (observation.ended - observation.begun > mostTime)
      problems.push(`${attack?.name}: took ${observation.ended - observation.begun} ms`);
    if (attack === undefined) {
      if (!isUnreceived(described)) problems.push(`${described} without a request at the server`);
      continue;
    }
    if (!isIn(described, allowed(attack)) && !isDeadline(described)) {
      const detail = 'detail' in observation.outcome ? ` (${observation.outcome.detail})` : '';
      problems.push(`${attack.name}: ${described}${detail}`);
    }
    seen.set(attack, (seen.get(attack) ?? new Set()).add(described));
  }
  for (const [attack, outcomes] of seen)
    if (![...outcomes].some((described) => isIn(described, allowed(attack))))
      problems.push(`${attack.name}: only ${[...outcomes].join(', ')}`);
  return problems;
};

const makeCertificate = async (): Promise<Certificate> => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
  });
  return { key, cert };
};

/** Runs every attack of the matrix in one child process. */
export const runMatrix = async (matrix: HostileMatrix): Promise<MatrixReport> => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-hostile-'));
  const planned = plannedRuns(matrix);
  const certificate = matrix.secure === true ? await makeCertificate() : null;
  const servers = await Promise.all(
    planned.map(({ attacks }) => startHostileServer(attacks, certificate)),
  );
  try {
    const runs = planned.map((each, index) => ({
      scenario: scenarioOf(each, matrix, servers[index]!.url),
      observations: join(folder, `${index}.jsonl`),
    }));
    const report = await performInChild(runs);
    const problems: string[] = [];
    let cases = 0;
    let requests = 0;
    for (const [index, { client, form, attacks }] of planned.entries()) {
      const { served } = servers[index]!;
      const observations = await readObservations(runs[index]!.observations);
      const { outcomes, due } = report.runs[index]!;
      const found = [
        ...compareOutcomes(observations, served, client),
        ...compareCounts(observations, served, client),
      ];
      if (outcomes !== observations.length || due !== observations.length)
        found.push(`${observations.length} observations, ${outcomes} outcomes, ${due} due`);
      const met = new Set(served.map(({ attack }) => attack)).size;
      if (client !== 'saturate' && met < attacks.length)
        found.push(`met ${met} of ${attacks.length} attacks`);
      problems.push(...new Set(found.map((problem) => `${client}, ${form}: ${problem}`)));
      cases += met;
      requests += served.length;
    }
    return { problems, requests, cases, peakMemory: report.peakMemory };
  } finally {
    await Promise.all(servers.map((server) => server.close()));
    await rm(folder, { recursive: true, force: true });
  }
};

/** A run of a few dozen requests has not yet used the young generation that every longer run uses. */
const properRequests = 2000;

/** Runs against a proper server: of each form at least as many requests, by the same clients. */
export const properMatrix = ({ attacks, repeats, ...rest }: HostileMatrix): HostileMatrix => ({
  ...rest,
  repeats: Math.max(repeats, Math.ceil(properRequests / attacks.length)),
  attacks: attacks.map(({ forms, name }) => ({ ...noAttack, forms, name })),
});
