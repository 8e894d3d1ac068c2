import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { preflightId, requestIdHeader, routes } from '../../contract/routes.ts';
import type { Credential } from '../../engine/slice-options.ts';
import { asLiteral, filledHeaders, secretReferencesIn } from '../../model/plan/secret.ts';
import type { ConnectionSettings, Plan } from '../../model/plan/plan.ts';
import { milliseconds } from '../../model/quantity.ts';
import { testKey } from '../../mock/settings/settings.ts';
import { type Certificates, directWire } from '../../platform/connection/connector.ts';
import { startMockContainer } from '../../platform/process/mock-container.ts';
import {
  mockCommand,
  type MockProcess,
  startMockProcess,
} from '../../platform/process/mock-process.ts';
import { preflightTarget } from '../../platform/http/preflight.ts';
import { monotonicNow } from '../../platform/host/clock.ts';
import { DoubtfulTarget, Problem, UnusableTarget } from '../../platform/problem.ts';
import { runKeyCommand } from '../../platform/files/key-command.ts';
import { resolveSecrets } from '../../platform/files/secrets.ts';
import { scheduledEnd } from '../../schedule/stages.ts';
import { addressWarnings, needsKey, preflightUuid } from './check-address.ts';
import { type CheckedTarget, checkKeys } from './check-keys.ts';
import type { RenewableKey } from './renew-keys.ts';
import { embeddedMockSettings } from './embedded-mock.ts';
import { certificatesFor } from '../input/named-files.ts';
import type { ReadPlan } from '../input/read-plan.ts';

/** The address and the credentials for a plan's requests. The secrets are filled in. */
export interface ReadyTarget {
  readonly baseUrl: string;
  readonly wire: ConnectionSettings;
  readonly certificates: Certificates | null;
  readonly credentials: readonly Credential[];
  readonly auth: Plan['auth'];
  readonly headers: Readonly<Record<string, string>>;
  /** The secrets, which must never be written anywhere. */
  readonly secrets: string[];
  /** The keys that must be renewed during the run. */
  readonly renewableKeys: readonly RenewableKey[];
  readonly mock: MockProcess | null;
  /** Notes about the target for readers of the report. */
  readonly notes: readonly string[];
  readonly warnings: readonly string[];
  /**
   * The result of the request for the target's models: an answer that looks like a gateway's (`answered`), another
   * answer (`doubtful`), no answer (`silent`), or no request (`unasked`).
   */
  readonly listing: 'answered' | 'doubtful' | 'silent' | 'unasked';
  /** Whether a request was sent with each key before the load. */
  readonly keysWereUsed: boolean;
}

const containerNote =
  'The reference gateway ran in a container: its answers came through the engine’s proxy, which adds some tenths of a millisecond to each. For short latencies use the target mock, the same gateway in a process.';

export const programPath = fileURLToPath(
  new URL(`../../cli/main${extname(import.meta.filename)}`, import.meta.url),
);

const resolveKeysAndHeaders = async ({ plan, folder, environment }: ReadPlan) => {
  const toMock = plan.target.kind !== 'url';
  // The reference gateway has public test keys, so Weir never sends it a real key.
  const keyTemplates = toMock ? [] : plan.keys.map(({ template }) => template);
  // A key may be valid from the moment at which its command starts, so its lifetime is counted from here.
  const readAt = monotonicNow();
  const keys = await resolveSecrets(keyTemplates, environment, folder);
  const renewableKeys = keyTemplates.flatMap((template, index): readonly RenewableKey[] => {
    const [reference] = secretReferencesIn(template);
    if (reference?.kind !== 'command' || reference.lifetime === null) return [];
    const { command, lifetime } = reference;
    return [{ index, lifetime, readAt, read: () => runKeyCommand(command, environment, folder) }];
  });
  // The value of a secret is never read as a template, whatever the value contains.
  const headers = await resolveSecrets(Object.values(plan.headers), environment, folder, asLiteral);
  const values = toMock ? plan.keys.map((_, i) => testKey(i)) : keys.filled;
  return {
    credentials: plan.keys.map(({ name, weight }, i) => ({ name, weight, value: values[i]! })),
    renewableKeys,
    headers: Object.fromEntries(
      Object.keys(plan.headers).map((name, i) => [name, headers.filled[i]!]),
    ),
    secrets: [...keys.secrets, ...headers.secrets, ...values],
    auth: plan.auth,
  };
};

/**
 * The container can run for this many ms after the load and the grace period. In this time, the run can write reports,
 * for example.
 */
const extraLifetime = 300_000;

const startMock = (
  { plan, environment }: ReadPlan,
  credentials: readonly Credential[],
): Promise<MockProcess> => {
  const keys = credentials.map(({ value }) => value);
  const settings = embeddedMockSettings(plan, keys);
  if (plan.target.kind === 'mock') {
    const entries = plan.stages.flatMap(({ traffic }) => traffic);
    const hasUploads = entries.some(({ kind }) => kind === 'transcription');
    return startMockProcess(mockCommand(programPath, hasUploads), settings);
  }
  const lifetime = milliseconds(scheduledEnd(plan) + plan.grace + extraLifetime);
  // An empty variable counts as not set, since a script that failed may export an empty variable.
  const { WEIR_NODE_IMAGE: image = '' } = environment;
  return startMockContainer({ settings, lifetime, base: image === '' ? null : image });
};

