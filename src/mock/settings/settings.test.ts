import { resolveMockLimits } from '../../model/gateway/mock-limits.ts';
import { expect, it } from 'vitest';
import { settingsSchema, testKey } from './settings.ts';

it('has a default for everything', () => {
  expect(settingsSchema.parse({})).toMatchInlineSnapshot(`
    {
      "contextTokens": 131072,
      "controlPort": 0,
      "credits": {
        "balance": null,
        "ledger": 10000,
      },
      "faultHeader": true,
      "faults": [],
      "gap": 20,
      "hangUps": "stop",
      "host": "127.0.0.1",
      "keyHeader": "authorization",
      "keys": [
        "sk-weir-test",
        "sk-weir-test-2",
        "sk-weir-test-3",
      ],
      "latency": "fixed",
      "limits": {
        "burstShare": 0.16666666666666666,
        "hiddenRequests": 0,
        "inFlight": null,
        "profile": "spec",
        "requestsPerMinute": 60,
        "steps": 6,
        "tokensPerMinute": 2000000,
        "window": 60000,
        "workers": 1,
      },
      "metrics": true,
      "models": [
        "weir/small",
        "weir/large",
      ],
      "outputTokens": {
        "max": 96,
        "min": 32,
      },
      "port": 0,
      "prices": {},
      "promptCache": {
        "keeps": null,
        "tokens": 6400000,
      },
      "requestTimeout": 300000,
      "seed": 1,
      "sendStamps": false,
      "speech": {
        "base": 150,
        "model": "weir-tts",
        "perCharacter": 4,
        "voices": [
          "Abigail.wav",
          "Adrian.wav",
          "Alexander.wav",
          "Alice.wav",
          "Austin.wav",
          "Axel.wav",
          "Connor.wav",
          "Cora.wav",
          "Elena.wav",
          "Eli.wav",
          "Emily.wav",
          "Everett.wav",
          "Gabriel.wav",
          "Gianna.wav",
          "Henry.wav",
          "Ian.wav",
          "Jade.wav",
          "Jeremiah.wav",
          "Jordan.wav",
          "Julian.wav",
          "Layla.wav",
          "Leonardo.wav",
          "Michael.wav",
          "Miles.wav",
          "Olivia.wav",
          "Ryan.wav",
          "Taylor.wav",
          "Thomas.wav",
        ],
      },
      "transcription": {
        "base": 100,
        "model": "weir/whisper",
        "perSecond": 25,
      },
      "truth": null,
      "ttft": 200,
      "uploadTooLarge": 413,
    }
  `);
});

it('fills in missing fields of a group', () => {
  const { limits } = settingsSchema.parse({ limits: { requestsPerMinute: null } });
  expect(resolveMockLimits(limits)).toMatchObject({
    requestsPerMinute: null,
    tokensPerMinute: 2_000_000,
    algorithm: 'fixed-from-first',
    window: 60_000,
  });
});

it('prefers explicit settings to the profile', () => {
  const { limits } = settingsSchema.parse({ limits: { profile: 'litellm', retryAfter: 'true' } });
  expect(resolveMockLimits(limits)).toMatchObject({ body: 'key', retryAfter: 'true' });
});

it('numbers the published keys from one', () => {
  expect([0, 1, 2].map(testKey)).toEqual(['sk-weir-test', 'sk-weir-test-2', 'sk-weir-test-3']);
});

it.each([
  [{ tftt: 3 }, 'Unrecognized key: "tftt"'],
  [{ models: ['a b'] }, 'expected an id without spaces'],
  [{ keys: ['one', 'two', 'one'] }, 'expected each key once'],
  [{ keys: ['a key'] }, 'expected a key of printable characters, no spaces'],
  [{ outputTokens: { min: 9, max: 3 } }, 'expected max to be at least min'],
])('refuses %j', (input, message) => {
  expect(settingsSchema.safeParse(input).error?.issues.map((issue) => issue.message)).toEqual([
    message,
  ]);
});

it('a request may take any time above 0 to arrive', () => {
  const accepts = (requestTimeout: number): boolean =>
    settingsSchema.safeParse({ requestTimeout }).success;
  expect([-1, 0, 0.5, 1, 2].map(accepts)).toEqual([false, false, true, true, true]);
});
