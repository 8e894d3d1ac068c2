import { type OggPage, readOggPage } from './ogg.ts';
import { opusRate, readOpusHead, samplesIn, tagsMagic } from './opus.ts';
import {
  type ContainerScan,
  faultyScan,
  type ScanFault,
  takeBytes,
  skipBytes,
  type ScanResult,
  type ScanStep,
} from './scanner.ts';

/** One Opus stream of a file; several can follow one another (RFC 7845 section 3). */
interface OpusLink {
  readonly serial: number;
  readonly preSkip: number;
  part: 'tags' | 'more-tags' | 'first-audio' | 'audio';
  /** The position at which the stream starts: not 0 if it is a part of a longer one. */
  start: number;
  end: number;
}

/** No answer plays longer; a part of a live stream may start at any position. */
const longestLink = 24 * 60 * 60 * opusRate;

/** The received part of an Ogg file. */
class OggOpusProgress {
  link: OpusLink | null = null;
  /** What the file contains instead of Opus. */
  other: string | null = null;
  #seconds = 0;
  #links = 0;
  #isCut = false;

  get seconds(): number {
    return this.#seconds + (this.link === null ? 0 : secondsOf(this.link));
  }

  begin(serial: number, preSkip: number): void {
    if (this.link !== null) this.close('cut');
    this.link = { serial, preSkip, part: 'tags', start: 0, end: 0 };
    this.#links += 1;
  }

  close(how: 'whole' | 'cut'): void {
    this.#seconds = this.seconds;
    this.link = null;
    if (how === 'cut') this.#isCut = true;
  }

  fault(kind: ScanFault['kind'], detail: string): ScanResult {
    return faultyScan(kind, detail, this.seconds);
  }

  /** The scan of a file that ends here, between two pages. */
  ended(notes: ScanResult['notes']): ScanResult {
    if (this.#links === 0) {
      return this.fault(
        'container',
        `the Ogg file contains ${this.other ?? 'no stream'}, not Opus`,
      );
    }
    if (this.link !== null || this.#isCut) {
      return this.fault('truncated', 'the Ogg file ends without the page that ends its stream');
    }
    return this.seconds > 0
      ? { seconds: this.seconds, fault: null, notes }
      : this.fault('silent', 'the Ogg file has headers and no audio');
  }
}

/** Playback starts after the samples to skip (RFC 7845 section 4.3). */
const secondsOf = ({ start, end, preSkip }: OpusLink): number =>
  Math.max(0, end - start - preSkip) / opusRate;

/** Advances a stream to a page's position; `false` if that is negative, decreases, or is a day away. */
const advance = (link: OpusLink, position: number): boolean => {
  const from = Math.max(link.start, link.end);
  if (position < from || position - link.start > longestLink) return false;
  link.end = position;
  return true;
};

/**
 * Scans an Ogg Opus file (RFC 7845): pages, the two headers of each Opus stream, and the position
 * of its last page. Streams of other codecs are skipped.
 */
export function* scanOggOpus(): ContainerScan {
  const file = new OggOpusProgress();
  for (;;) {
    const page = yield* readOggPage();
    if (page === 'end') return file.ended([]);
    if (page === 'cut')
      return file.fault('truncated', 'the Ogg file ends inside the header of a page');
    if (page === 'junk') {
      return file.link === null
        ? file.ended(['junk'])
        : file.fault('container', 'the Ogg file has bytes between its pages');
    }
    const skipped = yield* skipBody(file, page);
    if (skipped === 'cut') return file.fault('truncated', 'the Ogg file ends inside a page');
    if (skipped === 'no-tags') {
      return file.fault(
        'container',
        'the Ogg file has no Opus comment header after its first page',
      );
    }
    if (file.link === null || page.serial !== file.link.serial) continue;
    if (page.position !== null && !advance(file.link, page.position)) {
      return file.fault('container', `a page of the Ogg file claims position ${page.position}`);
    }
    if (page.isLast) file.close(page.isOpen ? 'cut' : 'whole');
  }
}

type SkipResult = 'whole' | 'cut' | 'no-tags';

function* skipBody(file: OggOpusProgress, page: OggPage): ScanStep<SkipResult> {
  if (page.isFirst) return yield* readFirstPage(file, page);
  const { link } = file;
  if (link === null || page.serial !== link.serial) return yield* skipWhole(page, false);
  switch (link.part) {
    case 'tags':
    case 'more-tags':
      return yield* skipTags(link, page);
    case 'first-audio': {
      const { bytes, count } = yield takeBytes(page.bodyLength, true);
      if (count < page.bodyLength) return 'cut';
      const packets = page.isOpen ? page.parts.slice(0, -1) : page.parts;
      link.part = 'audio';
      link.start = Math.max(0, (page.position ?? 0) - samplesIn(bytes, packets));
      return 'whole';
    }
    case 'audio':
      return yield* skipWhole(page, true);
  }
}

/** The comment header starts on the second page and may continue over several; its last page contains nothing else. */
function* skipTags(link: OpusLink, page: OggPage): ScanStep<SkipResult> {
  const expected = link.part === 'tags' ? tagsMagic : '';
  const { bytes, count } = yield takeBytes(Math.min(expected.length, page.bodyLength));
  const rest = yield skipBytes(page.bodyLength - count);
  if (count + rest.count < page.bodyLength) return 'cut';
  if (bytes.toString('latin1') !== expected) return 'no-tags';
  link.part = page.isOpen && page.parts.length === 1 ? 'more-tags' : 'first-audio';
  return 'whole';
}

function* skipWhole({ bodyLength }: OggPage, audio: boolean): ScanStep<SkipResult> {
  const { count } = yield skipBytes(bodyLength, audio);
  return count < bodyLength ? 'cut' : 'whole';
}

/** The first page of a stream contains only its identification header. */
function* readFirstPage(
  file: OggOpusProgress,
  { bodyLength, serial }: OggPage,
): ScanStep<SkipResult> {
  const { bytes, count } = yield takeBytes(bodyLength);
  if (count < bodyLength) return 'cut';
  const head = readOpusHead(bytes);
  if (head === null) file.other ??= codecOf(bytes);
  else file.begin(serial, head.preSkip);
  return 'whole';
}

const codecs = [
  ['\x01vorbis', 'Vorbis'],
  ['\x7fFLAC', 'FLAC'],
  ['Speex   ', 'Speex'],
  ['OpusHead', 'an unreadable Opus header'],
] as const;

const codecOf = (head: Buffer): string =>
  codecs.find(([magic]) => head.toString('latin1', 0, magic.length) === magic)?.[1] ??
  'a stream of another codec';
