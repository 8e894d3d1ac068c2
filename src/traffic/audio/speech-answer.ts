import { jsonIn } from '../answer/json-text.ts';
import type {
  Answer,
  AnswerNote,
  MalformedIssue,
  Outcome,
  SpeechAnswer,
} from '../../model/observation/outcome.ts';
import { speechContentTypes } from '../../contract/audio.ts';
import type { SpeechPrice } from '../../model/workload/price.ts';
import { costOfSpeech } from '../cost-of-tokens.ts';
import { charactersIn } from '../../model/workload/characters.ts';
import type { Instant } from '../../model/quantity.ts';
import type { SpeechFormat } from '../../model/workload/traffic.ts';
import {
  containerName,
  identifyContainer,
  createScanner,
  signatureLength,
} from './audio-container.ts';
import { ByteBuffer } from '../answer/byte-buffer.ts';
import type { ReadingContext } from '../traffic-handler.ts';
import { errorInsteadOf, excerpt, htmlInsteadOf } from '../answer/read-refusal.ts';
import { type BodyReader, type ResponseHeaders, malformed } from '../answer/response-reader.ts';
import { BodyEnd } from './error-at-end.ts';
import type { ScanFault, ScanResult, Scanner } from './scanner.ts';

interface SpeechContext extends ReadingContext {
  readonly headers: ResponseHeaders;
  readonly text: string;
  readonly format: SpeechFormat;
  readonly price: SpeechPrice | null | undefined;
}

const otherLabels = {
  mp3: ['audio/mp3', 'audio/mpeg3', 'audio/x-mpeg-3', 'audio/x-mp3', 'audio/x-mpeg'],
  wav: ['audio/wave', 'audio/x-wav', 'audio/vnd.wave', 'audio/x-pn-wav'],
  opus: ['audio/opus', 'application/ogg', 'audio/x-opus+ogg'],
} as const satisfies Record<SpeechFormat, readonly string[]>;
const noLabels: readonly string[] = ['', 'application/octet-stream', 'binary/octet-stream'];

