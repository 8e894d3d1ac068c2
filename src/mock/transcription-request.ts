import { transcriptionFieldsSchema, uploadExtensions } from '../contract/audio.ts';
import { refuseModel } from './catalogue.ts';
import { invalidParameters } from './json-body.ts';
import type { Refusal } from './refusal.ts';
import type { Settings } from './settings.ts';
import type { Granularities, TranscriptFormat } from './transcript-text.ts';
import type { Upload, UploadedFile } from './upload.ts';

/** A request for a transcription whose file is still to be listened to. */
export interface Dictation {
  readonly file: UploadedFile;
  readonly language: string | null;
  readonly format: TranscriptFormat;
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
export const readDictation = (upload: Upload, settings: Settings): Dictation | Refusal => {
  const parsed = transcriptionFieldsSchema.safeParse(valuesOf(upload));
  if (!parsed.success) return invalidParameters(parsed.error);
  const { model, language, response_format: format } = parsed.data;
  const refused = refuseModel(model, [settings.transcription.model], settings);
  if (refused !== null) return refused;
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
