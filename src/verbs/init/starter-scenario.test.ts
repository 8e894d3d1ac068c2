import { describe, expect, it } from 'vitest';
import { starterScenarioText } from './starter-scenario.ts';
import { readScenario } from '../../scenario/read-scenario.ts';

const unsaid = { declared: { requests: null, tokens: null }, schema: './schema.json' };
const reading = (text: string) =>
  readScenario({ text, name: 'weir.yaml', environment: { MY_KEY: 'sk' } });

describe('a first scenario', () => {
  it.each(['publisher/model-8b', '- odd: {id}', 'null'])('is valid with the model %s', (chat) => {
    const target = 'https://gateway.example/v1';
    const audio = { speech: 'tts', transcription: 'a/whisper' };
    const text = starterScenarioText(
      { target, key: 'MY_KEY', chat, ...audio, ...unsaid },
      'weir.yaml',
    );
    expect(reading(text)).toMatchObject({
      ok: true,
      plan: {
        target: { url: target },
        keys: [{ template: '${env:MY_KEY}' }],
        stages: [
          {
            traffic: [
              { kind: 'chat-stream', model: chat },
              { kind: 'chat', model: chat },
              { kind: 'speech', model: 'tts' },
              { kind: 'transcription', model: 'a/whisper' },
            ],
          },
        ],
        budget: { requests: 100, tokens: 50_000, cost: null },
      },
    });
  });

  it('stays valid if everything that is commented out is enabled', () => {
    const audio = { speech: 'tts', transcription: 'stt' };
    const first = { target: 'mock', key: 'K', chat: 'm', ...audio, ...unsaid };
    const text = starterScenarioText(first, 'weir.yaml')
      .replaceAll(/^( *)# (- kind)/gm, '$1$2')
      .replaceAll(/^# (prices:|  "m":)/gm, '$1');
    expect(reading(text)).toMatchObject({
      ok: true,
      plan: {
        stages: [{ traffic: [{ price: { input: 150_000 } }, {}, {}, {}, { kind: 'models' }] }],
      },
    });
  });

  it.each([
    { says: 'nothing', declared: unsaid.declared, limits: [null, null], load: [1, 50_000] },
    {
      says: 'much',
      declared: { requests: 600, tokens: 90_000, families: ['openai'] },
      limits: [600, 90_000],
      load: [1, 50_000],
    },
    {
      says: 'few requests',
      declared: { requests: 20, tokens: null, assumed: ['20 requests'] },
      limits: [20, null],
      load: [16 / 60, 188_000],
    },
  ])('stays below the limits, and is enough, where the gateway declares $says', (row) => {
    const audio = { speech: null, transcription: null };
    const starter = { target: 'mock', key: 'K', chat: 'm', ...audio, ...unsaid };
    const text = starterScenarioText({ ...starter, declared: row.declared }, 'weir.yaml');
    expect(text.split('\n')[0]).toBe('# yaml-language-server: $schema=./schema.json');
    expect(text.includes('declares no limits')).toBe(row.says === 'nothing');
    expect(text.includes('# The headers name no time for 20 requests: a minute is assumed.')).toBe(
      row.says === 'few requests',
    );
    expect(text.includes('by the openai headers of its answer')).toBe(row.says === 'much');
    expect(text.includes('# It names no tokens per minute.')).toBe(row.says === 'few requests');
    const read = reading(text);
    if (!read.ok) throw new Error(JSON.stringify(read.problems));
    const { limits, stages } = read.plan;
    expect([limits.requestsPerMinute, limits.tokensPerMinute]).toEqual(row.limits);
    const [rate, duration] = row.load;
    expect(stages[0]!.load).toMatchObject({ curve: [{ from: rate, to: rate, duration }] });
  });
});
