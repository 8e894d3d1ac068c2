import type { WireRequest } from '../model/exchange.ts';

/**
 * Servers quote what they were sent: a refusal may hold half of a prompt. Results hold no prompts,
 * so what a server says is searched for the texts of the request that it answers.
 */

/** Shorter agreements between a message and a prompt are chance. */
const shortestEcho = 16;
/** More of a message or of a text is not looked at: only 300 characters of a message are kept. */
const longestSaid = 1000;
const longestText = 20_000;

const promptMask = '[prompt]';

/** Fields of a request body that name things and hold no prompt. */
const names = new Set(['model', 'voice', 'response_format']);

const leaves = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return value.length >= shortestEcho ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => (names.has(name) ? [] : leaves(part)));
};

/** All texts that a JSON request carries; none for other bodies. */
const textsOf = ({ headers, body }: WireRequest): readonly string[] =>
  body === null || headers['content-type'] !== 'application/json'
    ? []
    : leaves(JSON.parse(Buffer.from(body).toString('utf8'))).map((text) =>
        text.slice(0, longestText),
      );

/** The length of the longest run from `start` of `said` that stands in `text`; 0 if it is too short to mean anything. */
const echoAt = (said: string, start: number, text: string): number => {
  let length = shortestEcho;
  if (start + length > said.length || !text.includes(said.slice(start, start + length))) return 0;
  while (start + length < said.length && text.includes(said.slice(start, start + length + 1))) {
    length += 1;
  }
  return length;
};

const withoutTexts = (said: string, texts: readonly string[]): string => {
  let kept = '';
  let at = 0;
  while (at < said.length) {
    const from = at;
    const echo = texts.reduce((longest, text) => Math.max(longest, echoAt(said, from, text)), 0);
    kept += echo === 0 ? said[at] : promptMask;
    at += Math.max(1, echo);
  }
  return kept;
};

/** Masks the run's secrets by `redact`, and then whatever stands in the request's own texts. */
export const withoutEchoes =
  (request: WireRequest, redact: (text: string) => string): ((text: string) => string) =>
  (said) =>
    withoutTexts(redact(said).slice(0, longestSaid), textsOf(request));
