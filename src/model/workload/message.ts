import { z } from 'zod';

/**
 * This file defines the messages of a chat request (interface, section 2.3), with content parts as in the OpenAI API.
 */

const formatSchema = z.string().min(1);

const partSchemaWith = <Format extends z.ZodType>(format: Format) =>
  z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('text'), text: z.string() }),
    z.strictObject({
      type: z.literal('image_url'),
      image_url: z.strictObject({
        url: z.string().min(1),
        detail: z.enum(['auto', 'low', 'high']).optional(),
      }),
    }),
    z.strictObject({
      type: z.literal('input_audio'),
      input_audio: z.strictObject({ data: z.string().min(1), format }),
    }),
  ]);

const messageSchemaWith = <Part extends z.ZodType>(part: Part) =>
  z.strictObject({
    role: z.enum(['system', 'user', 'assistant']),
    content: z.union([z.string(), z.array(part).min(1)]),
  });

/**
 * A part of a message's content as it is sent. An image is a data URL, or an address from which the gateway fetches the
 * image. Audio is base64.
 */
const messagePartSchema = partSchemaWith(formatSchema);
export type MessagePart = z.infer<typeof messagePartSchema>;

/**
 * A part of a message as written in a scenario or a file of prompts. The part may name a file, whose format is
 * recognised by the file's content.
 */
const writtenPartSchema = partSchemaWith(formatSchema.optional());
export type WrittenPart = z.infer<typeof writtenPartSchema>;

export const writtenMessageSchema = messageSchemaWith(writtenPartSchema);
export type WrittenMessage = z.infer<typeof writtenMessageSchema>;

export const messageSchema = messageSchemaWith(messagePartSchema);
export type Message = z.infer<typeof messageSchema>;
export type MessageContent = Message['content'];

export const textsOfContent = (content: MessageContent): readonly string[] =>
  typeof content === 'string'
    ? [content]
    : content.flatMap((part) => (part.type === 'text' ? [part.text] : []));

/** Returns a message's content with every text, image and recording changed by a function. */
export const mapContent = (
  content: MessageContent,
  change: (text: string) => string,
): MessageContent =>
  typeof content === 'string' ? change(content) : content.map((part) => mapPart(part, change));

const mapPart = (part: MessagePart, change: (text: string) => string): MessagePart => {
  switch (part.type) {
    case 'text':
      return { ...part, text: change(part.text) };
    case 'image_url':
      return { ...part, image_url: { ...part.image_url, url: change(part.image_url.url) } };
    case 'input_audio':
      return { ...part, input_audio: { ...part.input_audio, data: change(part.input_audio.data) } };
  }
};
