import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { preflightId, requestIdHeader, routes } from '../../contract/routes.ts';
import type { Credential } from '../../engine/slice-options.ts';
import type { Plan, ConnectionSettings } from '../../model/plan/plan.ts';
import { milliseconds } from '../../model/quantity.ts';
import { testKey } from '../../mock/settings/settings.ts';
import { directWire } from '../../platform/connection/connector.ts';
import { startMockContainer } from '../../platform/process/mock-container.ts';
import {
  mockNodeFlags,
  type MockProcess,
  startMockProcess,
} from '../../platform/process/mock-process.ts';
import { preflightTarget } from '../../platform/http/preflight.ts';
import { Problem } from '../../platform/problem.ts';
import { resolveSecrets } from '../../platform/files/secrets.ts';
import { scheduledEnd } from '../../schedule/stages.ts';
import { embeddedMockSettings } from './embedded-mock.ts';
import { readCertificates } from '../input/named-files.ts';

/** What a plan's requests are sent to and signed with, secrets filled in. */
export interface ReadyTarget {
  readonly baseUrl: string;
  readonly wire: ConnectionSettings;
  readonly certificates: string | null;
  readonly credentials: readonly Credential[];
  readonly headers: Readonly<Record<string, string>>;
  /** Everything that must never appear in anything written. */
  readonly secrets: readonly string[];
  /** The reference gateway, when it was started for this run. */
  readonly mock: MockProcess | null;
  /** What a reader of the figures must know of the way to the target, in sentences. */
  readonly notes: readonly string[];
  /** Those of the notes that somebody should hear before the load. */
  readonly warnings: readonly string[];
}

/** What the status of the look says of the address. A gateway may lack that route, so it is no refusal. */
const warningsFor = (baseUrl: string, status: number): readonly string[] => {
  if (status !== 404) return [];
  const asked = `GET ${baseUrl.replace(/\/+$/, '')}${routes.models.path} answered 404`;
  return [
    /\/v\d+\/*$/.test(baseUrl)
      ? `${asked}: the gateway lacks this route, or lies at another address.`
      : `${asked}: the base address of a gateway ends in its version, for example https://host/v1.`,
  ];
};

/** The engine hands connections to a published port on through a program of its own. */
const containerNote =
  'The reference gateway ran in a container: its answers came through the engine’s proxy, which adds some tenths of a millisecond to each. For short latencies use the target mock, the same gateway in a process.';

/** The program itself, for processes of its own. */
export const programPath = fileURLToPath(
  new URL(`../../cli/main${extname(import.meta.filename)}`, import.meta.url),
);

/** The embedded mock has published test keys of its own: no real key is ever sent to it. */
const mockCredentials = (plan: Plan): readonly Credential[] =>
  plan.keys.map(({ name, weight }, index) => ({
    name,
    weight,
    value: testKey(index),
  }));

const resolveKeysAndHeaders = async (plan: Plan, folder: string) => {
  const toMock = plan.target.kind !== 'url';
  const names = Object.keys(plan.headers);
  const keyTemplates = toMock ? [] : plan.keys.map(({ template }) => template);
  const { filled, secrets } = await resolveSecrets(
    [...keyTemplates, ...Object.values(plan.headers)],
    process.env,
    folder,
  );
  const values = filled.slice(keyTemplates.length);
  return {
    credentials: toMock
      ? mockCredentials(plan)
      : plan.keys.map(({ name, weight }, index) => ({ name, weight, value: filled[index]! })),
    headers: Object.fromEntries(names.map((name, index) => [name, values[index]!])),
    secrets,
  };
};

/** Longer than a run takes beyond its load and the grace after it, its reports included (ms). */
const extraLifetime = 300_000;

/** What was exported from a script that failed is empty. */
const baseImage = (name: string | undefined): string | null =>
  name === undefined || name === '' ? null : name;

/** The reference gateway in the form that the plan asks for, with what the plan needs of it. */
const startMock = (plan: Plan, credentials: readonly Credential[]): Promise<MockProcess> => {
  const settings = embeddedMockSettings(
    plan,
    credentials.map(({ value }) => value),
  );
  return plan.target.kind === 'container'
    ? startMockContainer({
        settings,
        lifetime: milliseconds(scheduledEnd(plan) + plan.grace + extraLifetime),
        base: baseImage(process.env['WEIR_NODE_IMAGE']),
      })
    : startMockProcess(
        [process.execPath, ...mockNodeFlags, programPath, 'mock', '--embedded'],
        settings,
      );
};

/** Starts or looks at the target; throws a `Problem` when it cannot be loaded. Nothing of the plan has been sent by then. */
export const prepareTarget = async (plan: Plan, folder: string): Promise<ReadyTarget> => {
  const filled = await resolveKeysAndHeaders(plan, folder);
  switch (plan.target.kind) {
    case 'mock':
    case 'container': {
      const mock = await startMock(plan, filled.credentials);
      const notes = plan.target.kind === 'container' ? [containerNote] : [];
      return {
        ...filled,
        baseUrl: mock.url,
        wire: directWire,
        certificates: null,
        mock,
        notes,
        warnings: [],
      };
    }
    case 'url': {
      const { wire } = plan;
      const certificates =
        wire.caFile === null ? null : await readCertificates(wire.caFile, folder);
      // Without a key, so that no limit is spent.
      const preflight = await preflightTarget({
        url: plan.target.url,
        wire,
        certificates,
        path: routes.models.path,
        headers: {
          accept: 'application/json',
          ...filled.headers,
          [requestIdHeader]: preflightId,
        },
      });
      if (preflight.kind === 'unusable') throw new Problem(preflight.message);
      const baseUrl = plan.target.url;
      const warnings = warningsFor(baseUrl, preflight.status);
      return { ...filled, baseUrl, wire, certificates, mock: null, notes: warnings, warnings };
    }
  }
};
