import { sums, type FormTokens, type UsageForm, usageForm } from './usage-form.fixture.ts';
import { insideForms } from './usage-inside.fixture.ts';

/** This file lists the forms in which servers report usage, each with its source and what it means. */

const anthropic = 'docs.claude.com: prompt caching, tracking cache performance';
const xai = 'docs.x.ai: consumption and rate limits, reasoning tokens';
const gemini = 'ai.google.dev/api: UsageMetadata';
const bedrock = 'docs.aws.amazon.com/bedrock: API_runtime_TokenUsage';
const litellm = 'BerriAI/litellm: litellm/types/utils.py, Usage';
const besideForms: readonly UsageForm[] = [
  usageForm(
    'Anthropic, cache read',
    anthropic,
    {
      input_tokens: 50,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 100_000,
      output_tokens: 503,
    },
    { input: 50, cachedInput: 100_000, output: 503 },
  ),
  usageForm(
    'Anthropic, cache write',
    anthropic,
    {
      input_tokens: 2048,
      cache_read_input_tokens: 1800,
      cache_creation_input_tokens: 248,
      output_tokens: 503,
      cache_creation: { ephemeral_5m_input_tokens: 148, ephemeral_1h_input_tokens: 100 },
    },
    { input: 2048, cachedInput: 1800, cacheWrite: 248, output: 503 },
  ),
  usageForm(
    'Anthropic, no cache',
    anthropic,
    {
      input_tokens: 12,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: 7,
      service_tier: 'standard',
    },
    { input: 12, output: 7 },
  ),
  usageForm(
    'Anthropic through a proxy, which renames only the main counts',
    'QuantumNous/new-api: claude usage',
    { ...sums(50, 503), cache_read_input_tokens: 1000, cache_creation_input_tokens: 10 },
    { input: 50, cachedInput: 1000, cacheWrite: 10, output: 503 },
  ),
  usageForm(
    'LiteLLM, Claude: inside, named twice',
    litellm,
    {
      ...sums(2100, 30),
      prompt_tokens_details: { cached_tokens: 2000, cache_creation_tokens: 60 },
      cache_creation_input_tokens: 60,
      cache_read_input_tokens: 2000,
    },
    { input: 40, cachedInput: 2000, cacheWrite: 60, output: 30 },
  ),
  usageForm(
    'LiteLLM, Claude: inside without details',
    litellm,
    { ...sums(2100, 30), cache_creation_input_tokens: 60, cache_read_input_tokens: 2000 },
    { input: 40, cachedInput: 2000, cacheWrite: 60, output: 30 },
  ),
  usageForm(
    'a proxy whose total shows that the cache is beside',
    'BerriAI/litellm 1.50: total of Anthropic with caching',
    { ...sums(300, 30, 250), cache_creation_input_tokens: 50, cache_read_input_tokens: 200 },
    { input: 300, cachedInput: 200, cacheWrite: 50, output: 30 },
  ),
  usageForm(
    'Bedrock Converse',
    bedrock,
    {
      inputTokens: 20,
      outputTokens: 50,
      totalTokens: 1670,
      cacheReadInputTokens: 1500,
      cacheWriteInputTokens: 100,
    },
    { input: 20, cachedInput: 1500, cacheWrite: 100, output: 50 },
  ),
  usageForm(
    'xAI, reasoning',
    xai,
    { ...sums(14, 1, 317), completion_tokens_details: { reasoning_tokens: 317 } },
    {
      input: 14,
      output: 1,
      reasoning: 317,
    },
  ),
  usageForm(
    'xAI, cached and reasoning',
    'Wei-Shaw/sub2api issue 5771, with xAI’s own bill',
    {
      ...sums(10_120, 1499, 2809),
      prompt_tokens_details: { cached_tokens: 128 },
      completion_tokens_details: { reasoning_tokens: 2809 },
    },
    { input: 9992, cachedInput: 128, output: 1499, reasoning: 2809 },
  ),
  usageForm(
    'xAI, without a total',
    'vercel/ai pull 12425: reasoning above completion_tokens',
    {
      prompt_tokens: 12,
      completion_tokens: 1,
      completion_tokens_details: { reasoning_tokens: 386 },
    },
    { input: 12, output: 1, reasoning: 386 },
  ),
  usageForm(
    'a Gemini proxy: no text, only thoughts',
    'router-for-me/CLIProxyAPI issue 5733',
    { ...sums(21, 0, 60), completion_tokens_details: { reasoning_tokens: 60 } },
    { input: 21, reasoning: 60 },
  ),
];

const geminiForm = (name: string, usageMetadata: object, tokens: FormTokens): UsageForm => ({
  name,
  source: gemini,
  fields: { usageMetadata },
  tokens,
});

