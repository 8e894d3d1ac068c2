import { firstEventData, jsonIn, objectOf } from './json-text.ts';
import type { ContractSchema, SchemaError } from '../../contract/models.ts';
import type { Answer, MalformedIssue, Outcome } from '../../model/observation/outcome.ts';
import type { Instant } from '../../model/quantity.ts';
import { decodeBody, encodingOf } from './content-encoding.ts';
import { missedOutcome } from './check-expectation.ts';
import type { AnswerReader, ReadingContext } from '../traffic-handler.ts';
import { isErrorType } from './error-forms.ts';
import {
  errorInsteadOf,
  excerpt,
  htmlInsteadOf,
  namesOf,
  readCutError,
  readErrorLine,
  readStreamError,
} from './read-refusal.ts';
import {
  collectBody,
  malformed,
  readResponse,
  type ResponseHeaders,
  withinMemory,
} from './response-reader.ts';

/**
 * Reads a response whose 2xx body must be a text that is neither blank nor an HTML page. The text is read when the body
 * is complete. `name` is the name of the body in messages, for example `a model list`. `recognize` may return the
 * outcome of a body without reading its text, if the body is not encoded.
 */
export const readWholeBody = (
  context: ReadingContext,
  name: string,
  interpret: (text: string, firstByte: Instant, headers: ResponseHeaders) => Outcome,
  recognize: (bytes: Buffer, firstByte: Instant, headers: ResponseHeaders) => Outcome | null = () =>
    null,
): AnswerReader => {
  const { caps, redact, targetMemory } = context;
  return readResponse(context, (headers) => {
    const body = collectBody(caps.bytes, ({ bytes, firstByte }) => {
      if (firstByte === null) return malformed('empty', `the body is empty; ${name} was expected`);
      const encoding = encodingOf(headers);
      const recognized = encoding === null ? recognize(bytes, firstByte, headers) : null;
      if (recognized !== null) return recognized;
      const decoded = decodeBody(bytes, encoding, caps.bytes);
      if (decoded === null) {
        const detail = `the body cannot be read in its content encoding ${encoding}; identity was requested`;
        return malformed('content-type', detail);
      }
      if (encoding !== null) {
        const note = `The target compressed ${name} although identity was requested; it was decoded.`;
        targetMemory.notes.add(note);
      }
      const text = decoded.toString('utf8').replace(/^\ufeff/, '');
      if (text.trim() === '') return malformed('empty', `the body is blank; ${name} was expected`);
      const html = htmlInsteadOf(name, text, redact);
      return html === null ? interpret(text, firstByte, headers) : malformed('content-type', html);
    });
    return withinMemory(targetMemory, body);
  });
};

const maxShownErrors = 3;

/**
 * Describes the first three errors that a schema found, each with its path, for example `choices.0.message: expected
 * object`.
 */
export const describeSchemaErrors = ({ issues }: SchemaError): string => {
  const sentences = issues
    .slice(0, maxShownErrors)
    .map(({ path, message }) => `${path.length === 0 ? 'the body' : path.join('.')}: ${message}`);
  const left = issues.length - sentences.length;
  return sentences.join('; ') + (left > 0 ? `; and ${left} more` : '');
};

/**
 * Returns the last part of a message about a body of the wrong form. If the server wrote a message, this part quotes
 * it. If the body lacks the fields of an answer, this part lists the names of the body's fields. Otherwise,
 * this part is empty.
 */
const messageOf = (
  json: unknown,
  { issues }: SchemaError,
  redact: ReadingContext['redact'],
): string => {
  const fields = objectOf(json) ?? {};
  const { message } = fields;
  if (typeof message === 'string' && message !== '')
    return `; the server also wrote: ${excerpt(message, redact)}`;
  const names = Object.keys(fields);
  const isOther = names.length > 0 && issues.every(({ path }) => path.length === 1);
  return isOther ? `; the body has ${namesOf(names, redact)}` : '';
};

/** Recognizes a body that needs no parsing, because it equals an earlier body except for values such as ids. */
export interface BodyTemplate<T> {
  /** Returns a document that gives the same answer as the body; `null` if the body must be parsed. */
  match(bytes: Buffer): T | null;
  /**
   * Remembers a body that was read as a valid answer, with its parsed document, so that similar bodies need no parsing.
   */
  learn(text: string, document: T): void;
}

