import { describe, expect, it } from 'vitest';
import { type ScenarioFlags, scenarioFromFlags } from './scenario-flags.ts';
import { problemsText } from './scenario-problem.ts';
import { readScenario } from '../read-scenario.ts';

const name = 'command line';
const read = (flags: ScenarioFlags, more: { target?: string; overrides?: string[] } = {}) =>
  readScenario({ text: scenarioFromFlags(flags), name, environment: {}, ...more });

const problemsOf = (...given: Parameters<typeof read>): string[] => {
  const reading = read(...given);
  return reading.ok ? [] : problemsText(reading.problems, name).split('\n');
};

describe('options without a file', () => {
  it('mean the same as a file with the same values', () => {
    const text =
      'traffic: [{kind: chat-stream, model: m}]\nload: {kind: constant, rate: 5/s, duration: 30s}\n';
    const fromFile = readScenario({ text, name, environment: {} });
    expect(read({ model: 'm', rate: '5/s', duration: '30s' })).toEqual(fromFile);
    expect(fromFile.ok).toBe(true);
  });

  it.each([
    [
      { users: '3', duration: '1m' },
      { kind: 'closed', users: 3, duration: 60_000 },
    ],
    [{ iterations: 9 }, { kind: 'iterations', users: 1, iterations: 9, maxDuration: 600_000 }],
    [
      { users: 3, iterations: '9', duration: '5s' },
      { kind: 'iterations', users: 3, iterations: 9, maxDuration: 5000 },
    ],
  ] as const)('%j make a closed load', (flags, load) => {
    const reading = read({ ...flags, kind: 'models' });
    expect(reading).toMatchObject({ ok: true, plan: { stages: [{ load }] } });
  });

  it('set the question', () => {
    const flags = { kind: 'chat', model: '1.0', prompt: '2', maxTokens: '5', iterations: 1 };
    expect(read(flags)).toMatchObject({
      ok: true,
      plan: {
        stages: [
          {
            traffic: [
              { model: '1.0', maxTokens: 5, conversations: [[{ role: 'user', content: '2' }]] },
            ],
          },
        ],
      },
    });
  });

  it('set the text for speech', () => {
    const flags = { kind: 'speech', model: 'tts', text: '5', voice: 'Ada.wav', iterations: 1 };
    expect(read(flags)).toMatchObject({
      ok: true,
      plan: { stages: [{ traffic: [{ texts: ['5'], voice: 'Ada.wav', format: 'mp3' }] }] },
    });
  });

  it.each([
    [{}, { file: 'bundled', text: null }],
    [{ clip: 'a.wav' }, { file: 'a.wav', text: null }],
    [
      { clip: 'a.wav', text: 'Hello.' },
      { file: 'a.wav', text: 'Hello.' },
    ],
  ])('%j set the audio to transcribe', (flags, clip) => {
    const reading = read({ kind: 'transcription', model: 'w', iterations: 1, ...flags });
    expect(reading).toMatchObject({
      ok: true,
      plan: { stages: [{ traffic: [{ clips: [clip] }] }] },
    });
  });

  it('can be overridden', () => {
    const overrides = ['grace=1s', 'load.rate=6/s'];
    expect(read({ model: 'm', rate: '5/s', duration: '30s' }, { overrides })).toMatchObject({
      ok: true,
      plan: { grace: 1000, stages: [{ load: { curve: [{ from: 6 }] } }] },
    });
  });
});

