// @gate 3 s
import { expect, it } from 'vitest';
import { checkMock, findingsIn } from './check-mock.fixture.ts';

/** One whole check of the reference gateway, and one of a gateway with faults; the other files have all of them. */

it('the reference gateway keeps each row of the interface that one check asks', async () => {
  const report = await checkMock();
  expect(findingsIn(report)).toEqual([]);
  const rows = report.rows.map(
    // Figures depend on chance and time.
    ({ outcome, id, observed }) => `${outcome} ${id}: ${observed.replaceAll(/\d[\d.,]*/g, '#')}`,
  );
  expect(rows.join('\n')).toMatchInlineSnapshot(`
    "pass models: status #
    pass models.list: list
    pass models.data: an array
    pass models.id: # × a string that is not empty
    pass models.object: # × model
    pass models.created: # × an integer, a Unix time in seconds that is not in the future
    pass models.owned-by: # × a string
    pass models.form: weir/small, weir/whisper
    pass models.audio: weir-tts, weir/whisper
    pass models.unique: # ids
    pass models.content-type: application/json
    pass chat: status #
    pass chat.id: a string that is not empty
    pass chat.object: chat.completion
    pass chat.created: an integer, a Unix time in seconds that is not in the future
    pass chat.model: a string that is not empty
    pass chat.choices: an array
    pass chat.index: an integer
    pass chat.message: an object
    pass chat.role: assistant
    pass chat.content: a string
    pass chat.finish: stop or length or tool_calls
    pass chat.usage: an object
    pass chat.prompt-tokens: an integer of at least #
    pass chat.completion-tokens: an integer of at least #
    pass chat.total-tokens: an integer of at least #
    pass chat.content-type: application/json
    pass chat.compressed: plain
    pass chat.model-used: the requested one
    pass chat.positions: # in order
    pass chat.total: # + # = #
    pass chat.max-tokens: # tokens
    pass chat.cut: length
    pass chat.unique-id: different
    pass minimal: status #
    pass bounds-low: status #
    pass bounds-high: status #
    pass json-mode: status #
    pass tools: status #
    pass temperature-below: status #
    pass temperature-above: status #
    pass top_p-below: status #
    pass top_p-above: status #
    pass presence_penalty-below: status #
    pass presence_penalty-above: status #
    pass frequency_penalty-below: status #
    pass frequency_penalty-above: status #
    pass stop-five: status #
    pass stop-number: status #
    pass temperature-text: status #
    pass max_tokens-text: status #
    pass top_k-fraction: status #
    pass stream-text: status #
    pass tools-text: status #
    pass messages-text: status #
    pass no-model: status #
    pass no-messages: status #
    pass no-role: status #
    pass no-content: status #
    pass unknown-model: status #
    pass broken-json: status #
    pass temperature.low: accepted #
    pass temperature.high: accepted #
    pass top_p.low: accepted #
    pass top_p.high: accepted #
    pass presence_penalty.low: accepted -#
    pass presence_penalty.high: accepted #
    pass frequency_penalty.low: accepted -#
    pass frequency_penalty.high: accepted #
    pass top_k.low: accepted #
    pass top_k.high: accepted #
    pass stop.low: accepted "e"
    pass stop.high: accepted ["e","a","o","i"]
    pass stream.low: accepted false
    pass stop.low-obeyed: the answer contains none
    pass stop.high-obeyed: the answer contains none
    pass json-mode.valid: a JSON object
    pass tools.finish: finish_reason is tool_calls, with tool_calls in the message
    pass chats.finish: # chats
    pass stream: status #
    pass stream-usage: status #
    pass stream-refused: status #
    pass stream.content-type: text/event-stream
    pass stream.framing: # lines of data
    pass stream.compressed: plain
    pass stream.done: data: [DONE]
    pass stream.json: # events
    pass stream.object: # chunks
    pass stream.id: the same id on every chunk
    pass stream.choices: # chunks
    pass stream.content: # increments
    pass stream.finish: "length"
    pass stream.usage: # increments of text, # tokens in the usage
    pass stream-usage.choices: # chunks
    pass speech-default: status #
    pass speech-wav: status #
    pass speech-opus: status #
    pass speech-fast: status #
    pass speech-mp3: status #
    pass speech-no-input: status #
    pass speech-no-voice: status #
    pass speech-no-model: status #
    pass speech-unknown-voice: status #
    pass speech-format: status #
    pass speech-speed: status #
    pass speech-default.container: MP# # s in # bytes
    pass speech-default.content-type: audio/mpeg
    pass speech-wav.container: WAV, # s in # bytes
    pass speech-wav.content-type: audio/wav
    pass speech-opus.container: Ogg, # s in # bytes
    pass speech-opus.content-type: audio/ogg
    pass speech-fast.container: WAV, # s in # bytes
    pass speech-fast.content-type: audio/wav
    pass speech-mp3.container: MP# # s in # bytes
    pass speech-mp3.content-type: audio/mpeg
    pass speech-wav.length: # s for # characters
    pass speech-default.same-length: # s, and # s in WAV
    pass speech-opus.same-length: # s, and # s in WAV
    pass speech-fast.speed: # s, and # s at speed #
    pass speech-mp3.speed: # s, and # s at speed #
    pass transcription-json: status #
    pass transcription-text: status #
    pass transcription-srt: status #
    pass transcription-vtt: status #
    pass transcription-verbose: status #
    pass upload-mp3: status #
    pass upload-wav: status #
    pass upload-webm: status #
    pass transcription-no-file: status #
    pass transcription-no-model: status #
    pass transcription-format: status #
    pass transcription-txt: status #
    pass broken-form: status #
    pass transcription-too-large: status #
    pass transcription-json.text: a string
    pass transcription-json.language: a string
    pass transcription-json.duration: a number
    pass transcription-json.segments: an array
    pass transcription-json.start: # × a number
    pass transcription-json.end: # × a number
    pass transcription-json.segment-text: # × a string
    pass transcription-json.length: # s for a recording of # s
    pass transcription-json.times: # in order
    pass transcription-json.whole: # of # words differ from the text
    pass transcription-json.words: # of # words differ from what is said
    pass upload-mp3.language: en
    open transcription-verbose.parts: segments: # words: #
    pass transcription-text.plain: plain
    pass transcription-srt.plain: plain
    pass transcription-vtt.plain: plain
    pass transcription-srt.times: # in order
    pass transcription-vtt.times: # in order
    pass transcription-text.same-words: # of # words differ from the default format
    pass transcription-srt.same-words: # of # words differ from the default format
    pass transcription-vtt.same-words: # of # words differ from the default format
    pass transcription-verbose.same-words: # of # words differ from the default format
    pass transcription-srt.same-times: # alike
    pass transcription-vtt.same-times: # alike
    pass missing-key-chat: status #
    pass missing-key-models: status #
    pass missing-key-speech: status #
    pass missing-key-transcription: status #
    pass unknown-key-chat: status #
    pass unknown-key.type: authentication_error
    pass unknown-key.code: invalid_api_key
    pass unknown-path: status #
    pass get-chat: status #
    pass post-models: status #
    pass error-body.400: # bodies
    pass error-body.401: # bodies
    pass error-body.413: # bodies
    unchecked error-body.429: no request was limited; weir limits provokes a limit on purpose
    unchecked error-body.402: the key has credits
    pass server-errors: none
    pass headers.chat: all four
    pass headers.stream: all four
    pass headers.models: all four
    pass headers.speech: all four
    pass headers.transcription: all four
    pass headers.refusals: all four
    open limit.requests: the limit is #
    pass remaining.requests: # of #
    pass limit.tokens: #
    pass remaining.tokens: # of #
    pass remaining.falls: # then #
    pass root-models: status #
    pass root-chat: status #"
  `);
});

it('a gateway with faults is accused of them, and of nothing else', async () => {
  const found: Record<string, readonly string[]> = {};
  for (const fault of ['no-done', 'reasoning', 'broken-event', 'html-200', 'status-500'] as const) {
    const report = await checkMock(
      { faults: [{ fault, routes: ['chat'], every: 1 }] },
      { only: ['streams'] },
    );
    found[fault] = findingsIn(report);
  }
  expect(found).toMatchInlineSnapshot(`
    {
      "broken-event": [
        "violation stream.json",
      ],
      "html-200": [
        "violation stream",
        "violation stream-usage",
        "violation stream-refused",
      ],
      "no-done": [
        "violation stream.done",
      ],
      "reasoning": [],
      "status-500": [
        "violation stream",
        "violation stream-usage",
        "violation stream-refused",
      ],
    }
  `);
});
