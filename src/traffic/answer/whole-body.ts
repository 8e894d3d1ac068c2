import type { Answer, Outcome } from '../../model/observation/outcome.ts';
import type { Instant } from '../../model/quantity.ts';
import { decodeBody, encodingOf } from './content-encoding.ts';
import type { AnswerReader, ReadingContext } from '../traffic-handler.ts';
import { errorInsteadOf, htmlInsteadOf, jsonIn } from './read-refusal.ts';
import {
  collectBody,
  type CollectedBody,
  malformed,
  readResponse,
  type ResponseHeaders,
} from './response-reader.ts';

/** A complete 2xx body as text: neither blank nor an HTML page. */
interface WholeBody {
  readonly text: string;
  readonly headers: ResponseHeaders;
  readonly firstByte: Instant;
}

/** What a traffic kind expects of a text answer. */
interface ExpectedBody {
  /** Its name in messages, for example `a model list`. */
  readonly name: string;
  readonly interpret: (body: WholeBody) => Outcome;
}

/** Reads a response whose 2xx body is checked when it is complete. */
export const readWholeBody = (context: ReadingContext, expected: ExpectedBody): AnswerReader =>
  readResponse(context, (headers) =>
    collectBody(context.caps.bytes, (body) => interpretBody(body, headers, expected, context)),
  );

const interpretBody = (
  { bytes, firstByte }: CollectedBody,
  headers: ResponseHeaders,
  { name, interpret }: ExpectedBody,
  { caps, redact, targetMemory }: ReadingContext,
): Outcome => {
  if (firstByte === null) return malformed('empty', `the body is empty; ${name} was expected`);
  const encoding = encodingOf(headers);
  const text = decodeBody(bytes, encoding, caps.bytes)
    ?.toString('utf8')
    .replace(/^\ufeff/, '');
  if (text === undefined) {
    const detail = `the body cannot be read in its content encoding ${encoding}; identity was requested`;
    return malformed('content-type', detail);
  }
  if (encoding !== null) {
    targetMemory.notes.add(
      `The target compressed ${name} although identity was requested; it was decoded.`,
    );
  }
  if (text.trim() === '') return malformed('empty', `the body is blank; ${name} was expected`);
  const html = htmlInsteadOf(name, text, redact);
  return html === null ? interpret({ text, headers, firstByte }) : malformed('content-type', html);
};

/** The issues of a failed schema. */
interface SchemaError {
  readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
}

const maxShownErrors = 3;

/** The first issues of a failed schema with their paths, for example `choices.0.message: expected object`. */
export const describeSchemaErrors = ({ issues }: SchemaError): string => {
  const sentences = issues
    .slice(0, maxShownErrors)
    .map(({ path, message }) => `${path.length === 0 ? 'the body' : path.join('.')}: ${message}`);
  const left = issues.length - sentences.length;
  return sentences.join('; ') + (left > 0 ? `; and ${left} more` : '');
};

/** The used part of a contract's schema. */
interface Schema<T> {
  safeParse(
    json: unknown,
  ):
    | { readonly success: true; readonly data: T }
    | { readonly success: false; readonly error: SchemaError };
}

/** What a traffic kind expects of a JSON answer. */
interface ExpectedJson<T> extends Pick<ExpectedBody, 'name'> {
  readonly schema: Schema<T>;
  /** The answer, or an error message if a document of the right shape breaks the contract. */
  readonly answer: (document: T, firstByte: Instant) => Answer | string;
}

const isJsonLabel = (headers: ResponseHeaders): boolean =>
  /^application\/([\w.-]+\+)?json\b/i.test(headers['content-type'] ?? '');

/** Reads a response whose 2xx body is one JSON document. */
export const readJsonAnswer = <T>(
  context: ReadingContext,
  { name, schema, answer }: ExpectedJson<T>,
): AnswerReader => {
  const { redact, targetMemory } = context;
  const interpret = ({ text, headers, firstByte }: WholeBody): Outcome => {
    const json = jsonIn(text);
    const isLabelled = isJsonLabel(headers);
    if (json === undefined) {
      return isLabelled
        ? malformed(
            'not-json',
            `the body is labelled JSON but cannot be parsed; ${name} was expected`,
          )
        : malformed(
            'content-type',
            `the body is not JSON and not labelled as JSON; ${name} was expected`,
          );
    }
    if (!isLabelled) {
      targetMemory.notes.add(
        `The target did not label ${name} as JSON; it was read as JSON anyway.`,
      );
    }
    const error = errorInsteadOf(name, json, redact);
    if (error !== null) return malformed('shape', error);
    const parsed = schema.safeParse(json);
    if (!parsed.success) {
      return malformed('shape', `the body is not ${name}: ${describeSchemaErrors(parsed.error)}`);
    }
    const result = answer(parsed.data, firstByte);
    return typeof result === 'string'
      ? malformed('shape', result)
      : { kind: 'completed', answer: result };
  };
  return readWholeBody(context, { name, interpret });
};
