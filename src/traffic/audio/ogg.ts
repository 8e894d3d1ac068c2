import { ScanFault, type ScanStep, wholeBytes } from './scanner.ts';

/** One page of an Ogg file (RFC 3533), without its body. */
export interface OggPage {
  readonly isFirst: boolean;
  readonly isLast: boolean;
  /** The stream's position after the packets that end on this page; `null` if none does. */
  readonly position: number | null;
  readonly serial: number;
  readonly bodyLength: number;
  /** The lengths of the packets or parts of packets in the body. */
  readonly parts: readonly number[];
  /** Whether the last part continues on the next page. */
  readonly isOpen: boolean;
}

/** The capture pattern, and the only version there is. */
const capture = 'OggS\0';
const headerLength = 27;
const fullSegment = 255;

/** A segment of 255 bytes continues in the next one (RFC 3533 section 6). */
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

const cut = 'the Ogg file ends inside the header of a page';

/** Reads the header of the next page. `end`: there is no further page; `junk`: no page starts here. */
export function* readOggPage(): ScanStep<OggPage | 'end' | 'junk'> {
  const { bytes: header, count } = yield { count: headerLength, keep: true };
  if (count === 0) return 'end';
  if (!capture.startsWith(header.toString('latin1', 0, capture.length))) return 'junk';
  if (count < headerLength) throw new ScanFault('truncated', cut);
  const lacing = yield* wholeBytes({ count: header[26]!, keep: true }, cut);
  const flags = header[5]!;
  const position = header.readBigInt64LE(6);
  return {
    isFirst: (flags & 2) !== 0,
    isLast: (flags & 4) !== 0,
    position: position === -1n ? null : Number(position),
    serial: header.readUInt32LE(14),
    bodyLength: lacing.reduce((sum, segment) => sum + segment, 0),
    parts: partsOf(lacing),
    isOpen: lacing.at(-1) === fullSegment,
  };
}
