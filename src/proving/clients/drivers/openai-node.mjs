/** What the official Node client sees of a gateway; run with WEIR_URL, WEIR_LIMITED_URL and WEIR_CLIP. Prints one JSON object. */
import { createReadStream } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { answerSchema, observe, picture, question, wordsIn } from './observe.mjs';

const resolve = createRequire(`${process.cwd()}/`).resolve;
const { default: OpenAI } = await import(pathToFileURL(resolve('openai')).href);

const model = 'weir/small';
const clientOf = (apiKey = 'sk-weir-test', baseURL = process.env.WEIR_URL) =>
  new OpenAI({ apiKey, baseURL, maxRetries: 0 });
const client = clientOf();
const messages = [{ role: 'user', content: question }];
const weather = {
  type: 'function',
  function: {
    name: 'weather',
    strict: true,
    parameters: answerSchema(['city'], { city: { type: 'string' } }),
  },
};

await observe({
  models: async () => (await client.models.list()).data.map(({ id }) => id),
  model: async () => (await client.models.retrieve('weir/large')).id,
  chat: async () => {
    const { choices, usage } = await client.chat.completions.create({
      model,
      messages,
      max_tokens: 12,
    });
    return [wordsIn(choices[0].message.content), choices[0].finish_reason, usage.completion_tokens];
  },
  stream: async () => {
    let text = '';
    let usage = null;
    const options = { stream: true, stream_options: { include_usage: true } };
    const body = { model, messages, max_tokens: 12, ...options };
    for await (const chunk of await client.chat.completions.create(body)) {
      text += chunk.choices[0]?.delta.content ?? '';
      usage = chunk.usage ?? usage;
    }
    return [wordsIn(text), usage.completion_tokens];
  },
  tools: async () => {
    const body = { model, messages, tools: [weather] };
    const { choices } = await client.chat.completions.create(body);
    const { name, arguments: text } = choices[0].message.tool_calls[0].function;
    return [name, typeof JSON.parse(text).city];
  },
  structured: async () => {
    const schema = answerSchema(['name', 'count'], {
      name: { type: 'string' },
      count: { type: 'integer', minimum: 3 },
    });
    const { choices } = await client.chat.completions.parse({
      model,
      messages,
      response_format: { type: 'json_schema', json_schema: { name: 'a', strict: true, schema } },
    });
    const { name, count } = choices[0].message.parsed;
    return [typeof name, count >= 3];
  },
  choices: async () => {
    const { choices } = await client.chat.completions.create({
      model,
      messages,
      max_tokens: 4,
      n: 3,
    });
    return choices.length;
  },
  logprobs: async () => {
    const { choices } = await client.chat.completions.create({
      model,
      messages,
      max_tokens: 4,
      logprobs: true,
    });
    return choices[0].logprobs.content.length;
  },
  image: async () => {
    const content = [
      { type: 'text', text: question },
      { type: 'image_url', image_url: { url: picture, detail: 'low' } },
    ];
    const body = { model, messages: [{ role: 'user', content }], max_tokens: 4 };
    return wordsIn((await client.chat.completions.create(body)).choices[0].message.content);
  },
  speech: async () => {
    const body = {
      model: 'weir-tts',
      voice: 'Emily.wav',
      input: 'Hello.',
      response_format: 'wav',
    };
    const audio = await client.audio.speech.create(body);
    return Buffer.from(await audio.arrayBuffer()).toString('latin1', 0, 4);
  },
  transcription: async () => {
    const file = createReadStream(process.env.WEIR_CLIP);
    return (await client.audio.transcriptions.create({ model: 'weir/whisper', file })).text;
  },
  wrongKey: () => clientOf('sk-no').models.list(),
  badRequest: () => client.chat.completions.create({ model, messages, temperature: 3 }),
  unknownModel: () => client.chat.completions.create({ model: 'weir/none', messages }),
  limited: async () => {
    const limited = clientOf('sk-weir-test', process.env.WEIR_LIMITED_URL);
    await limited.models.list();
    await limited.models.list();
  },
});
