import { basename } from 'node:path';
import { readTextFile } from '../../platform/files/whole-file.ts';
import { weirVersion } from '../../platform/host/machine.ts';
import { Problem } from '../../platform/problem.ts';
import type { Host } from '../../run/input/host.ts';
import { readPlan } from '../../run/input/read-plan.ts';
import { dividedPlan, namesCommand } from '../fleet/hand-over-plan.ts';
import { type Launch, launchName } from './launch.ts';
import type { LauncherName } from './launcher-names.ts';
import { manifestFor } from './manifest.ts';

interface EmitRequest extends Pick<
  Launch,
  'slices' | 'onLost' | 'natsImage' | 'cpus' | 'memoryGiB'
> {
  readonly launcher: LauncherName;
  readonly scenario: string;
  /** The target that is used instead of the scenario's target; `undefined` means the scenario's target. */
  readonly target: string | undefined;
  /** The container image; `undefined` means the image that `npm run image` builds. */
  readonly image: string | undefined;
  readonly rendezvous: string | undefined;
}

/** Prints the manifest by which a launcher runs a scenario in slices. Nothing is started. */
export const emit = async (
  { launcher, scenario, image, rendezvous, target, ...rest }: EmitRequest,
  { environment, printer }: Host,
): Promise<void> => {
  if (!/\.(ya?ml|json)$/.test(scenario)) {
    throw new Problem(
      `${scenario}: expected a scenario file of YAML or JSON, since the manifest contains its text`,
    );
  }
  const source = { scenario, flags: {}, set: [], target, secretsAreElsewhere: true };
  const { plan } = await readPlan(source, environment);
  if (plan.targets !== undefined)
    throw new Problem(
      `targets: a manifest lets its workers reach one target, and this scenario names ${plan.targets.map(({ name }) => name).join(' and ')}. Start the workers by hand (weir coordinate, weir worker), or give the scenario one target`,
    );
  if (plan.target.kind !== 'url') {
    printer.warn(
      'the scenario has no target, so each worker loads a reference gateway of its own; --target https://host/v1 names yours',
    );
  }
  if (namesCommand(plan)) {
    printer.warn(
      'the scenario takes a key from a command (${command:…}), which workers refuse, since it would run where they run: use ${env:NAME} or ${secret:PATH}',
    );
  }
  const version = weirVersion();
  const launch: Launch = {
    ...rest,
    rendezvous: rendezvous ?? null,
    target: target ?? null,
    name: launchName(plan.name),
    plan: dividedPlan(plan, rest.slices),
    file: basename(scenario),
    text: await readTextFile(scenario),
    image: image ?? `weir:${version}`,
    version,
  };
  const manifest = await manifestFor(launcher, launch);
  printer.print({ text: () => manifest });
};
