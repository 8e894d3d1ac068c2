/**
 * This file lists the sentences and table rows of the interface specification. Each line has an id, which begins with
 * the number of a section, and a text. If no request can check the line, a third part says why. The checks refer to the
 * ids.
 */

const table = `
2.1.string | A model identifier is a string.
2.1.form | Chat model ids have the form publisher/model_name.
2.1.catalogue | The catalogue of ids is returned by the model-listing endpoint.
2.1.audio | The catalogue has two audio models: one text-to-speech id, and one speech-to-text id of the form publisher/model_name.
2.1.context | Context windows range from about 131K to about 1050K tokens. | the interface has no field for a context window, and to fill one would cost a million tokens
2.1.labels | The capability labels are Functions, Reasoning, Vision and Coding. | the interface has no field for labels
2.2.id | id: string, the model identifier.
2.2.object | object: string, always model.
2.2.created | created: integer, a Unix timestamp.
2.2.owned_by | owned_by: string, the publisher label.
2.2.list | The list has object = list, and data = an array of model objects.
2.3.role | role: string, required, one of system, user, assistant.
2.3.content | content: string, required, the message text.
2.3.other | Messages of other roles, content that is no string, tool calls and tool results in messages: not shown. | the specification leaves it open
2.4.id | id: string, the unique response identifier.
2.4.object | object: string, always chat.completion.
2.4.created | created: integer, a Unix timestamp.
2.4.model | model: string, the model used.
2.4.choices | choices: array, the generated completions.
2.4.index | choices[].index: integer, the position.
2.4.message | choices[].message: object with role (assistant) and content (string).
2.4.finish_reason | choices[].finish_reason: string, one of stop, length, tool_calls.
2.4.usage | usage: object with prompt_tokens, completion_tokens, total_tokens (integers).
2.5.object | A chunk has object = chat.completion.chunk.
2.5.id | A chunk carries id.
2.5.choices | A chunk carries choices[], each with delta.
2.5.content | Text increments are in choices[].delta.content.
2.6.type | type of a tool: string, function.
2.6.name | function.name: string.
2.6.description | function.description: string.
2.6.parameters | function.parameters: a JSON-Schema-style object with type = object, properties and required.
2.7.text | text: string, the full transcript.
2.7.language | language: string, the detected or given language code.
2.7.duration | duration: number, the audio length in seconds.
2.7.segments | segments: array, each with start and end (numbers, seconds) and text (string).
2.7.plain | For text, srt and vtt the body is plain text in that format.
2.7.verbose | Fields added by verbose_json, and the shape of word timestamps: not shown.
2.8.audio | Speech is a binary audio body in the requested format.
2.9.prefix | A key carries a fixed service prefix. | the specification omits the prefix
2.9.creation | A key has a name, and is displayed only once. | it happens in the dashboard
2.9.limits | Each key has its own independent rate limits. | it takes two keys and a hundred requests: weir limits --second-key NAME
3.states | No resource with states is exposed. | there is nothing to request
4.auth | All endpoints require the Authorization header.
4.json | Request bodies for chat are application/json.
4.form | Transcription requests are multipart/form-data.
4.1.model | model: string, required.
4.1.messages | messages: array of message objects, required.
4.1.max_tokens | max_tokens: integer, the maximum tokens to generate; default of the model.
4.1.temperature | temperature: number, range 0 to 2, default 1.0.
4.1.top_p | top_p: number, range 0 to 1, default 1.0.
4.1.top_k | top_k: integer, top-k sampling.
4.1.stream | stream: boolean, stream partial responses, default false.
4.1.stop | stop: string or array of strings, up to 4 stop sequences.
4.1.presence_penalty | presence_penalty: number, range -2 to 2, default 0.
4.1.frequency_penalty | frequency_penalty: number, range -2 to 2, default 0.
4.1.response_format | response_format: object; {type: json_object} forces valid JSON output.
4.1.tools | tools: array of tool definitions.
4.1.response | Response 200: a chat completion object, Content-Type JSON.
4.1.tool_calls | When the model ends by calling a tool, finish_reason is tool_calls.
4.1.tool_shape | The shape of the tool-call data in the message: not shown.
4.1.events | A stream is Server-Sent Events: each event is a line data: <chunk JSON> followed by a blank line.
4.1.done | A stream ends with the literal line data: [DONE].
4.1.stream_usage | Whether usage or finish_reason appear in chunks: not shown.
4.2.models | GET /models, without a body, answers 200 with the model list.
4.3.model | model: string, required, the text-to-speech model.
4.3.input | input: string, required, the text to speak.
4.3.long | No hard cap on the length of input is stated. | proving the absence of a cap would cost any amount of speech
4.3.voice | voice: string, required, a predefined file name with .wav; names of other styles are rejected as unsupported.
4.3.voices | 28 English voices exist. | the specification omits their names, and no endpoint lists them
4.3.response_format | response_format: mp3, wav or opus; default mp3.
4.3.speed | speed: number, playback multiplier, default 1.0; about 0.5 to 2.0 is natural.
4.3.response | Response 200: binary audio in the requested format.
4.3.type | Content-Type of speech: not shown.
4.4.file | file: required; mp3, m4a, wav, webm.
4.4.aliases | mp4, mpeg and mpga are accepted as well, and another table has ogg. | the first three are other names for the same containers, and a minute allows no more requests
4.4.model | model: string, required, the speech-to-text model.
4.4.language | language: string, a language code; detected by default.
4.4.response_format | response_format: json, text, srt, vtt or verbose_json; default json.
4.4.granularities | timestamp_granularities: word or segment, as repeated field timestamp_granularities[], used with verbose_json.
4.4.response | Response 200: a transcription.
4.4.size | Maximum file size 25 MB.
5.1 | Every request carries the header Authorization: Bearer <API_KEY>.
5.2 | Keys are created in the dashboard. | it happens in the dashboard
5.3 | A missing or invalid key yields status 401.
5.4 | Keys must not be exposed; rotation is recommended. | it is advice to clients
5.5 | The other protocol at the service root accepts the same key; its header names: not shown. | the specification leaves it open
5.6 | Key expiry, revocation and scopes: not shown. | the specification leaves it open
6.events | Webhooks, callbacks, notifications: not shown. | the specification leaves it open
7.200 | 200: success.
7.400 | 400: invalid parameters or malformed request; for audio also unsupported format and file too large.
7.401 | 401: invalid or missing API key; type authentication_error, code invalid_api_key.
7.402 | 402: insufficient credits; type payment_error, code insufficient_credits.
7.413 | 413: payload too large (audio).
7.429 | 429: rate limit exceeded; type rate_limit_error, code rate_limit_exceeded.
7.429_key | A further 429 form: message names key, limit type, limit, remaining and reset; type and param are None, code is 429.
7.500 | 500: server error, retry later.
7.body | Error body: {error: {message, type, code}}, all three strings.
7.other | Bodies for 400, 413 and 500: not shown beyond the status codes.
7.retry | Clients should retry 429 and transient failures with backoff. | it is advice to clients
8.requests | 60 requests per minute per API key.
8.tokens | 2,000,000 tokens per minute per API key.
8.size | Audio file size 25 MB per request.
8.stop | Up to 4 stop sequences per chat request.
8.temperature | Temperature 0 to 2.
8.top_p | top_p 0 to 1.
8.penalties | Penalties -2 to 2.
8.headers | Rate-limit headers are on every response.
8.limit_requests | x-ratelimit-api_key-limit-requests: maximum requests per minute.
8.remaining_requests | x-ratelimit-api_key-remaining-requests: requests remaining this minute.
8.limit_tokens | x-ratelimit-api_key-limit-tokens: maximum tokens per minute.
8.remaining_tokens | x-ratelimit-api_key-remaining-tokens: tokens remaining this minute.
8.exceeded | When either limit is exceeded the service answers 429. | it takes more requests than the limit: weir limits
8.enterprise | Higher limits can be agreed. | it is outside the interface
8.prices | Speech costs 0.000015 per character, transcription 0.0001 per second. | the usage history is in the dashboard
8.audio | Separate limits for audio endpoints: not shown. | the specification leaves it open
9.1 | The version is in the path prefix /v1 of the base address; requests without it yield 404.
9.2 | Negotiation, deprecation and other versions: not shown. | the specification leaves it open
`;

export interface InterfaceRow {
  readonly id: string;
  readonly section: string;
  readonly sentence: string;
  /** The reason why no request can show the content of the row; `null` if a request can. */
  readonly unseen: string | null;
}

const rowOf = (line: string): InterfaceRow => {
  const [id = '', sentence = '', unseen = null] = line.split(' | ');
  const section = /^\d(\.\d+)?(?=\.[a-z0-9_]+$)/.exec(id)?.[0] ?? id;
  return { id, section: /^[5-9]\./.test(id) ? id.slice(0, 1) : section, sentence, unseen };
};

export const interfaceRows: ReadonlyMap<string, InterfaceRow> = new Map(
  table
    .trim()
    .split('\n')
    .map(rowOf)
    .map((row) => [row.id, row]),
);
