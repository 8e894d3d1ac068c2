import { keyHeader } from '../../model/plan/key-header.ts';
import { filledHeaders, redactor } from '../../model/plan/secret.ts';
import { startClock, wallClock } from '../../platform/host/clock.ts';
import { uniqueName, weirVersion } from '../../platform/host/machine.ts';
import { Problem } from '../../platform/problem.ts';
import { undiciTransport } from '../../platform/http/undici-transport.ts';
import type { ProbeSession } from './experiment/send-probe-request.ts';
import { findProbeModels, listedModels } from './experiment/find-probe-models.ts';
import type { FollowedStops } from '../../run/input/follow-stops.ts';
import type { Host } from '../../run/input/host.ts';
import type { ReadPlan } from '../../run/input/read-plan.ts';
import { usingFolder } from '../../run/output/output-folder.ts';
import type { RunFolder } from '../../platform/files/run-folder.ts';
import { rejectMisplaced } from '../../run/target/check-address.ts';
import { closeTarget, prepareTarget, type ReadyTarget } from '../../run/target/prepare-target.ts';

/**
 * Connects to a target and reads its model list. An answer may take `timeout` ms. Throws a `Problem` if the target has
 * no usable model.
 */
export const openProbe = async (
  target: ReadyTarget,
  model: string | undefined,
  timeout = 30_000,
) => {
  const startedAt = wallClock();
  const clock = startClock();
  const { baseUrl, wire, certificates, credentials } = target;
  const transport = undiciTransport({ url: baseUrl, wire, certificates }, clock);
  const values = credentials.map(({ value }) => value);
  const [first = '', second = null] = values;
  let index = -1;
  const session: ProbeSession = {
    transport,
    clock,
    wallZero: Date.parse(startedAt),
    nextHeaders: () => {
      index += 1;
      const own = filledHeaders(target.headers, { uuid: uniqueName(), index });
      return { 'user-agent': `weir/${weirVersion()}`, ...own };
    },
    keyHeader: (key) => keyHeader(target.auth, key),
    redact: redactor([...target.secrets, ...values]),
    timeoutFor: timeout,
  };
  const sent = clock.now();
  // If the model list was not answered and `model` names a model, the list is not requested again.
  const unlisted = target.listing === 'answered' ? null : listedModels('', model);
  const models =
    unlisted ?? (await findProbeModels(session, first, model, () => rejectMisplaced(target)));
  const listed = { sent, answered: clock.now() };
  if (typeof models === 'string') {
    await transport.close();
    throw new Problem(`${baseUrl}: ${models}`);
  }
  const keys = { first, second };
  return { session, startedAt, models, listed, keys, close: () => transport.close() };
};

export type OpenedProbe = Awaited<ReturnType<typeof openProbe>>;

interface Opening {
  readonly read: ReadPlan;
  readonly model: string | undefined;
  /** Whether to ask the target for its models even if `model` names a model. */
  readonly preflight: boolean;
  /** An answer may take at most this many ms. */
  readonly timeout: number;
  readonly folder: RunFolder;
  readonly stops: FollowedStops;
}

/**
 * Opens a target, examines the target, and always closes everything that was opened. A failure leaves no new folder.
 */
export const examineOpened = async <T>(
  { read, model, preflight, timeout, folder, stops }: Opening,
  { say }: Pick<Host['printer'], 'say'>,
  examine: (probe: OpenedProbe, target: ReadyTarget) => Promise<T>,
): Promise<T> => {
  return usingFolder(folder, async (closing) => {
    closing.defer(() => stops.release());
    const target = await stops.unlessStopped(prepareTarget(read, { preflight }), closeTarget);
    closing.defer(() => closeTarget(target));
    for (const warning of target.warnings) say(warning);
    const opening = openProbe(target, model, timeout);
    const probe = await stops.unlessStopped(opening, ({ close }) => close());
    closing.defer(() => probe.close());
    return examine(probe, target);
  });
};
