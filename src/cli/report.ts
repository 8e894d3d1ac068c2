import { dirname } from 'node:path';
import { openRunFolder } from '../platform/files.ts';
import type { ExitName } from './exit-codes.ts';
import { openNamedFolder, publish, type Telling, verdictExit } from './publish.ts';
import { readResult } from './read-result.ts';

/** Judges a stored result anew and writes its reports again, by default beside it. */
export const report = async (
  path: string,
  out: string | undefined,
  telling: Telling,
): Promise<ExitName> => {
  const result = await readResult(path);
  const folder = await (out === undefined
    ? openRunFolder(dirname(path))
    : openNamedFolder(out, telling));
  const trust = await publish(result, folder, telling);
  return verdictExit(result, trust);
};
