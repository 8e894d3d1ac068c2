import { describe, expect, it } from 'vitest';
import { writtenBytes } from './written-bytes.ts';

describe('the bytes that a model wrote', () => {
  it.each([
    ['of a text', { role: 'assistant', content: 'é漢' }, 5],
    ['of parts, without their types', { content: [{ type: 'text', text: 'abc' }] }, 3],
    ['of reasoning and a refusal', { content: null, reasoning: 'ab', refusal: 'c' }, 3],
    ['of no message', undefined, 0],
    ['of a message with a list of no calls', { content: 'a', tool_calls: [] }, 1],
    ['of a call are unknown', { content: '', tool_calls: [{ id: 'x' }] }, Number.NaN],
    ['of sound are unknown', { audio: { transcript: 'ab' } }, Number.NaN],
    ['of images are unknown', { content: 'a', images: [{ image_url: { url: 'u' } }] }, Number.NaN],
    ['of a part with an image are unknown', { content: [{ image_url: { url: 'u' } }] }, Number.NaN],
  ])('are counted: those %s', (_, message, bytes) => {
    expect(writtenBytes(message)).toBe(bytes);
  });
});