/** The form of a JSON document that is the body of an answer. */
export interface JsonFormat<T> {
  /** The name of the body in messages, for example `a model list`. */
  readonly name: string;
  readonly schema: ContractSchema<T>;
  readonly template?: BodyTemplate<T>;
  /** Converts a document in another form that servers send into the form of the schema. */
  readonly documentIn?: (json: unknown) => unknown;
  /** Returns the server's error message if the document contains an error anywhere. */
  readonly errorIn?: (json: unknown, redact: (text: string) => string) => string | null;
}

/** An answer that has the right form but is malformed, for example because its finish reason means a failure. */
export interface FailedAnswer {
  readonly issue: MalformedIssue;
  readonly failure: string;
  readonly partial: Answer;
}

const isLabelledJson = ({ 'content-type': type = '' }: ResponseHeaders): boolean =>
  type === 'application/json' || /^application\/([\w.-]+\+)?json\b/i.test(type);

const notJson = (name: string, isLabelled: boolean): Outcome =>
  isLabelled
    ? malformed('not-json', `the body is labelled JSON but cannot be parsed; ${name} was expected`)
    : malformed(
        'content-type',
        `the body is not JSON and not labelled as JSON; ${name} was expected`,
      );

/** Describes a body that is not JSON. The body may be an error, written as a text or as an event. */
const notJsonOr = (
  name: string,
  text: string,
  isLabelled: boolean,
  redact: ReadingContext['redact'],
): Outcome => {
  const data = firstEventData(text);
  const isErrorEvent = isErrorType(/^event: ?(\S+)/m.exec(text)?.[1] ?? 'message');
  const error =
    data !== undefined && isErrorEvent
      ? readStreamError(data, redact)
      : (readErrorLine(data ?? text, redact) ?? readCutError(text, redact));
  if (error === null && data !== undefined && objectOf(jsonIn(data)) !== null) {
    const detail = `the server streams although it was not asked to: the body is an event stream, and ${name} was expected`;
    return malformed('content-type', detail);
  }
  return error === null
    ? notJson(name, isLabelled)
    : malformed('stream-error', `an error was returned instead of ${name}: ${error}`);
};

/**
 * Reads a response whose 2xx body is one JSON document. `answer` returns the answer, or a failure if a document of the
 * right form violates the interface. `missOf` returns how the answer differs from the expectation of its traffic entry.
 */
export const readJsonAnswer = <T>(
  context: ReadingContext,
  { name, schema, template, documentIn, errorIn }: JsonFormat<T>,
  answer: (document: T, firstByte: Instant) => Answer | FailedAnswer,
  missOf: ((document: T) => string | null) | null = null,
): AnswerReader => {
  const outcomeOf = (document: T, firstByte: Instant): Outcome => {
    const result = answer(document, firstByte);
    if ('failure' in result) return malformed(result.issue, result.failure, result.partial);
    return missOf === null
      ? { kind: 'completed', answer: result }
      : missedOutcome(result, missOf(document));
  };
  const interpret = (text: string, firstByte: Instant, headers: ResponseHeaders): Outcome => {
    const json = jsonIn(text);
    const isLabelled = isLabelledJson(headers);
    if (json === undefined) return notJsonOr(name, text, isLabelled, context.redact);
    if (!isLabelled) {
      const note = `The target did not label ${name} as JSON; it was read as JSON anyway.`;
      context.targetMemory.notes.add(note);
    }
    const error = errorInsteadOf(name, json, context.redact);
    if (error !== null) return malformed('stream-error', error);
    const document = documentIn?.(json) ?? json;
    const inner = errorIn?.(document, context.redact) ?? null;
    if (inner !== null) return malformed('stream-error', `an error within ${name}: ${inner}`);
    const parsed = schema.safeParse(document);
    if (!parsed.success)
      return malformed(
        'shape',
        `the body is not ${name}: ${describeSchemaErrors(parsed.error)}${messageOf(json, parsed.error, context.redact)}`,
      );
    const outcome = outcomeOf(parsed.data, firstByte);
    if (outcome.kind === 'completed') template?.learn(text, parsed.data);
    return outcome;
  };
  if (template === undefined) return readWholeBody(context, name, interpret);
  return readWholeBody(context, name, interpret, (bytes, firstByte, headers) => {
    const document = isLabelledJson(headers) ? template.match(bytes) : null;
    return document === null ? null : outcomeOf(document, firstByte);
  });
};
