import { z } from 'zod';
import { filledText, listField, mapping, optionalField, textField } from './fields.ts';

/**
 * This file contains the schema of chat messages. The content of a message is a text, or a list of parts as in the
 * OpenAI API.
 */

const partExample = '{type: text, text: Hello}';

const typed = <Type extends string, Shape extends z.core.$ZodLooseShape>(
  type: Type,
  meaning: string,
  shape: Shape,
) => z.strictObject({ type: z.literal(type).describe(meaning), ...shape });

const image = mapping('a mapping such as {url: "bundled:gauge.png"}', {
  url: filledText('expected bundled:NAME, file:PATH, a data: URL or an address').describe(
    'The image: "bundled:" with gauge.png, chart.png, river.jpg or square.jpg, which come with Weir; "file:" with a path in the scenario’s folder; a data: URL; or an address that the gateway fetches.',
  ),
  detail: optionalField(z.enum(['auto', 'low', 'high'])).describe(
    'How closely the model looks. Default: the gateway’s default.',
  ),
});

const audio = mapping('a mapping such as {data: "bundled:gate.wav"}', {
  data: filledText('expected bundled:NAME, file:PATH, or base64').describe(
    'The recording: "bundled:" with the name of a clip that comes with Weir; "file:" with a path in the scenario’s folder; or base64.',
  ),
  format: optionalField(textField()).describe(
    'The format, for example wav or mp3. Default: that of the named file.',
  ),
});

const parts = [
  typed('text', 'Text.', { text: textField().describe('The text.') }),
  typed('image_url', 'An image.', { image_url: image.describe('The image.') }),
  typed('input_audio', 'A recording.', { input_audio: audio.describe('The recording.') }),
] as const;

const contentPart = z.discriminatedUnion('type', parts, {
  error: ({ code, input }: { readonly code?: string; readonly input?: unknown }) =>
    code === 'invalid_type'
      ? `expected a content part with a "type", for example ${partExample}${typeof input === 'string' ? '; several prompts, of which each request takes one, are "prompts"' : ''}`
      : undefined,
});

export const contentPartsField = listField(
  contentPart,
  `a list of content parts, for example [${partExample}]`,
  'content part',
  // In the JSON Schema, this part is a definition, and each use of the part is a reference to the definition.
  // Otherwise, the JSON Schema would contain this part a dozen times.
).meta({ id: 'contentParts' });

export const contentField = z.union(
  [textField(), contentPartsField],
  'expected text, or a list of content parts',
);

const message = mapping('a message such as {role: user, content: Hello}', {
  role: z
    .enum(['system', 'user', 'assistant'])
    .describe('The author: "system", "user" or "assistant".'),
  content: z
    .union([z.string(), contentPartsField], 'expected text, or a list of content parts')
    .describe('The text of the message, or a list of content parts: text, images and audio.'),
});

const messages = 'a list of messages, each with "role" and "content"';
export const conversation = listField(message, messages, 'message');
