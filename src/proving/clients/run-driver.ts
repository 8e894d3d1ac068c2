import { fileURLToPath } from 'node:url';
import { installedNpm, installedPython, roomFile } from '../harness/installed.ts';
import { outputOf } from '../harness/program-output.ts';

/** Runs the drivers of clients of others. */

export interface Client {
  /** A file of `drivers`. */
  readonly driver: string;
  /** The file of `drivers` with all that pip installs for it; `null` for a client of npm. */
  readonly requirements: string | null;
}

/** What a driver saw: for each feature its value, or an error. */
export type ObservedFeatures = Readonly<Record<string, unknown>>;

const clip = fileURLToPath(new URL('../../../fixtures/speech/gate.wav', import.meta.url));

/**
 * Runs a driver with the addresses of two gateways, of which `limited` admits one request, and of an audio clip. Throws
 * `Unavailable` if its packages cannot be had here.
 */
export const runDriver = async (
  { driver, requirements }: Client,
  gateways: { readonly url: string; readonly limited: string },
): Promise<ObservedFeatures> => {
  const [program, packages] =
    requirements === null
      ? [process.execPath, await installedNpm('clients-npm', 'clients/drivers')]
      : ['python3', await installedPython('clients-pypi', `clients/drivers/${requirements}`)];
  const { stdout, stderr } = await outputOf(program, [roomFile(`clients/drivers/${driver}`)], {
    cwd: packages,
    env: {
      WEIR_URL: gateways.url,
      WEIR_LIMITED_URL: gateways.limited,
      WEIR_CLIP: clip,
      PYTHONPATH: packages,
      // Drivers leave nothing beside them.
      PYTHONDONTWRITEBYTECODE: '1',
    },
  });
  const line = stdout.trimEnd().split('\n').at(-1) ?? '';
  if (!line.startsWith('{')) throw new Error(`${driver} printed no result: ${stderr}`);
  return JSON.parse(line) as ObservedFeatures;
};