/** Returns a note if the content type is missing or does not fit the requested container. */
const noteOnLabel = ({ headers, format }: SpeechContext): readonly AnswerNote[] => {
  const label = (headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase();
  if (noLabels.includes(label)) return ['unlabelled'];
  const right: readonly string[] = [speechContentTypes[format], ...otherLabels[format]];
  return right.includes(label) ? [] : ['mislabelled'];
};

const issues = {
  container: 'audio-container',
  truncated: 'audio-truncated',
  silent: 'empty',
} as const satisfies Record<ScanFault['kind'], MalformedIssue>;

/** The maximum number of stored bytes of a body that is not audio. */
const maxKeptBytes = 64 * 1024;

/**
 * The maximum duration of an answer in seconds. A header can declare any sample rate, but no speech takes longer than a
 * day.
 */
const maxAudioSeconds = 24 * 60 * 60;

/** Returns a fault for a scan with an implausible duration, and any other scan unchanged. */
const checkDuration = ({ seconds, fault, notes }: ScanResult): ScanResult => {
  if (seconds <= maxAudioSeconds) return { seconds, fault, notes };
  const detail = `the audio claims to play for ${seconds} s`;
  return { seconds: 0, fault: { kind: 'container', detail }, notes };
};

/** Only this many characters at the beginning of a body are checked to distinguish text from binary data. */
const textWindow = 512;

/**
 * Returns whether a body looks like text. The beginning of a text has no control characters other than white space and
 * ESC, and is valid UTF-8.
 */
const looksLikeText = (text: string): boolean =>
  !/[\0-\x08\x0e-\x1a\x1c-\x1f\ufffd]/.test(text.slice(0, textWindow));

const describeText = (text: string, redact: ReadingContext['redact']): string => {
  const known =
    htmlInsteadOf('audio', text, redact) ?? errorInsteadOf('audio', jsonIn(text), redact);
  if (known !== null) return known;
  if (/^\s*[{[]/.test(text)) return 'JSON was returned instead of audio';
  if (/^(data|event):/m.test(text)) return 'a stream of events was returned instead of audio';
  return `text was returned instead of audio: ${excerpt(text, redact)}`;
};

/** Describes a 2xx body that is not audio in the requested container. */
const describeNonAudio = (bytes: Buffer, { format, redact }: SpeechContext): Outcome => {
  const expectedAudio = `${containerName(format)} audio`;
  const container = identifyContainer(bytes, format);
  if (container !== null) {
    const detail = `${expectedAudio} was requested, but the body is ${container.name}`;
    return malformed('audio-container', detail);
  }
  const text = bytes.toString('utf8').replace(/^\ufeff/, '');
  if (text.trim() === '') {
    return malformed('empty', `the body is blank; ${expectedAudio} was expected`);
  }
  if (!looksLikeText(text)) {
    const detail = `${expectedAudio} was requested, but the body is in no known container`;
    return malformed('audio-container', detail);
  }
  return malformed('content-type', describeText(text, redact));
};

/** Reads the audio of a speech answer during its arrival, without storing the audio. */
export class SpeechReader implements BodyReader {
  readonly isComplete = false;
  readonly abortReason = null;
  readonly isAnswering = true;
  readonly #context: SpeechContext;
  /** The first bytes of the body, which identify the container. If the body is not audio, more bytes are stored. */
  readonly #kept = new ByteBuffer(maxKeptBytes);
  /** The scanner; `null` until the body is known to be in the requested container. */
  #scanner: Scanner | null = null;
  readonly #end = new BodyEnd();
  #firstByte: Instant | null = null;
  #firstAudio: Instant | null = null;
  #bytes = 0;

  constructor(context: SpeechContext) {
    this.#context = context;
  }

  onBytes(at: Instant, bytes: Uint8Array): void {
    this.#firstByte ??= at;
    this.#bytes += bytes.length;
    this.#end.append(bytes);
    if (this.#scanner === null) this.#keep(bytes);
    else this.#scanner.feed(bytes);
    if (this.#scanner?.hasAudio === true) this.#firstAudio ??= at;
  }

  outcome(): Outcome {
    if (this.#firstByte === null) {
      return malformed('empty', 'the body is empty; audio was expected');
    }
    if (this.#kept.length < signatureLength) this.#identify();
    if (this.#scanner === null) return describeNonAudio(this.#kept.bytes(), this.#context);
    const scan = checkDuration(this.#scanner.end());
    const answer = this.#answer(scan);
    const error = this.#end.error(this.#context.redact);
    if (error !== null)
      return malformed('audio-truncated', `the audio ends with an error: ${error}`, answer);
    if (scan.fault !== null) return malformed(issues[scan.fault.kind], scan.fault.detail, answer);
    return answer === null
      ? malformed('empty', `the ${containerName(this.#context.format)} file has no audio`)
      : { kind: 'completed', answer };
  }

  partial(): Answer | null {
    return this.#scanner === null ? null : this.#answer(checkDuration(this.#scanner.end()));
  }

  #keep(bytes: Uint8Array): void {
    const missing = Math.max(0, signatureLength - this.#kept.length);
    this.#kept.append(bytes, 0, Math.min(missing, bytes.length));
    if (missing > 0 && this.#kept.length === signatureLength) this.#identify();
    const rest = bytes.subarray(missing);
    if (this.#scanner === null) this.#kept.append(rest);
    else this.#scanner.feed(rest);
  }

  #identify(): void {
    const { format } = this.#context;
    const bytes = this.#kept.bytes();
    if (identifyContainer(bytes, format)?.format !== format) return;
    this.#scanner = createScanner(format);
    this.#scanner.feed(bytes);
  }

  #answer({ seconds, notes }: ScanResult): SpeechAnswer | null {
    if (this.#firstByte === null || this.#firstAudio === null) return null;
    const characters = charactersIn(this.#context.text);
    return {
      kind: 'speech',
      firstByte: this.#firstByte,
      firstAudio: this.#firstAudio,
      bytes: this.#bytes,
      audioSeconds: seconds,
      characters,
      notes: [...notes, ...noteOnLabel(this.#context)].toSorted(),
      cost: costOfSpeech(this.#context.price, { characters, seconds }),
    };
  }
}
