import type { Answer, Outcome } from '../model/observation.ts';
import type { Instant } from '../model/quantity.ts';
import type { AnswerReader, ReadingContext } from './kind.ts';
import { readErrorBody } from './refusal.ts';
import { type Headers, malformed } from './response.ts';
import { type ShapeError, shapeProblems } from './shape.ts';
import { readWhole, type WholeBody } from './whole-body.ts';

/** The part of a contract's schema that reading needs. */
interface Schema<T> {
  safeParse(
    json: unknown,
  ):
    | { readonly success: true; readonly data: T }
    | { readonly success: false; readonly error: ShapeError };
}

/** What a kind whose answer is one JSON document expects of it. */
export interface JsonAnswer<T> {
  /** What the document is called in sentences, for example `a model list`. */
  readonly name: string;
  readonly schema: Schema<T>;
  /** The answer, or a sentence that says how a document of the right shape breaks the contract. */
  readonly answer: (document: T, firstByte: Instant) => Answer | string;
}

/** The reader of a response whose 2xx body is one JSON document. */
export const readJson = <T>(context: ReadingContext, expected: JsonAnswer<T>): AnswerReader =>
  readWhole(context, {
    name: expected.name,
    judge: (body) => judgeJson(body, expected, context),
  });

const judgeJson = <T>(
  { text, headers, firstByte }: WholeBody,
  { name, schema, answer }: JsonAnswer<T>,
  { memory, redact }: ReadingContext,
): Outcome => {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return notJson(name, headers);
  }
  if (!isJsonLabel(headers)) {
    memory.notes.add(`The target did not label ${name} as JSON; it was read as JSON all the same.`);
  }
  const error = readErrorBody(json, redact);
  if (error !== null) {
    return malformed('shape', `a JSON error came in place of ${name}: ${error.message}`);
  }
  const parsed = schema.safeParse(json);
  if (!parsed.success) {
    return malformed('shape', `the body is not ${name}: ${shapeProblems(parsed.error)}`);
  }
  const found = answer(parsed.data, firstByte);
  return typeof found === 'string'
    ? malformed('shape', found)
    : { kind: 'completed', answer: found };
};

const notJson = (name: string, headers: Headers): Outcome =>
  isJsonLabel(headers)
    ? malformed('not-json', `the body is labelled JSON and cannot be parsed; ${name} was expected`)
    : malformed(
        'content-type',
        `the body is neither labelled JSON nor is it; ${name} was expected`,
      );

const isJsonLabel = (headers: Headers): boolean =>
  /^application\/([\w.-]+\+)?json\b/i.test(headers['content-type'] ?? '');
