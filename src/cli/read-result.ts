import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { type Result, resultSchema } from '../model/result.ts';
import { Problem } from '../platform/problem.ts';

/** A result file, checked against `result/1`; throws a `Problem` when it is none. */
export const readResult = async (path: string): Promise<Result> => {
  let parsed: unknown;
  try {
    parsed = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    throw new Problem(
      code === undefined
        ? `${path} is no JSON: expected a result.json that \`weir run\` wrote`
        : `the result file ${path} cannot be read: ${code}`,
    );
  }
  const checked = resultSchema.safeParse(parsed);
  if (checked.success) return checked.data;
  throw new Problem(
    `${path} is no result of this version of Weir (expected format result/1):\n${z.prettifyError(checked.error)}`,
  );
};
