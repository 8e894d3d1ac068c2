import { describe, expect, it } from 'vitest';
import { drawFrom } from '../../model/workload/draw.ts';
import { sampleTraffic } from '../sample-traffic.fixture.ts';
import { chatSizeOf, tokenDemand } from './token-demand.ts';

const messages = [{ role: 'user' as const, content: 'four' }];
const tools = [{ type: 'function', function: { name: 'weigh' } }];
const toolCharacters = JSON.stringify({ tools }).length;

describe('the size of a chat', () => {
  it('has the characters of its messages and of the further fields of its body', () => {
    const sizeOf = (body: object) => chatSizeOf({ messages, maxTokens: null }, { ...body });
    expect(sizeOf({}).characters).toBe(4);
    expect(sizeOf({ tools }).characters).toBe(4 + toolCharacters);
  });

  it('has the same characters however often its body is measured', () => {
    const body = { tools };
    const sizes = [1, 2].map(() => chatSizeOf({ messages, maxTokens: null }, body).characters);
    expect(sizes).toEqual([4 + toolCharacters, 4 + toolCharacters]);
  });

  it('counts four characters for each token of an image', () => {
    const image = { type: 'image_url', image_url: { url: 'https://host/x.png' } } as const;
    const content = [{ type: 'text' as const, text: 'four' }, image];
    const withImage = [{ role: 'user' as const, content }];
    const context = { draw: drawFrom(1, 0), ask: () => ({ messages, maxTokens: null }) };
    const demand = tokenDemand({ ...sampleTraffic.chat, conversations: [withImage] }, context);
    expect(demand?.media).toBeGreaterThan(0);
    expect(demand?.characters).toBe(4);
    expect(chatSizeOf({ messages: withImage, maxTokens: null }, {}).characters).toBe(
      4 + 4 * demand!.media,
    );
  });

  it('has the most tokens of the answer that the body or the entry names, for each choice', () => {
    const most = (maxTokens: number | null, body: object) =>
      chatSizeOf({ messages, maxTokens }, { ...body }).maxTokens;
    expect(most(null, {})).toBeNull();
    expect(most(16, {})).toBe(16);
    expect(most(16, { n: 2 })).toBe(32);
    expect(most(16, { max_completion_tokens: 5 })).toBe(5);
  });
});

describe('the demand of a request', () => {
  const context = { draw: drawFrom(1, 0), ask: () => ({ messages, maxTokens: 9 }) };

  it('has what the model reads, and the most that it writes', () => {
    const chat = { ...sampleTraffic.chat, conversations: [messages] };
    expect(tokenDemand(chat, context)).toEqual({
      traffic: chat,
      characters: 4,
      media: 0,
      output: 16,
    });
    expect(tokenDemand({ ...chat, body: { tools } }, context)?.characters).toBe(4 + toolCharacters);
    expect(tokenDemand({ ...chat, maxTokens: null }, context)?.output).toBe(0);
  });

  it('is unknown for kinds that use no tokens', () => {
    expect(tokenDemand(sampleTraffic.speech, context)).toBeNull();
    expect(tokenDemand(sampleTraffic.models, context)).toBeNull();
  });
});
