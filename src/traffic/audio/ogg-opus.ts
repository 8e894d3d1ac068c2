import { type FoundAudio, ScanFault, type ScanStep, wholeBytes } from './scanner.ts';

/** Each page begins with these bytes. The last of them is the version, which is always 0. */
const capture = 'OggS\0';
/** A page's header has this many bytes before the lengths of the segments. */
const headerLength = 27;
/** A packet continues after a segment of this length, in bytes. */
const fullSegment = 255;

/**
 * Returns the lengths of the packets on a page. A packet ends with a segment of fewer than 255 bytes. A segment of 255
 * bytes continues in the next segment (RFC 3533 section 6).
 */
const partsOf = (lacing: Buffer): readonly number[] => {
  const parts: number[] = [];
  let length = 0;
  for (const segment of lacing) {
    length += segment;
    if (segment === fullSegment) continue;
    parts.push(length);
    length = 0;
  }
  return lacing.at(-1) === fullSegment ? [...parts, length] : parts;
};

/** Reads a page of an Ogg file (RFC 3533) without its body, from the page's header and the lengths of its segments. */
const pageOf = (header: Buffer, lacing: Buffer) => {
  const flags = header[5]!;
  const position = header.readBigInt64LE(6);
  return {
    isFirst: (flags & 2) !== 0,
    isLast: (flags & 4) !== 0,
    /**
     * The position in the stream, in samples, after the packets that end on this page; `null` if no packet ends here.
     */
    position: position === -1n ? null : Number(position),
    serial: header.readUInt32LE(14),
    bodyLength: lacing.reduce((sum, segment) => sum + segment, 0),
    /** How many bytes each packet has on this page. Only the first and the last packet may continue on other pages. */
    parts: partsOf(lacing),
    /** Whether the last packet of this page continues on the next page. */
    isOpen: lacing.at(-1) === fullSegment,
  };
};
type OggPage = ReturnType<typeof pageOf>;

const cutHeaderMessage = 'the Ogg file ends inside the header of a page';

/**
 * Reads the header of the next page. Returns `end` if the file has no further page, and `junk` if the next bytes are
 * not a page.
 */
function* readOggPage(): ScanStep<OggPage | 'end' | 'junk'> {
  const { bytes: header, count } = yield { count: headerLength, keep: true };
  if (count === 0) return 'end';
  if (!capture.startsWith(header.toString('latin1', 0, capture.length))) return 'junk';
  if (count < headerLength) throw new ScanFault('truncated', cutHeaderMessage);
  const lacing = yield* wholeBytes({ count: header[26]!, keep: true }, cutHeaderMessage);
  return pageOf(header, lacing);
}

/**
 * The rate at which Opus counts time, in samples per second. The sample rate of the recording does not matter (RFC 7845
 * section 4).
 */
const opusRate = 48_000;

/**
 * Reads the number of samples to skip at the start from the identification header (RFC 7845 section 5.1); returns
 * `null` for any other packet.
 */
const readOpusHead = (packet: Buffer): { readonly preSkip: number } | null => {
  const isHead = packet.toString('latin1', 0, 8) === 'OpusHead' && packet.length >= 19;
  // In the version number, upper four bits other than 0 mean a format that older readers cannot read.
  return isHead && packet[8]! >> 4 === 0 && packet[9]! > 0
    ? { preSkip: packet.readUInt16LE(10) }
    : null;
};

const tagsMagic = 'OpusTags';

const silkFrames = [480, 960, 1920, 2880] as const;
const hybridFrames = [480, 960] as const;
const celtFrames = [120, 240, 480, 960] as const;

/** Returns the number of samples of a packet, from its first two bytes (RFC 6716 section 3.1). */
const samplesOf = (first: number, second: number): number => {
  const configuration = first >> 3;
  const frame =
    configuration < 12
      ? silkFrames[configuration & 3]!
      : configuration < 16
        ? hybridFrames[configuration & 1]!
        : celtFrames[configuration & 3]!;
  const code = first & 3;
  const frames = code === 0 ? 1 : code === 3 ? second & 63 : 2;
  return frame * frames;
};

export const samplesIn = (body: Buffer, packetLengths: readonly number[]): number => {
  let start = 0;
  let samples = 0;
  for (const length of packetLengths) {
    if (length > 0) samples += samplesOf(body[start] ?? 0, length > 1 ? (body[start + 1] ?? 0) : 0);
    start += length;
  }
  return samples;
};

/** One Opus stream in a file. Several streams may follow one another (RFC 7845 section 3). */
interface OpusLink {
  readonly serial: number;
  readonly preSkip: number;
  part: 'tags' | 'more-tags' | 'first-audio' | 'audio';
  /** The position at which the stream starts. It is above 0 if the stream was cut out of a longer one. */
  start: number;
  end: number;
  /** The number of samples that the stream has played so far. */
  played: number;
}

