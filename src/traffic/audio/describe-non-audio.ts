import type { MalformedIssue } from '../../model/observation/outcome.ts';
import type { SpeechFormat } from '../../model/workload/traffic.ts';
import { containerName, identifyContainer } from './audio-container.ts';
import { excerpt } from '../answer/excerpt.ts';
import type { ReadingContext } from '../traffic-handler.ts';
import { htmlTitle, looksLikeHtml, readErrorBody } from '../answer/read-refusal.ts';

/** How many bytes are checked to distinguish text from binary data. */
const textWindow = 512;

/** Whether a body reads as text: no control characters, and UTF-8 that can be decoded. */
const looksLikeText = (text: string): boolean =>
  !/[\0-\x08\x0e-\x1a\x1c-\x1f\ufffd]/.test(text.slice(0, textWindow));

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const describeText = (text: string, redact: ReadingContext['redact']): string => {
  if (looksLikeHtml(text)) {
    return `an HTML page was returned instead of audio: ${excerpt(htmlTitle(text), redact)}`;
  }
  const error = readErrorBody(parseJson(text), redact);
  if (error !== null) return `a JSON error was returned instead of audio: ${error.message}`;
  if (/^\s*[{[]/.test(text)) return 'JSON was returned instead of audio';
  if (/^(data|event):/m.test(text)) return 'a stream of events was returned instead of audio';
  return `text was returned instead of audio: ${excerpt(text, redact)}`;
};

/** Describes a 2xx body that is not audio in the requested container. */
export const describeNonAudio = (
  bytes: Buffer,
  format: SpeechFormat,
  redact: ReadingContext['redact'],
): { readonly issue: MalformedIssue; readonly detail: string } => {
  const expectedAudio = `${containerName(format)} audio`;
  const container = identifyContainer(bytes, format);
  if (container !== null) {
    return {
      issue: 'audio-container',
      detail: `${expectedAudio} was requested, but the body is ${container.name}`,
    };
  }
  const text = bytes.toString('utf8').replace(/^\ufeff/, '');
  if (text.trim() === '') {
    return { issue: 'empty', detail: `the body is blank; ${expectedAudio} was expected` };
  }
  if (!looksLikeText(text)) {
    const detail = `${expectedAudio} was requested, but the body is in no known container`;
    return { issue: 'audio-container', detail };
  }
  return { issue: 'content-type', detail: describeText(text, redact) };
};
