import { transcriptionFieldsSchema, uploadExtensions } from '../../contract/audio.ts';
import { checkModel } from '../http/model-list.ts';
import { invalidParameters } from '../http/json-body.ts';
import type { RequestRefusal } from '../errors/request-refusal.ts';
import type { Settings } from '../settings/settings.ts';
import type { Granularities, MockTranscriptFormat } from './transcript-formats.ts';
import type { Upload, UploadedFile } from '../http/upload.ts';

/** A request for a transcription whose file is still to be listened to. */
export interface ParsedTranscription {
  readonly file: UploadedFile;
  readonly language: string | null;
  readonly format: MockTranscriptFormat;
  readonly granularities: Granularities;
}

const extensions: readonly string[] = uploadExtensions;

const extensionOf = (name: string): string =>
  name.includes('.') ? name.slice(name.lastIndexOf('.') + 1).toLowerCase() : '';

/** A name that ends in `[]` is a list, as is one that came several times. */
const valuesOf = ({ fields }: Upload): Record<string, string | readonly string[] | undefined> =>
  Object.fromEntries(
    [...fields].map(([name, values]) => [
      name,
      name.endsWith('[]') || values.length > 1 ? values : values[0],
    ]),
  );

/** Reads the form of a transcription: what it asks, or why it is refused. */
export const parseTranscription = (
  upload: Upload,
  settings: Settings,
): ParsedTranscription | RequestRefusal => {
  const parsed = transcriptionFieldsSchema.safeParse(valuesOf(upload));
  if (!parsed.success) return invalidParameters(parsed.error);
  const { model, language, response_format: format } = parsed.data;
  const modelRefusal = checkModel(model, [settings.transcription.model], settings);
  if (modelRefusal !== null) return modelRefusal;
  const { file } = upload;
  if (file === null) {
    const message = 'Invalid file: expected a part named "file" that has a file name.';
    return { cause: 'invalid-parameter', message };
  }
  if (!extensions.includes(extensionOf(file.name))) {
    const message = `The format of ${JSON.stringify(file.name)} is not supported; expected a name that ends in one of ${extensions.join(', ')}.`;
    return { cause: 'unsupported-format', message };
  }
  return {
    file,
    language: language === undefined || language === '' ? null : language,
    format: format ?? 'json',
    granularities: parsed.data['timestamp_granularities[]'] ?? null,
  };
};
