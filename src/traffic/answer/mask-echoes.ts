import type { WireRequest } from '../../model/observation/exchange.ts';

/**
 * Servers quote what they were sent: a refusal may hold half of a prompt. Results hold no prompts,
 * so what a server says is searched for the texts of the request that it answers.
 */

/** Shorter agreements between a message and a prompt are chance. */
const minEchoLength = 16;
/** More of a message or of a text is not looked at: only 300 characters of a message are kept. */
const maxMessageLength = 1000;
const maxTextLength = 20_000;

const promptMask = '[prompt]';

/** Fields of a request body that name things and hold no prompt. */
const nonPromptFields = new Set(['model', 'voice', 'response_format']);

const promptTexts = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return value.length >= minEchoLength ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) =>
    nonPromptFields.has(name) ? [] : promptTexts(part),
  );
};

/** All texts that a JSON request carries; none for other bodies. */
const textsOf = ({ headers, body }: WireRequest): readonly string[] =>
  body === null || headers['content-type'] !== 'application/json'
    ? []
    : promptTexts(JSON.parse(Buffer.from(body).toString('utf8'))).map((text) =>
        text.slice(0, maxTextLength),
      );

/** The length of the longest run from `start` of `said` that stands in `text`; 0 if it is too short to mean anything. */
const echoLengthAt = (message: string, start: number, text: string): number => {
  let length = minEchoLength;
  if (start + length > message.length || !text.includes(message.slice(start, start + length)))
    return 0;
  while (
    start + length < message.length &&
    text.includes(message.slice(start, start + length + 1))
  ) {
    length += 1;
  }
  return length;
};

const maskTexts = (message: string, texts: readonly string[]): string => {
  let kept = '';
  let at = 0;
  while (at < message.length) {
    const from = at;
    const echo = texts.reduce(
      (longest, text) => Math.max(longest, echoLengthAt(message, from, text)),
      0,
    );
    kept += echo === 0 ? message[at] : promptMask;
    at += Math.max(1, echo);
  }
  return kept;
};

/** Masks the run's secrets by `redact`, and then whatever stands in the request's own texts. */
export const maskEchoes =
  (request: WireRequest, redact: (text: string) => string): ((text: string) => string) =>
  (message) =>
    maskTexts(redact(message).slice(0, maxMessageLength), textsOf(request));
