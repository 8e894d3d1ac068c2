import { routes } from '../../../contract/routes.ts';
import type { WireRequest } from '../../../model/observation/exchange.ts';
import type { Clip } from '../../../model/workload/clip.ts';
import { encodeForm } from '../../../traffic/request/multipart.ts';
import type { CheckTarget } from '../reading/check-case.ts';

interface FormParts {
  readonly fields?: readonly (readonly [name: string, value: string])[];
  readonly clip?: Pick<Clip, 'name' | 'bytes' | 'contentType'>;
  readonly hasModel?: boolean;
  /** The name of the part with the file. */
  readonly part?: string;
}

/** A form for a transcription of the target's recording; `null` if it has no model for it. */
export const transcriptionForm = (
  { transcription: model, clip: usual }: CheckTarget,
  { fields = [], clip = usual, hasModel = true, part = 'file' }: FormParts,
): WireRequest | null => {
  if (model === null) return null;
  const { contentType, body } = encodeForm({
    fields: [...(hasModel ? [['model', model] as const] : []), ...fields],
    file: { field: part, name: clip.name, contentType: clip.contentType, bytes: clip.bytes },
  });
  return {
    ...routes.transcription,
    headers: { 'content-type': contentType, accept: '*/*', 'accept-encoding': 'identity' },
    body,
  };
};
