import { maxUploadBytes, uploadExtensions } from '../../contract/audio.ts';
import { requestIdHeader, routes } from '../../contract/routes.ts';
import type { WireRequest } from '../../model/observation/exchange.ts';
import { keyHeader } from '../../model/plan/key-header.ts';
import { filledHeaders, redactor } from '../../model/plan/secret.ts';
import type { Clip } from '../../model/workload/clip.ts';
import { readClips } from '../../platform/files/clips.ts';
import { startClock, wallClock } from '../../platform/host/clock.ts';
import { uniqueName, weirVersion } from '../../platform/host/machine.ts';
import { undiciTransport } from '../../platform/http/undici-transport.ts';
import { sleep } from '../../platform/process/pause.ts';
import { CheckAnswer, isDeadline } from './reading/check-answer.ts';
import type { CheckRequest } from './reading/check-case.ts';
import type { CheckClient } from './suite/run-checks.ts';
import type { HeldStream } from './reading/hang-up-facts.ts';
import { openStream } from './suite/open-stream.ts';
import { sendCheckRequest } from './suite/send-check-request.ts';
import { recordedSeconds } from '../../traffic/audio/recorded-seconds.ts';
import type { ReadyTarget } from '../../run/target/prepare-target.ts';

/** Once several answers were too slow, an answer may take at most this many ms. */
const shortTimeout = 4000;

const unknownKey = 'sk-weir-no-such-key';

/**
 * Returns the base address without its version; `null` for an address without a version. The new address may serve
 * nothing.
 */
export const addressWithoutVersion = (baseUrl: string): string | null => {
  const url = new URL(baseUrl);
  const path = url.pathname.replace(/\/+$/, '');
  if (!/\/v\d+$/.test(path)) return null;
  url.pathname = path.replace(/\/v\d+$/, '') || '/';
  return url.href;
};

/**
 * Returns the recordings in the Weir package. `clip` has several sentences. `otherClips` are all recordings, including
 * `clip`, the smallest file first.
 */
export const bundledClips = async (): Promise<{
  readonly clip: Clip;
  readonly otherClips: readonly Clip[];
}> => {
  const source = { file: 'bundled', text: null, oversized: false };
  const { library } = await readClips([source], '.', {
    extensions: uploadExtensions,
    largest: maxUploadBytes,
    recorded: recordedSeconds,
    isConfined: false,
  });
  const clips = library.clipsOf(source);
  const clip = clips.find(({ name }) => name === 'keeper.m4a');
  if (clip === undefined) throw new Error('the bundled recordings have no keeper.m4a');
  return {
    clip,
    otherClips: clips.toSorted((a, b) => a.bytes.length - b.bytes.length),
  };
};

export const secretsOf = (target: ReadyTarget | null): readonly string[] =>
  target === null ? [] : [...target.secrets, ...target.credentials.map(({ value }) => value)];

const keyHeaders = ({ auth, credentials: [own] }: ReadyTarget, kind: CheckRequest['key']) =>
  kind === 'missing' ? {} : keyHeader(auth, kind === 'valid' ? (own?.value ?? '') : unknownKey);

/** Returns a function that adds to each request a key, the target's headers and a unique id. */
export const requestAuthorizer = (startedAt: string) => {
  let serial = 0;
  const begun = startedAt.replaceAll(/[^0-9]/g, '').slice(4, 14);
  return (asked: ReadyTarget, kind: CheckRequest['key'], request: WireRequest): WireRequest => {
    serial += 1;
    const headers = {
      'user-agent': `weir/${weirVersion()}`,
      ...request.headers,
      ...filledHeaders(asked.headers, { uuid: uniqueName(), index: serial - 1 }),
      ...keyHeaders(asked, kind),
      [requestIdHeader]: `check-${begun}-${serial}`,
    };
    return { ...request, headers };
  };
};

/**
 * Opens connections for the checks: to a target and, if its address is known, to the model without the gateway.
 * `timeout` is the maximum time for an answer, in ms. `fails` are the finish reasons that make an answer a failure
 * according to the scenario.
 */
export const openCheckSession = (
  target: ReadyTarget,
  direct: ReadyTarget | null,
  timeout: number,
  fails: readonly string[],
) => {
  const { baseUrl } = target;
  const startedAt = wallClock();
  const wallZero = Date.parse(startedAt);
  const clock = startClock();
  const root = addressWithoutVersion(baseUrl);
  const transportTo = (url: string, { wire, certificates } = target) =>
    undiciTransport({ url, wire, certificates }, clock);
  const transports = {
    versioned: transportTo(baseUrl),
    root: root === null ? null : transportTo(root),
    direct: direct === null ? null : transportTo(direct.baseUrl, direct),
  };
  const redact = redactor([target, direct].flatMap(secretsOf));
  const authorized = requestAuthorizer(startedAt);
  const client: CheckClient = {
    now: () => clock.now(),
    wall: () => wallZero + clock.now(),
    sleep,
    send: async ({ id, key: kind, base, isStream }, wireRequest, isShort) => {
      const asked = base === 'direct' && direct !== null ? direct : target;
      const request = authorized(asked, kind, wireRequest);
      const transport = transports[base] ?? transports.versioned;
      const isShortened = isShort && timeout > shortTimeout;
      const total = isShortened ? shortTimeout : timeout;
      // A speech answer is sent only when it is complete. So a long silence is normal, and only the total time limits
      // the answer.
      const deadlines = { total, idle: total, afterEnd: Math.min(1500, total) };
      const isAudio = request.path === routes.speech.path;
      const received = await sendCheckRequest({ transport, clock }, request, deadlines, {
        isStream,
        isAudio,
      });
      const isCutShort = isShortened && isDeadline(received);
      return new CheckAnswer(id, { ...received, isCutShort }, request, redact, fails);
    },
  };
  return {
    client,
    /** Sends a chat from which the client can hang up. */
    open: (wireRequest: WireRequest): HeldStream =>
      openStream(transports.versioned, clock, authorized(target, 'valid', wireRequest)),
    startedAt,
    /** Which kinds of address the target has. */
    has: { versioned: true, root: root !== null, direct: direct !== null },
    close: async () => {
      for (const transport of Object.values(transports)) await transport?.close();
    },
  };
};
export type CheckSession = ReturnType<typeof openCheckSession>;