/**
 * Returns the state before the first page. `isCut` means that the end of a stream is missing. `other` names the codec
 * that the file contains instead of Opus.
 */
const noProgress = () => ({
  link: null as OpusLink | null,
  hasLinks: false,
  isCut: false,
  other: null as string | null,
});
type OggProgress = ReturnType<typeof noProgress>;

/**
 * The maximum length of a stream, in samples: a day. The position itself has no maximum, because a part of a live
 * stream may start at any position.
 */
const maxLinkSamples = 24 * 60 * 60 * opusRate;

/**
 * Scans an Ogg Opus file (RFC 7845): the pages, the two headers of each Opus stream, and the position on the last page
 * of the stream. Streams of other codecs are skipped.
 */
export function* scanOggOpus(found: FoundAudio): ScanStep<void> {
  const file = noProgress();
  for (;;) {
    const page = yield* readOggPage();
    if (page === 'junk' && file.link !== null)
      throw new ScanFault('container', 'the Ogg file has bytes between its pages');
    if (page === 'junk' || page === 'end') {
      found.hasJunk = page === 'junk';
      return judgeEnd(file, found);
    }
    yield* readBody(file, page);
    const { link } = file;
    if (link === null || page.serial !== link.serial) continue;
    if (page.position !== null) advance(link, page.position, found);
    if (!page.isLast) continue;
    file.isCut ||= page.isOpen;
    file.link = null;
  }
}

/**
 * Moves a stream to the position of a page. Throws a `ScanFault` if the position is negative, is below the last
 * position, or is more than a day after the start.
 */
const advance = (link: OpusLink, position: number, found: FoundAudio): void => {
  if (position < Math.max(link.start, link.end) || position - link.start > maxLinkSamples)
    throw new ScanFault('container', `a page of the Ogg file claims position ${position}`);
  link.end = position;
  // Playback starts after the samples that must be skipped (RFC 7845 section 4.3).
  const played = Math.max(0, position - link.start - link.preSkip);
  found.add(played - link.played, opusRate);
  link.played = played;
};

/**
 * Checks a file that ends between two pages. Throws a `ScanFault` if the file is not Opus, is truncated or has no
 * audio.
 */
const judgeEnd = ({ link, hasLinks, isCut, other }: OggProgress, found: FoundAudio): void => {
  if (!hasLinks)
    throw new ScanFault('container', `the Ogg file contains ${other ?? 'no stream'}, not Opus`);
  if (link !== null || isCut)
    throw new ScanFault('truncated', 'the Ogg file ends without the page that ends its stream');
  if (found.seconds === 0) throw new ScanFault('silent', 'the Ogg file has headers and no audio');
};

const cutPageMessage = 'the Ogg file ends inside a page';

function* readBody(file: OggProgress, page: OggPage): ScanStep<void> {
  const { bodyLength: count, serial } = page;
  const { link } = file;
  if (page.isFirst) {
    // The first page of an Opus stream contains only the identification header.
    const bytes = yield* wholeBytes({ count, keep: true }, cutPageMessage);
    const head = readOpusHead(bytes);
    if (head === null) {
      file.other ??= codecOf(bytes);
      return;
    }
    file.isCut ||= link !== null;
    file.hasLinks = true;
    file.link = { serial, ...head, part: 'tags', start: 0, end: 0, played: 0 };
  } else if (link === null || serial !== link.serial) {
    yield* wholeBytes({ count }, cutPageMessage);
  } else if (link.part === 'audio') {
    yield* wholeBytes({ count, audio: true }, cutPageMessage);
  } else if (link.part === 'first-audio') {
    const bytes = yield* wholeBytes({ count, keep: true, audio: true }, cutPageMessage);
    const packets = page.isOpen ? page.parts.slice(0, -1) : page.parts;
    link.part = 'audio';
    link.start = Math.max(0, (page.position ?? 0) - samplesIn(bytes, packets));
  } else {
    yield* skipTags(link, page);
  }
}

/**
 * Skips the comment header, which starts on the second page of a stream and may continue over several pages. Its last
 * page contains nothing else.
 */
function* skipTags(link: OpusLink, { bodyLength, isOpen, parts }: OggPage): ScanStep<void> {
  const expected = link.part === 'tags' ? tagsMagic : '';
  const count = Math.min(expected.length, bodyLength);
  const bytes = yield* wholeBytes({ count, keep: true }, cutPageMessage);
  yield* wholeBytes({ count: bodyLength - count }, cutPageMessage);
  if (bytes.toString('latin1') !== expected)
    throw new ScanFault(
      'container',
      'the Ogg file has no Opus comment header after its first page',
    );
  link.part = isOpen && parts.length === 1 ? 'more-tags' : 'first-audio';
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
