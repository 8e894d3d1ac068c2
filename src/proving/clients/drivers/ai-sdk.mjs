/** What the Vercel AI SDK sees of a gateway; run as openai-node.mjs. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { answerSchema, observe, picture, question, wordsIn } from './observe.mjs';

const resolve = createRequire(`${process.cwd()}/`).resolve;
const load = (name) => import(pathToFileURL(resolve(name)).href);
const [ai, { createOpenAICompatible }, { createOpenAI }] = await Promise.all(
  ['ai', '@ai-sdk/openai-compatible', '@ai-sdk/openai'].map(load),
);

const providerOf = (apiKey = 'sk-weir-test', baseURL = process.env.WEIR_URL) =>
  createOpenAICompatible({
    name: 'weir',
    apiKey,
    baseURL,
    includeUsage: true,
    supportsStructuredOutputs: true,
  });
const model = providerOf()('weir/small');
/** Speech and transcription are in the provider for OpenAI only. */
const audio = createOpenAI({ apiKey: 'sk-weir-test', baseURL: process.env.WEIR_URL });
const common = { model, prompt: question, maxRetries: 0 };
const city = ai.jsonSchema(answerSchema(['city'], { city: { type: 'string' } }));

await observe({
  chat: async () => {
    const { text, finishReason, usage } = await ai.generateText({ ...common, maxOutputTokens: 12 });
    return [wordsIn(text), finishReason, usage.outputTokens];
  },
  stream: async () => {
    const result = ai.streamText({ ...common, maxOutputTokens: 12 });
    let text = '';
    for await (const piece of result.textStream) text += piece;
    return [wordsIn(text), (await result.usage).outputTokens];
  },
  tools: async () => {
    const tools = { weather: ai.tool({ inputSchema: city }) };
    const { toolCalls } = await ai.generateText({ ...common, tools });
    return [toolCalls[0].toolName, typeof toolCalls[0].input.city];
  },
  structured: async () => {
    const properties = { name: { type: 'string' }, count: { type: 'integer', minimum: 3 } };
    const schema = ai.jsonSchema(answerSchema(['name', 'count'], properties));
    const { output } = await ai.generateText({ ...common, output: ai.Output.object({ schema }) });
    return [typeof output.name, output.count >= 3];
  },
  image: async () => {
    const content = [
      { type: 'text', text: question },
      { type: 'image', image: picture },
    ];
    const messages = [{ role: 'user', content }];
    const { text } = await ai.generateText({ model, messages, maxOutputTokens: 4, maxRetries: 0 });
    return wordsIn(text);
  },
  speech: async () => {
    const { audio: spoken } = await ai.generateSpeech({
      model: audio.speech('weir-tts'),
      text: 'Hello.',
      voice: 'Emily.wav',
      outputFormat: 'wav',
      maxRetries: 0,
    });
    return Buffer.from(spoken.uint8Array).toString('latin1', 0, 4);
  },
  transcription: async () => {
    const request = {
      model: audio.transcription('weir/whisper'),
      audio: readFileSync(process.env.WEIR_CLIP),
      maxRetries: 0,
    };
    const brief = await ai.transcribe(request).catch((error) => error);
    const providerOptions = { openai: { responseFormat: 'verbose_json' } };
    const { text } = await ai.transcribe({ ...request, providerOptions });
    return [brief.constructor.name, brief.statusCode, text];
  },
  wrongKey: () => ai.generateText({ ...common, model: providerOf('sk-no')('weir/small') }),
  badRequest: () => ai.generateText({ ...common, temperature: 3 }),
  unknownModel: () => ai.generateText({ ...common, model: providerOf()('weir/none') }),
  limited: async () => {
    const limited = providerOf('sk-weir-test', process.env.WEIR_LIMITED_URL)('weir/small');
    await ai.generateText({ ...common, model: limited });
    await ai.generateText({ ...common, model: limited });
  },
});
