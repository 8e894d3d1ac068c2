import { describe, expect, it } from 'vitest';
import { readScenario } from './read-scenario.ts';
import { trafficEntryReaders } from './sample-entries.fixture.ts';

const load = 'load: {kind: constant, rate: 5/s, duration: 30s}\n';

const read = (entry: string) =>
  readScenario({ text: `traffic:\n  - ${entry}\n${load}`, name: 'f.yaml', environment: {} });

const { entryOf, problemsOf } = trafficEntryReaders(read);

describe('an entry of the kind speech', () => {
  it('has a short sentence spoken as mp3 if only a model is given', () => {
    expect(entryOf('{kind: speech, model: tts}')).toMatchInlineSnapshot(`
      {
        "body": {},
        "format": "mp3",
        "kind": "speech",
        "model": "tts",
        "speed": null,
        "texts": [
          "A weir is a low dam across a stream that shows how much water flows.",
        ],
        "voice": "Emily.wav",
        "weight": 1,
      }
    `);
  });

  it('passes all its fields to the plan', () => {
    const fields =
      'weight: 2, texts: [One., Two.], voice: Ada.wav, format: opus, speed: 1.5, body: {seed: 3}';
    expect(entryOf(`{kind: speech, model: tts, ${fields}}`)).toEqual({
      kind: 'speech',
      weight: 2,
      model: 'tts',
      texts: ['One.', 'Two.'],
      voice: 'Ada.wav',
      format: 'opus',
      speed: 1.5,
      body: { seed: 3 },
    });
    expect(entryOf('{kind: speech, model: tts, text: One.}')).toMatchObject({ texts: ['One.'] });
  });

  it('ignores the common body of chat requests', () => {
    const text = `body: {top_k: 5}\ntraffic: [{kind: speech, model: tts}]\n${load}`;
    const reading = readScenario({ text, name: 'f.yaml', environment: {} });
    expect(reading).toMatchObject({ ok: true, plan: { stages: [{ traffic: [{ body: {} }] }] } });
  });

  it('is refused for every kind of error', () => {
    const faulty = [
      '{kind: speech}',
      '{kind: speech, model: tts, input: Hello., response_format: mp3}',
      '{kind: speech, model: tts, prompt: Hello., maxTokens: 5}',
      '{kind: speech, model: tts, text: Hello., texts: [Hello.]}',
      '{kind: speech, model: tts, texts: []}',
      '{kind: speech, model: tts, text: "", voice: ""}',
      '{kind: speech, model: tts, format: mp4, speed: 0}',
      '{kind: speech, model: tts, speed: 1, body: {speed: 2}}',
      '{kind: speech, model: tts, body: {input: Hello., voice: x, response_format: wav, model: m}}',
      '{kind: tts, model: tts}',
    ];
    expect(faulty.map(problemsOf).join('\n')).toMatchInlineSnapshot(`
      "f.yaml:2:5: "model" is missing: expected the name of a model
      f.yaml:2:32: "input" is not a key of the kind "speech"; did you mean "text"?
      f.yaml:2:47: "response_format" is not a key of the kind "speech"; did you mean "format"?
      f.yaml:2:32: "prompt" is not a key of the kind "speech"; did you mean "text"?
      f.yaml:2:48: "maxTokens" is not a key of the kind "speech"; it belongs to "chat" or "chat-stream"
      f.yaml:2:46: "text" already says what to speak; keep one of them
      f.yaml:2:39: expected at least one text
      f.yaml:2:38: expected text that is not empty, got ""
      f.yaml:2:49: expected text that is not empty, got ""
      f.yaml:2:40: expected "mp3", "wav" or "opus", got "mp4"; did you mean "mp3"?
      f.yaml:2:52: expected a number from 0.25 to 4, got the number 0
      f.yaml:2:49: "speed" already sets this field; keep one of them
      f.yaml:2:39: Weir sets the request field "input" itself; use the entry's field "text"
      f.yaml:2:54: Weir sets the request field "voice" itself; use the entry's field "voice"
      f.yaml:2:64: Weir sets the request field "response_format" itself; use the entry's field "format"
      f.yaml:2:86: Weir sets the request field "model" itself; leave it out
      f.yaml:2:12: expected "chat", "chat-stream", "speech", "transcription" or "models", got "tts"; did you mean "speech"?"
    `);
  });
});

