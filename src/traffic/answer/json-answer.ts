import type { Answer, Outcome } from '../../model/observation/outcome.ts';
import type { Instant } from '../../model/quantity.ts';
import type { AnswerReader, ReadingContext } from '../traffic-handler.ts';
import { readErrorBody } from './read-refusal.ts';
import { type ResponseHeaders, malformedOutcome } from './response-reader.ts';
import { type SchemaError, describeSchemaErrors } from './schema-errors.ts';
import { readWholeBody, type WholeBody } from './whole-body.ts';

/** The used part of a contract's schema. */
interface Schema<T> {
  safeParse(
    json: unknown,
  ):
    | { readonly success: true; readonly data: T }
    | { readonly success: false; readonly error: SchemaError };
}

/** What a traffic kind expects of a JSON answer. */
export interface ExpectedJson<T> {
  /** Its name in messages, for example `a model list`. */
  readonly name: string;
  readonly schema: Schema<T>;
  /** The answer, or an error message if a document of the right shape breaks the contract. */
  readonly answer: (document: T, firstByte: Instant) => Answer | string;
}

/** Reads a response whose 2xx body is one JSON document. */
export const readJsonAnswer = <T>(
  context: ReadingContext,
  expected: ExpectedJson<T>,
): AnswerReader =>
  readWholeBody(context, {
    name: expected.name,
    interpret: (body) => interpretJson(body, expected, context),
  });

const interpretJson = <T>(
  { text, headers, firstByte }: WholeBody,
  { name, schema, answer }: ExpectedJson<T>,
  { targetMemory, redact }: ReadingContext,
): Outcome => {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return notJson(name, headers);
  }
  if (!isJsonLabel(headers)) {
    targetMemory.notes.add(`The target did not label ${name} as JSON; it was read as JSON anyway.`);
  }
  const error = readErrorBody(json, redact);
  if (error !== null) {
    return malformedOutcome(
      'shape',
      `a JSON error was returned instead of ${name}: ${error.message}`,
    );
  }
  const parsed = schema.safeParse(json);
  if (!parsed.success) {
    return malformedOutcome(
      'shape',
      `the body is not ${name}: ${describeSchemaErrors(parsed.error)}`,
    );
  }
  const result = answer(parsed.data, firstByte);
  return typeof result === 'string'
    ? malformedOutcome('shape', result)
    : { kind: 'completed', answer: result };
};

const notJson = (name: string, headers: ResponseHeaders): Outcome =>
  isJsonLabel(headers)
    ? malformedOutcome(
        'not-json',
        `the body is labelled JSON but cannot be parsed; ${name} was expected`,
      )
    : malformedOutcome(
        'content-type',
        `the body is not JSON and not labelled as JSON; ${name} was expected`,
      );

const isJsonLabel = (headers: ResponseHeaders): boolean =>
  /^application\/([\w.-]+\+)?json\b/i.test(headers['content-type'] ?? '');
