import { readyLine } from '../../mock/gateway/start.ts';
import type { SettingsInput } from '../../mock/settings/settings.ts';
import type { Milliseconds } from '../../model/quantity.ts';
import { openParentPipe } from '../../platform/process/parent-pipe.ts';
import type { Host } from '../../run/input/host.ts';
import { endAfter, startServing } from './start-serving.ts';

interface RunGateway {
  readonly inContainer: boolean;
  readonly hasUploads: boolean;
  /** The gateway stops after this many ms; `null` for no such limit. */
  readonly lifetime: Milliseconds | null;
}

/**
 * Runs the gateway for the run that started this process. The settings arrive through a pipe as one line of JSON, and
 * the gateway ends when the pipe ends. The run handles stop signals. In a container, stop signals come from the
 * container engine.
 */
export const serveRun = async (
  { inContainer, hasUploads, lifetime }: RunGateway,
  { printer, onStop }: Host,
): Promise<void> => {
  const finished = Promise.withResolvers<void>();
  const pipe = openParentPipe();
  void pipe.closed.then(finished.resolve);
  const cancelLifetime = endAfter(lifetime, finished.resolve);
  const first = await Promise.race([pipe.firstLine, finished.promise.then(() => null)]);
  if (first !== null) {
    const { mock } = await startServing(JSON.parse(first) as SettingsInput, hasUploads);
    const release = onStop(() => {
      if (inContainer) finished.resolve();
    });
    printer.print({ text: () => readyLine(mock) });
    await finished.promise;
    release();
    await mock.close();
  }
  cancelLifetime();
  pipe.close();
};
