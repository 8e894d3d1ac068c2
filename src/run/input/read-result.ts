import { type Result, resultSchema } from '../../model/result/result.ts';
import { fileErrorCode, readTextFile } from '../../platform/files/plain-files.ts';
import { Problem } from '../../platform/problem.ts';
import { schemaIssueMessage } from '../../scenario/text/schema-findings.ts';

const cannotRead = (path: string, code: string): string => {
  if (code === 'EISDIR') return `${path} is a folder: give the result.json in it`;
  return code === 'ENOENT'
    ? `the result file ${path} does not exist: give a result.json that \`weir run\` wrote`
    : `the result file ${path} cannot be read: ${code}`;
};

/** Reads a result file and checks it against `result/1`; throws a `Problem` if it is not a valid result. */
export const readResultFile = async (path: string): Promise<Result> => {
  let parsed: unknown;
  try {
    parsed = JSON.parse(await readTextFile(path));
  } catch (error) {
    const code = fileErrorCode(error);
    throw new Problem(
      code === undefined
        ? `${path} is not JSON: expected a result.json that \`weir run\` wrote`
        : cannotRead(path, code),
    );
  }
  const checked = resultSchema.safeParse(parsed, { error: schemaIssueMessage });
  if (checked.success) return checked.data;
  throw new Problem(describe(path, parsed, checked.error.issues));
};

/** Why a file is not a valid result: another format, or another version of the format. */
const describe = (
  path: string,
  parsed: unknown,
  issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[],
): string => {
  const format =
    typeof parsed === 'object' && parsed !== null && 'format' in parsed ? parsed.format : undefined;
  if (format !== 'result/1') {
    return `${path} is not a result of Weir: expected "format": "result/1", got ${JSON.stringify(format) ?? 'none'}; give a result.json that \`weir run\` wrote`;
  }
  const [first] = issues;
  const more = issues.length > 1 ? ` and ${issues.length - 1} more` : '';
  return `${path} was written by another version of Weir or changed since: at ${first?.path.join('.')}: ${first?.message}${more}; run it again with this version`;
};
