import { speechContentTypes } from '../contract/audio.ts';
import { speechCost } from '../contract/prices.ts';
import { charactersIn } from '../model/characters.ts';
import type { Answer, MalformedIssue, Outcome, SpeechAnswer } from '../model/observation.ts';
import type { Instant } from '../model/quantity.ts';
import type { SpeechFormat } from '../model/traffic.ts';
import { containerName, identify, scannerFor, tellingBytes } from './container.ts';
import { Gathered } from './gathered.ts';
import type { ReadingContext } from './kind.ts';
import { inPlaceOfAudio } from './not-audio.ts';
import { type BodyReader, type Headers, malformed } from './response.ts';
import type { Fault, Scan, ScanNote, Scanner } from './scanner.ts';

/** What was asked for. */
export interface SpeechOrder {
  readonly text: string;
  readonly format: SpeechFormat;
}

/** What is odd in an answer and tolerated. */
type SpeechNote = ScanNote | 'mislabelled' | 'unlabelled';

const otherLabels = {
  mp3: ['audio/mp3', 'audio/mpeg3', 'audio/x-mpeg-3', 'audio/x-mp3', 'audio/x-mpeg'],
  wav: ['audio/wave', 'audio/x-wav', 'audio/vnd.wave', 'audio/x-pn-wav'],
  opus: ['audio/opus', 'application/ogg', 'audio/x-opus+ogg'],
} as const satisfies Record<SpeechFormat, readonly string[]>;
const noLabels: readonly string[] = ['', 'application/octet-stream', 'binary/octet-stream'];

/** What is to be said of the content type of audio in the container that was asked for. */
const noteOnLabel = (headers: Headers, format: SpeechFormat): readonly SpeechNote[] => {
  const label = (headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase();
  if (noLabels.includes(label)) return ['unlabelled'];
  const right: readonly string[] = [speechContentTypes[format], ...otherLabels[format]];
  return right.includes(label) ? [] : ['mislabelled'];
};

const issues = {
  container: 'audio-container',
  truncated: 'audio-truncated',
  silent: 'empty',
} as const satisfies Record<Fault['kind'], MalformedIssue>;

/** How much is kept of a body that is no audio. */
const keptOfOthers = 64 * 1024;

/** A header can claim any rate; nothing that is spoken plays longer than a day. */
const longestAudio = 24 * 60 * 60;

/** A scan whose length can be meant, or the fault that it cannot. */
const credible = (scan: Scan): Scan =>
  scan.seconds <= longestAudio
    ? scan
    : {
        seconds: 0,
        fault: { kind: 'container', detail: `the audio claims to play for ${scan.seconds} s` },
        notes: scan.notes,
      };

/** Reads the audio of a speech answer while it comes, and keeps none of it. */
export class SpeechReader implements BodyReader {
  readonly complete = false;
  readonly verdict = null;
  readonly answering = true;
  readonly #context: ReadingContext;
  readonly #headers: Headers;
  readonly #asked: SpeechOrder;
  /** The bytes that tell what the body is; all of it if that is no audio. */
  readonly #kept = new Gathered(keptOfOthers);
  /** `null` until the body turns out to be in the container that was asked for. */
  #scanner: Scanner | null = null;
  #firstByte: Instant | null = null;
  #firstAudio: Instant | null = null;
  #bytes = 0;

  constructor(context: ReadingContext, headers: Headers, asked: SpeechOrder) {
    this.#context = context;
    this.#headers = headers;
    this.#asked = asked;
  }

  onBytes(at: Instant, bytes: Uint8Array): void {
    this.#firstByte ??= at;
    this.#bytes += bytes.length;
    if (this.#scanner === null) this.#keep(bytes);
    else this.#scanner.feed(bytes);
    if (this.#scanner?.heard === true) this.#firstAudio ??= at;
  }

  outcome(): Outcome {
    if (this.#firstByte === null) {
      return malformed('empty', 'the body is empty; audio was expected');
    }
    if (this.#kept.length < tellingBytes) this.#identify();
    if (this.#scanner === null) {
      const { issue, detail } = inPlaceOfAudio(
        this.#kept.bytes(),
        this.#asked.format,
        this.#context.redact,
      );
      return malformed(issue, detail);
    }
    const scan = credible(this.#scanner.end());
    const answer = this.#answer(scan);
    if (scan.fault !== null) return malformed(issues[scan.fault.kind], scan.fault.detail, answer);
    return answer === null
      ? malformed('empty', `the ${containerName(this.#asked.format)} file has no audio`)
      : { kind: 'completed', answer };
  }

  partial(): Answer | null {
    return this.#scanner === null ? null : this.#answer(credible(this.#scanner.end()));
  }

  #keep(bytes: Uint8Array): void {
    const missing = Math.max(0, tellingBytes - this.#kept.length);
    this.#kept.append(bytes, 0, Math.min(missing, bytes.length));
    if (missing > 0 && this.#kept.length === tellingBytes) this.#identify();
    const rest = bytes.subarray(missing);
    if (this.#scanner === null) this.#kept.append(rest);
    else this.#scanner.feed(rest);
  }

  #identify(): void {
    const { format } = this.#asked;
    const bytes = this.#kept.bytes();
    if (identify(bytes, format)?.format !== format) return;
    this.#scanner = scannerFor(format);
    this.#scanner.feed(bytes);
  }

  #answer({ seconds, notes }: Scan): SpeechAnswer | null {
    if (this.#firstByte === null || this.#firstAudio === null) return null;
    const { text, format } = this.#asked;
    const characters = charactersIn(text);
    return {
      kind: 'speech',
      firstByte: this.#firstByte,
      firstAudio: this.#firstAudio,
      bytes: this.#bytes,
      audioSeconds: seconds,
      characters,
      notes: [...notes, ...noteOnLabel(this.#headers, format)].toSorted(),
      cost: speechCost(characters),
    };
  }
}
