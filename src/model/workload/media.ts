import type { MessagePart, WrittenPart } from './message.ts';
import type { MediaFile, ReadResult } from './workload.ts';

const isFileReference = (text: string): boolean => /^(bundled|file):/.test(text);

export type FindMedia = (reference: string) => ReadResult<MediaFile>;

const problem = (text: string): { readonly ok: false; readonly problem: string } => ({
  ok: false,
  problem: text,
});

const mediaOf = (
  reference: string,
  kind: MediaFile['kind'],
  find: FindMedia,
): ReadResult<MediaFile> => {
  const found = find(reference);
  return found.ok && found.value.kind !== kind
    ? problem(
        `${reference} is ${found.value.contentType}; expected ${kind === 'image' ? 'an image' : 'audio'}`,
      )
    : found;
};

type ImagePart = Extract<MessagePart, { type: 'image_url' }>;

const imageOf = (part: ImagePart, find: FindMedia): ReadResult<MessagePart> => {
  const { url } = part.image_url;
  if (/^(data|https?):/i.test(url)) return { ok: true, value: part };
  if (!isFileReference(url)) {
    return problem('expected bundled:NAME, file:PATH, a data: URL, or an http or https address');
  }
  const found = mediaOf(url, 'image', find);
  if (!found.ok) return found;
  const { contentType, base64 } = found.value;
  const image = { ...part.image_url, url: `data:${contentType};base64,${base64}` };
  return { ok: true, value: { ...part, image_url: image } };
};

const audioOf = (
  { data, format }: Extract<WrittenPart, { type: 'input_audio' }>['input_audio'],
  find: FindMedia,
): ReadResult<MessagePart> => {
  if (isFileReference(data)) {
    const found = mediaOf(data, 'audio', find);
    if (!found.ok) return found;
    const audio = { data: found.value.base64, format: format ?? found.value.format };
    return { ok: true, value: { type: 'input_audio', input_audio: audio } };
  }
  if (!/^[\w+/-]+={0,2}$/.test(data)) return problem('expected bundled:NAME, file:PATH, or base64');
  return format === undefined
    ? problem('base64 needs "format" beside "data", for example format: wav')
    : { ok: true, value: { type: 'input_audio', input_audio: { data, format } } };
};

/**
 * Returns a part as it is sent, with the content of the file that it names. If it cannot be sent, returns the reason.
 */
export const withMedia = (part: WrittenPart, find: FindMedia): ReadResult<MessagePart> => {
  switch (part.type) {
    case 'text':
      return { ok: true, value: part };
    case 'image_url':
      return imageOf(part, find);
    case 'input_audio':
      return audioOf(part.input_audio, find);
  }
};