/** The options for checking a target before anything else is sent. */
export interface LookOptions {
  /**
   * Whether to check the target by a request for its models; true by default. Only commands with the option
   * `--no-preflight` set this field, and only their messages name the option.
   */
  readonly preflight?: boolean | undefined;
  /** Whether to request the list of models with each key. */
  readonly withKeys?: boolean;
  /** The option that skips the check of the keys; `--no-key-check` by default. */
  readonly keyOption?: string;
  /** Whether to request the smallest answer from an unlisted model; true by default. */
  readonly asksModels?: boolean;
  /** Whether the caller needs only the list of models. If so, the check fails without a list. */
  readonly needsList?: boolean;
}

type LookedAt = Pick<ReadyTarget, 'notes' | 'warnings' | 'listing' | 'keysWereUsed'>;

const unseen: LookedAt = { notes: [], warnings: [], listing: 'unasked', keysWereUsed: false };

/** Checks a target by requesting its models. The first request has no key, so it counts towards no key's limit. */
const lookAt = async (
  plan: Plan,
  target: CheckedTarget,
  {
    withKeys = false,
    needsList = false,
    keyOption: option = '--no-key-check',
    asksModels = true,
  }: LookOptions,
): Promise<LookedAt> => {
  const headers = {
    accept: 'application/json',
    ...target.headers,
    [requestIdHeader]: preflightId,
  };
  const preflight = await preflightTarget({
    ...target,
    path: routes.models.path,
    otherPath: routes.chat.path,
    headers,
  });
  const { kind } = preflight;
  if (kind === 'unusable' && preflight.mayAnswer === true)
    throw new DoubtfulTarget(`${preflight.message}.`);
  if (kind === 'unusable' || (kind !== 'reached' && needsList))
    throw new UnusableTarget(preflight.message);
  if (kind !== 'reached') {
    const doubts = [`${preflight.message}. That says nothing of other requests.`];
    return { ...unseen, notes: doubts, warnings: doubts, listing: kind };
  }
  const { status } = preflight;
  const notes = await addressWarnings(target, headers, status);
  const isChecked = withKeys && (status === 200 || needsKey(status));
  const found = isChecked
    ? await checkKeys(plan, target, { isOpen: status === 200, option, asksModels })
    : { notes: [], warnings: [] };
  const keysWereUsed = isChecked && needsKey(status);
  const all = [...notes, ...found.notes];
  return { notes: all, warnings: [...all, ...found.warnings], listing: 'answered', keysWereUsed };
};

/**
 * Checks a target as `lookAt` does. If the target may still be usable, the message names the option with which the user
 * can continue.
 */
const lookOrAdvise = async (
  plan: Plan,
  target: CheckedTarget,
  options: LookOptions,
): Promise<LookedAt> => {
  if (options.preflight === false) return unseen;
  return lookAt(plan, target, options).catch((error: unknown) => {
    if (!(error instanceof DoubtfulTarget) || options.preflight === undefined) throw error;
    throw new UnusableTarget(`${error.message} To go on all the same, add --no-preflight`);
  });
};

/** Starts or checks the only target of a plan. Throws a `Problem` if the target cannot be used. */
export const prepareOnly = async (
  read: ReadPlan,
  options: LookOptions = {},
): Promise<ReadyTarget> => {
  const { plan, folder } = read;
  const filled = await resolveKeysAndHeaders(read);
  if (plan.target.kind !== 'url') {
    const mock = await startMock(read, filled.credentials);
    const notes = plan.target.kind === 'container' ? [containerNote] : [];
    const address = { baseUrl: mock.url, wire: directWire, certificates: null };
    return { ...filled, ...address, ...unseen, listing: 'answered', mock, notes };
  }
  const { wire } = plan;
  const baseUrl = plan.target.url;
  const certificates = await certificatesFor(wire, folder, read.environment);
  const headers = filledHeaders(filled.headers, { uuid: preflightUuid, index: 0 });
  const target = { url: baseUrl, wire, certificates, ...filled, headers };
  const found = await lookOrAdvise(plan, target, options);
  return { ...filled, baseUrl, wire, certificates, mock: null, ...found };
};

/**
 * Starts or checks the target before the plan sends anything. Throws a `Problem` if the target is unusable. Also throws
 * for a plan with named targets, since the caller can handle only one target.
 */
export const prepareTarget = async (
  read: ReadPlan,
  options: LookOptions = {},
): Promise<ReadyTarget> => {
  const names = read.plan.targets?.map(({ name }) => name);
  if (names === undefined) return prepareOnly(read, options);
  throw new Problem(
    `targets: expected one target, and this scenario names ${names.join(' and ')}: only runs (weir run, sweep, compare, fairness) send to targets by name. Give one address with --target, without the scenario or with one that has no "targets"`,
  );
};

export const closeTarget = async ({ mock }: ReadyTarget): Promise<void> => {
  await mock?.stop();
};
