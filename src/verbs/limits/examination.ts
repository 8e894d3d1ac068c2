import { keyHeader } from '../../model/plan/key-header.ts';
import { redactor } from '../../model/plan/secret.ts';
import { startClock, wallClock } from '../../platform/host/clock.ts';
import { weirVersion } from '../../platform/host/machine.ts';
import { Problem } from '../../platform/problem.ts';
import { undiciTransport } from '../../platform/http/undici-transport.ts';
import type { ProbeSession } from './experiment/send-probe-request.ts';
import { findProbeModels, listedModels } from './experiment/find-probe-models.ts';
import type { ReadyTarget } from '../../run/target/prepare-target.ts';

/** Connects to a target and reads its model list. Throws a `Problem` if there is no usable model. */
export const openProbe = async (target: ReadyTarget, window: number, model: string | undefined) => {
  const startedAt = wallClock();
  const clock = startClock();
  const { baseUrl, wire, certificates, credentials } = target;
  const transport = undiciTransport({ url: baseUrl, wire, certificates }, clock);
  const values = credentials.map(({ value }) => value);
  const [first = '', second = null] = values;
  const session: ProbeSession = {
    transport,
    clock,
    wallZero: Date.parse(startedAt),
    headers: { 'user-agent': `weir/${weirVersion()}`, ...target.headers },
    keyHeader: (key) => keyHeader(target.auth, key),
    redact: redactor([...target.secrets, ...values]),
    // The timeout is in ms. A queue may delay a request by more than a window.
    timeoutFor: 2 * window + 30_000,
  };
  const sent = clock.now();
  // If the model is named, a list that failed is not requested again.
  const unlisted = target.listing === 'answered' ? null : listedModels('', model);
  const models = unlisted ?? (await findProbeModels(session, first, model));
  const listed = { sent, answered: clock.now() };
  if (typeof models === 'string') {
    await transport.close();
    throw new Problem(`${baseUrl}: ${models}`);
  }
  const keys = { first, second };
  return { session, startedAt, models, listed, keys, close: () => transport.close() };
};

export type OpenedProbe = Awaited<ReturnType<typeof openProbe>>;
