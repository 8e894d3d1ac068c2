import { z } from 'zod';

/**
 * This file describes messages whose content is a list of parts, as in the OpenAI API. The interface (section 2.3) does
 * not define such lists.
 */

const textPartSchema = z.looseObject({ type: z.literal('text'), text: z.string() });
const imagePartSchema = z.looseObject({
  type: z.literal('image_url'),
  image_url: z.looseObject({
    url: z.string(),
    detail: z.enum(['auto', 'low', 'high']).optional(),
  }),
});
const audioPartSchema = z.looseObject({
  type: z.literal('input_audio'),
  input_audio: z.looseObject({ data: z.string(), format: z.string() }),
});

export const contentPartSchema = z.discriminatedUnion('type', [
  textPartSchema,
  imagePartSchema,
  audioPartSchema,
]);
export type ContentPart = z.infer<typeof contentPartSchema>;
type Image = z.infer<typeof imagePartSchema>['image_url'];
type Audio = z.infer<typeof audioPartSchema>['input_audio'];

const base64Data = /^data:[^,]*;base64,/;

/**
 * Returns the first bytes of the file in a data URL, which contain the size of an image. For any other URL, the result
 * is empty.
 */
const beginningOf = (url: string): Buffer => {
  const head = base64Data.exec(url.slice(0, 200))?.[0];
  return head === undefined
    ? Buffer.alloc(0)
    : Buffer.from(url.slice(head.length, head.length + 256 * 1024), 'base64');
};

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Returns whether a marker in a JPEG begins a frame. A frame declares the size of the image (ITU T.81, table B.1). */
const isFrameMarker = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

const jpegSize = (file: Buffer): Size | null => {
  for (let at = 2; at + 9 <= file.length && file[at] === 0xff;) {
    const marker = file[at + 1]!;
    if (isFrameMarker(marker))
      return { height: file.readUInt16BE(at + 5), width: file.readUInt16BE(at + 7) };
    at += 2 + file.readUInt16BE(at + 2);
  }
  return null;
};

/** Returns the width and height of a PNG, JPEG or GIF in pixels; `null` for any other file. */
const pixelsOf = (file: Buffer): Size | null => {
  if (file.length >= 24 && file.toString('latin1', 1, 4) === 'PNG')
    return { width: file.readUInt32BE(16), height: file.readUInt32BE(20) };
  if (file.length >= 10 && file.toString('latin1', 0, 3) === 'GIF')
    return { width: file.readUInt16LE(6), height: file.readUInt16LE(8) };
  return file.length >= 2 && file.readUInt16BE(0) === 0xffd8 ? jpegSize(file) : null;
};

const tile = { pixels: 512, tokens: 170 } as const;
const baseTokens = 85;
const longestSide = 2048;
const shortestSide = 768;

/**
 * Estimates the tokens of an image by OpenAI's published rule for GPT-4o. Every image costs 85 tokens. Unless the
 * detail is `low`, the image is scaled down to fit into 2,048 × 2,048 pixels, and then to 768 pixels on its shorter
 * side; each tile of 512 × 512 pixels adds 170 tokens. An image of unknown size counts as the largest possible one:
 * 1,445 tokens.
 */
export const imageTokens = ({ url, detail }: Image): number => {
  if (detail === 'low') return baseTokens;
  const { width, height } = pixelsOf(beginningOf(url)) ?? {
    width: longestSide,
    height: shortestSide,
  };
  const fitted = Math.min(1, longestSide / Math.max(width, height, 1));
  const scale = Math.min(fitted, shortestSide / Math.max(1, Math.min(width, height)));
  const tilesAlong = (side: number): number =>
    Math.max(1, Math.ceil((side * scale) / tile.pixels - 1e-9));
  return baseTokens + tile.tokens * tilesAlong(width) * tilesAlong(height);
};

const tokensPerSecond = 10;
/** Compressed speech is assumed to have this many bytes per second (64 kbit/s). */
const compressedBytes = 8000;

/** Returns the bytes per second of a WAV file; `null` for any other file. */
const waveBytesPerSecond = (file: Buffer): number | null => {
  const isWave = file.length >= 32 && file.toString('latin1', 8, 16) === 'WAVEfmt ';
  return isWave ? Math.max(1, file.readUInt32LE(28)) : null;
};

/**
 * Estimates the tokens of audio by OpenAI's rule: ten tokens per second. Audio in any format except WAV is assumed to
 * have 64 kbit/s.
 */
export const audioTokens = ({ data }: Audio): number => {
  const bytes = (data.length * 3) / 4;
  const rate = waveBytesPerSecond(Buffer.from(data.slice(0, 64), 'base64')) ?? compressedBytes;
  return Math.ceil((tokensPerSecond * bytes) / rate);
};

/** Estimates the tokens of the image or audio in a content part; 0 for a text part. */
export const mediaTokens = (part: ContentPart): number => {
  switch (part.type) {
    case 'text':
      return 0;
    case 'image_url':
      return imageTokens(part.image_url);
    case 'input_audio':
      return audioTokens(part.input_audio);
  }
};
