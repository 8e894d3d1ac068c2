import { describe, expect, it } from 'vitest';
import { starterScenarioText } from './starter-scenario.ts';
import { readScenario } from './read-scenario.ts';

const reading = (text: string) =>
  readScenario({ text, name: 'weir.yaml', environment: { MY_KEY: 'sk' } });

describe('a first scenario', () => {
  it.each(['publisher/model-8b', '- odd: {id}', 'null'])('is valid with the model %s', (chat) => {
    const target = 'https://gateway.example/v1';
    const audio = { speech: 'tts', transcription: 'a/whisper' };
    const text = starterScenarioText({ target, key: 'MY_KEY', chat, ...audio }, 'weir.yaml');
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
    const first = { target: 'mock', key: 'K', chat: 'm', speech: 'tts', transcription: 'stt' };
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
});
