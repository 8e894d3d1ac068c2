import { dirname } from 'node:path';
import { openRunFolder } from '../platform/files.ts';
import type { ExitName } from './exit-codes.ts';
import { publish, type Telling, verdictExit } from './publish.ts';
import { readResult } from './read-result.ts';

/** Judges a stored result anew and writes its reports again, by default beside it. */
export const report = async (
  path: string,
  out: string | undefined,
  telling: Telling,
): Promise<ExitName> => {
  const result = await readResult(path);
  const judged = await publish(result, await openRunFolder(out ?? dirname(path)), telling);
  return verdictExit(judged);
};