describe('an entry of the kind transcription', () => {
  const clipsOf = (clips: string): unknown => {
    const entry = entryOf(`{kind: transcription, model: w, clips: ${clips}}`);
    return entry?.kind === 'transcription' ? entry.clips : null;
  };

  it('uploads the bundled recordings if only a model is given', () => {
    expect(entryOf('{kind: transcription, model: w}')).toMatchInlineSnapshot(`
      {
        "clips": [
          {
            "file": "bundled",
            "text": null,
          },
        ],
        "format": "json",
        "granularities": [],
        "kind": "transcription",
        "language": null,
        "model": "w",
        "oversized": false,
        "weight": 1,
      }
    `);
  });

  it('passes all its fields to the plan', () => {
    const fields =
      'weight: 2, format: verbose_json, language: de, granularities: [word, segment], oversized: true';
    expect(entryOf(`{kind: transcription, model: w, ${fields}}`)).toEqual({
      kind: 'transcription',
      weight: 2,
      model: 'w',
      clips: [{ file: 'bundled', text: null }],
      format: 'verbose_json',
      language: 'de',
      granularities: ['word', 'segment'],
      oversized: true,
    });
  });

  it('may name its clips in several ways, and keeps their paths as written', () => {
    expect(clipsOf('../a/./b.wav')).toEqual([{ file: '../a/./b.wav', text: null }]);
    expect(clipsOf('{file: a.wav, text: Hello.}')).toEqual([{ file: 'a.wav', text: 'Hello.' }]);
    expect(clipsOf('{file: a.wav}')).toEqual([{ file: 'a.wav', text: null }]);
    expect(clipsOf('[a.wav, {file: b.mp3, text: Hello.}, more.json, bundled]')).toEqual([
      { file: 'a.wav', text: null },
      { file: 'b.mp3', text: 'Hello.' },
      { file: 'more.json', text: null },
      { file: 'bundled', text: null },
    ]);
  });

  it('is refused for every kind of error', () => {
    const faulty = [
      '{kind: transcription}',
      '{kind: transcription, model: w, file: a.wav, response_format: text}',
      '{kind: transcription, model: w, timestamp_granularities: [word], lang: en}',
      '{kind: transcription, model: w, text: Hello.}',
      '{kind: transcription, model: w, clips: []}',
      '{kind: transcription, model: w, clips: 3}',
      '{kind: transcription, model: w, clips: [a.wav, 3, ""]}',
      '{kind: transcription, model: w, clips: {txet: Hello.}}',
      '{kind: transcription, model: w, clips: [a.wav, {path: b.wav, text: 3}]}',
      '{kind: transcription, model: w, clips: {file: set.json, text: Hello.}}',
      '{kind: transcription, model: w, clips: [{file: bundled, text: Hello.}]}',
      '{kind: transcription, model: w, format: verbose, oversized: maybe}',
      '{kind: transcription, model: w, granularities: [word]}',
      '{kind: transcription, model: w, format: verbose_json, granularities: [wrd]}',
      '{kind: transcription, model: w, format: verbose_json, granularities: []}',
      '{kind: asr, model: w}',
    ];
    expect(faulty.map(problemsOf).join('\n')).toMatchInlineSnapshot(`
      "f.yaml:2:5: "model" is missing: expected the name of a model
      f.yaml:2:37: "file" is not a key of the kind "transcription"; did you mean "clips"?
      f.yaml:2:50: "response_format" is not a key of the kind "transcription"; did you mean "format"?
      f.yaml:2:37: "timestamp_granularities" is not a key of the kind "transcription"; did you mean "granularities"?
      f.yaml:2:70: "lang" is not a key of the kind "transcription"; did you mean "language"?
      f.yaml:2:37: "text" is not a key of the kind "transcription"; it belongs to "speech"
      f.yaml:2:44: expected at least one clip
      f.yaml:2:44: expected a path, a mapping such as {file: hello.wav, text: Hello.}, or a list of these, got the number 3
      f.yaml:2:52: expected a path, or a mapping such as {file: hello.wav, text: Hello.}, got the number 3
      f.yaml:2:55: expected the path of an audio file, got ""
      f.yaml:2:37: "file" is missing: expected the path of an audio file
      f.yaml:2:45: unknown key "txet"; did you mean "text"?
      f.yaml:2:53: unknown key "path"; did you mean "file"?
      f.yaml:2:72: expected text, got the number 3
      f.yaml:2:61: this names several clips, each with its own text; leave it out
      f.yaml:2:61: this names several clips, each with its own text; leave it out
      f.yaml:2:45: expected "json", "text", "srt", "vtt" or "verbose_json", got "verbose"; did you mean "verbose_json"?
      f.yaml:2:65: expected true or false, got "maybe"
      f.yaml:2:37: only the format "verbose_json" has time stamps; set format: verbose_json, or leave "granularities" out
      f.yaml:2:75: expected "word" or "segment", got "wrd"; did you mean "word"?
      f.yaml:2:74: expected "word", "segment" or both
      f.yaml:2:12: expected "chat", "chat-stream", "speech", "transcription" or "models", got "asr"; did you mean "transcription"?"
    `);
  });

  it('asks for timestamps only with verbose_json', () => {
    const rest = 'granularities: [segment]';
    expect(problemsOf(`{kind: transcription, model: w, format: verbose_json, ${rest}}`)).toBe('');
    expect(problemsOf(`{kind: transcription, model: w, format: srt, ${rest}}`)).not.toBe('');
  });
});