describe('problems with options', () => {
  it('name the options that are missing', () => {
    expect(problemsOf({})).toMatchInlineSnapshot(`
      [
        "--model: "model" is missing: expected the name of a model",
        "--rate: "rate" is missing: expected a rate such as 20/s, 60/min or 3600/h",
        "--duration: "duration" is missing: expected a length of time such as 30s, 500ms, 2m or 1h30m",
      ]
    `);
    expect(problemsOf({ users: 3, kind: 'models' })).toMatchInlineSnapshot(`
      [
        "--duration: "duration" is missing: expected a length of time such as 30s, 500ms, 2m or 1h30m",
      ]
    `);
  });

  it('name the options that are invalid', () => {
    const flags = { kind: 'chatt', rate: 5, duration: '1', model: '', maxTokens: 'many' };
    expect(problemsOf(flags)).toMatchInlineSnapshot(`
      [
        "--kind: expected "chat", "chat-stream", "speech", "transcription" or "models", got "chatt"; did you mean "chat"?",
        "--model: expected the name of a model, got """,
        "--max-tokens: expected a whole number from 1 to 10,000,000, or a distribution such as {kind: lognormal, median: 800, sigma: 0.6}, got "many"",
        "--rate: expected a rate such as 20/s, 60/min or 3600/h, got the number 5; a number needs its unit: 5/s, 5/min or 5/h",
        "--duration: expected a length of time such as 30s, 500ms, 2m or 1h30m, got "1"; a number needs its unit: 1s for seconds or 1ms for milliseconds",
      ]
    `);
    expect(problemsOf({ kind: 'chat', rate: 5, duration: '1', maxTokens: 'many' }))
      .toMatchInlineSnapshot(`
        [
          "--model: "model" is missing: expected the name of a model",
          "--max-tokens: expected a whole number from 1 to 10,000,000, or a distribution such as {kind: lognormal, median: 800, sigma: 0.6}, got "many"",
          "--rate: expected a rate such as 20/s, 60/min or 3600/h, got the number 5; a number needs its unit: 5/s, 5/min or 5/h",
          "--duration: expected a length of time such as 30s, 500ms, 2m or 1h30m, got "1"; a number needs its unit: 1s for seconds or 1ms for milliseconds",
        ]
      `);
  });

  it('name options that exclude each other', () => {
    expect(problemsOf({ kind: 'models', model: 'm', users: 3, rate: '5/s', duration: '5s' }))
      .toMatchInlineSnapshot(`
        [
          "--model: "model" is not a key of the kind "models"; it belongs to "chat", "chat-stream", "speech" or "transcription"",
          "--rate: "rate" is not a key of the kind "closed"; it belongs to "constant", "poisson" or "gamma"",
        ]
      `);
  });

  it('name options of another kind of traffic', () => {
    const load = { iterations: 1, model: 'm' };
    const faulty: ScenarioFlags[] = [
      { ...load, clip: 'a.wav', voice: 'Ada.wav', text: 'Hello.' },
      { ...load, kind: 'speech', clip: 'a.wav', prompt: 'Hello.' },
      { ...load, kind: 'transcription', text: 'Hello.', voice: 'Ada.wav' },
      { ...load, kind: 'transcription', clip: 'all.json', text: 'Hello.' },
    ];
    expect(faulty.flatMap((flags) => problemsOf(flags)).join('\n')).toMatchInlineSnapshot(`
      "--text: "text" is not a key of the kind "chat-stream"; did you mean "prompt"?
      --voice: "voice" is not a key of the kind "chat-stream"; it belongs to "speech"
      --clip: "clips" is not a key of the kind "chat-stream"; it belongs to "transcription"
      --prompt: "prompt" is not a key of the kind "speech"; did you mean "text"?
      --clip: "clips" is not a key of the kind "speech"; it belongs to "transcription"
      --clip: "file" is missing: expected the path of an audio file
      --voice: "voice" is not a key of the kind "transcription"; it belongs to "speech"
      --text: this names several clips, each with its own text; leave it out"
    `);
  });

  it('name --target, also if its key is missing', () => {
    const flags = { kind: 'models', iterations: 5 };
    expect(problemsOf(flags, { target: 'gateway.example' })).toMatchInlineSnapshot(`
      [
        "--target: expected mock, container, or the address of a gateway such as https://gateway.example/v1, got "gateway.example"; an address must begin with http:// or https://",
      ]
    `);
    expect(problemsOf(flags, { target: 'http://gateway.example/v1' })).toMatchInlineSnapshot(`
      [
        "--target: there is no key for this target: the environment variable WEIR_API_KEY is not set; set it before the run (export WEIR_API_KEY=…), or add "keys" with a reference to the key",
      ]
    `);
  });
});