const geminiForms: readonly UsageForm[] = [
  geminiForm(
    'Gemini, thoughts',
    {
      promptTokenCount: 7477,
      candidatesTokenCount: 2060,
      totalTokenCount: 11_476,
      thoughtsTokenCount: 1939,
    },
    { input: 7477, output: 2060, reasoning: 1939 },
  ),
  geminiForm(
    'Gemini, thoughts without a total',
    { promptTokenCount: 20, candidatesTokenCount: 198, thoughtsTokenCount: 105 },
    { input: 20, output: 198, reasoning: 105 },
  ),
  geminiForm(
    'Gemini, only thoughts',
    { promptTokenCount: 21, thoughtsTokenCount: 60, totalTokenCount: 81 },
    { input: 21, reasoning: 60 },
  ),
  geminiForm(
    'Gemini, cached content',
    {
      promptTokenCount: 1500,
      cachedContentTokenCount: 1400,
      candidatesTokenCount: 10,
      totalTokenCount: 1510,
    },
    { input: 100, cachedInput: 1400, output: 10 },
  ),
  geminiForm(
    'Gemini, tools’ results beside the prompt',
    {
      promptTokenCount: 30,
      toolUsePromptTokenCount: 500,
      candidatesTokenCount: 20,
      thoughtsTokenCount: 50,
      totalTokenCount: 600,
    },
    { input: 530, output: 20, reasoning: 50 },
  ),
  geminiForm(
    'Gemini, audio by modality',
    {
      promptTokenCount: 330,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 10 },
        { modality: 'AUDIO', tokenCount: 320 },
      ],
      cachedContentTokenCount: 100,
      cacheTokensDetails: [{ modality: 'AUDIO', tokenCount: 100 }],
      candidatesTokenCount: 40,
      candidatesTokensDetails: [{ modality: 'AUDIO', tokenCount: 25 }],
      totalTokenCount: 370,
    },
    { input: 10, cachedInput: 100, audioInput: 220, output: 15, audioOutput: 25 },
  ),
];

const otherForms: readonly UsageForm[] = [
  {
    name: 'Groq, in a chunk',
    source: 'groq/groq-python: ChatCompletionChunk.x_groq',
    fields: { x_groq: { usage: { ...sums(50, 6), prompt_tokens_details: { cached_tokens: 32 } } } },
    tokens: { input: 18, cachedInput: 32, output: 6 },
  },
  {
    name: 'llama.cpp, timings',
    source: 'ggml-org/llama.cpp: tools/server/README.md, timings',
    fields: { timings: { prompt_n: 1, cache_n: 236, predicted_n: 35 } },
    tokens: { input: 1, cachedInput: 236, output: 35 },
  },
  {
    name: 'SGLang, own API',
    source: 'sgl-project/sglang: meta_info',
    fields: { meta_info: { prompt_tokens: 40, completion_tokens: 8, cached_tokens: 32 } },
    tokens: { input: 8, cachedInput: 32, output: 8 },
  },
  {
    name: 'LangChain',
    source: 'langchain-ai/langchain: UsageMetadata',
    fields: {
      usage_metadata: {
        input_tokens: 350,
        output_tokens: 240,
        total_tokens: 590,
        input_token_details: { audio: 10, cache_creation: 200, cache_read: 100 },
        output_token_details: { audio: 10, reasoning: 200 },
      },
    },
    tokens: {
      input: 40,
      cachedInput: 100,
      cacheWrite: 200,
      audioInput: 10,
      output: 30,
      reasoning: 200,
      audioOutput: 10,
    },
  },
  {
    name: 'Bedrock, stream metadata',
    source: bedrock,
    fields: {
      metadata: {
        usage: { inputTokens: 8, outputTokens: 4, totalTokens: 1012, cacheReadInputTokens: 1000 },
      },
    },
    tokens: { input: 8, cachedInput: 1000, output: 4 },
  },
  {
    name: 'Bedrock, invocation metrics',
    source: 'docs.aws.amazon.com/bedrock: InvokeModelWithResponseStream',
    fields: {
      'amazon-bedrock-invocationMetrics': {
        inputTokenCount: 8,
        outputTokenCount: 4,
        cacheReadInputTokenCount: 90,
        cacheWriteInputTokenCount: 10,
      },
    },
    tokens: { input: 8, cachedInput: 90, cacheWrite: 10, output: 4 },
  },
  {
    name: 'a Responses event',
    source: 'openai/openai-openapi: response.completed',
    fields: {
      response: {
        usage: {
          input_tokens: 36,
          output_tokens: 87,
          total_tokens: 123,
          output_tokens_details: { reasoning_tokens: 64 },
        },
      },
    },
    tokens: { input: 36, output: 23, reasoning: 64 },
  },
  usageForm(
    'a total above the sum that nothing explains',
    'mozilla-ai/any-llm issue 1290',
    sums(20, 198, 405),
    { input: 20, output: 198 },
    true,
  ),
  usageForm(
    'a total below the sum',
    'chosen',
    { ...sums(20, 198), total_tokens: 100 },
    { input: 20, output: 198 },
    true,
  ),
  usageForm(
    'a total of none',
    'chosen',
    { ...sums(20, 198), total_tokens: 0 },
    { input: 20, output: 198 },
  ),
  usageForm(
    'parts above their whole that no total explains',
    'chosen',
    {
      ...sums(10, 5),
      prompt_tokens_details: { cached_tokens: 8, cache_write_tokens: 2, audio_tokens: 9 },
    },
    { cachedInput: 8, cacheWrite: 2, output: 5 },
  ),
];

export const usageForms: readonly UsageForm[] = [
  ...insideForms,
  ...besideForms,
  ...geminiForms,
  ...otherForms,
];
