import { z } from 'zod';
import type { RequestRefusal } from '../errors/request-refusal.ts';

const describeIssue = (issue: z.core.$ZodIssue): string =>
  issue.code === 'invalid_union'
    ? issue.errors
        .flatMap(([first]) => (first === undefined ? [] : describeIssue(first)))
        .join('; or ')
    : issue.message.replace(/^Invalid input: /, '');

const issueMessage = (issue: z.core.$ZodIssue): string =>
  `Invalid ${z.core.toDotPath(issue.path) || 'request body'}: ${describeIssue(issue)}.`;

/** The refusal of what does not keep to a schema: every parameter that is wrong, by its name. */
export const invalidParameters = (error: z.ZodError): RequestRefusal => ({
  cause: 'invalid-parameter',
  message: error.issues.map(issueMessage).join(' '),
});

const utf8 = new TextDecoder('utf-8', { fatal: true });

const parseJson = (body: Uint8Array): { readonly value: unknown } | null => {
  try {
    return { value: JSON.parse(utf8.decode(body)) };
  } catch {
    return null;
  }
};

/** Reads a JSON body by its schema: the value, or why it is refused. */
export const readJsonBody = <Schema extends z.ZodType>(
  body: Uint8Array,
  schema: Schema,
): { readonly value: z.output<Schema> } | RequestRefusal => {
  const json = parseJson(body);
  if (json === null) {
    return { cause: 'not-json', message: 'The request body is not JSON in UTF-8.' };
  }
  const parsed = schema.safeParse(json.value);
  return parsed.success ? { value: parsed.data } : invalidParameters(parsed.error);
};
