import { sums, type UsageForm, usageForm } from './usage-form.fixture.ts';

/** This file lists the forms of usage in which all tokens of a class are inside the main counts. */

const openai = 'openai/openai-openapi: CompletionUsage';
const openrouter = 'openrouter.ai/docs: usage accounting, PromptTokensDetails';

const zeros = {
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
  completion_tokens_details: {
    reasoning_tokens: 0,
    audio_tokens: 0,
    accepted_prediction_tokens: 0,
    rejected_prediction_tokens: 0,
  },
};
export const insideForms: readonly UsageForm[] = [
  usageForm('OpenAI, plain', openai, sums(19, 10), { input: 19, output: 10 }),
  usageForm(
    'OpenAI, details of none',
    openai,
    { ...sums(19, 10), ...zeros },
    { input: 19, output: 10 },
  ),
  usageForm(
    'OpenAI, cached',
    openai,
    {
      ...sums(2006, 300),
      ...zeros,
      prompt_tokens_details: { cached_tokens: 1920, audio_tokens: 0 },
    },
    { input: 86, cachedInput: 1920, output: 300 },
  ),
  usageForm(
    'OpenAI, reasoning',
    openai,
    { ...sums(75, 1186), ...zeros, completion_tokens_details: { reasoning_tokens: 1024 } },
    { input: 75, output: 162, reasoning: 1024 },
  ),
  usageForm(
    'OpenAI, cached and reasoning',
    openai,
    {
      ...sums(1117, 46),
      prompt_tokens_details: { cached_tokens: 1024 },
      completion_tokens_details: { reasoning_tokens: 40 },
    },
    { input: 93, cachedInput: 1024, output: 6, reasoning: 40 },
  ),
  usageForm(
    'OpenAI, audio',
    openai,
    {
      ...sums(120, 90),
      prompt_tokens_details: { text_tokens: 20, audio_tokens: 100, cached_tokens: 0 },
      completion_tokens_details: { text_tokens: 30, audio_tokens: 60, reasoning_tokens: 0 },
    },
    { input: 20, audioInput: 100, output: 30, audioOutput: 60 },
  ),
  usageForm(
    'OpenAI Realtime, cached audio',
    'platform.openai.com: realtime costs, response.done',
    {
      total_tokens: 253,
      input_tokens: 132,
      output_tokens: 121,
      input_token_details: {
        text_tokens: 119,
        audio_tokens: 13,
        cached_tokens: 64,
        cached_tokens_details: { text_tokens: 60, audio_tokens: 4 },
      },
      output_token_details: { text_tokens: 30, audio_tokens: 91 },
    },
    { input: 59, cachedInput: 64, audioInput: 9, output: 30, audioOutput: 91 },
  ),
  usageForm(
    'OpenAI, rejected predictions are output',
    openai,
    {
      ...sums(450, 125),
      completion_tokens_details: { accepted_prediction_tokens: 60, rejected_prediction_tokens: 25 },
    },
    { input: 450, output: 125 },
  ),
  usageForm(
    'OpenAI Responses',
    'openai/openai-openapi: ResponseUsage',
    {
      input_tokens: 328,
      input_tokens_details: { cached_tokens: 64 },
      output_tokens: 52,
      output_tokens_details: { reasoning_tokens: 32 },
      total_tokens: 380,
    },
    { input: 264, cachedInput: 64, output: 20, reasoning: 32 },
  ),
  usageForm(
    'DeepSeek, cache hit and miss',
    'api-docs.deepseek.com/guides/kv_cache',
    { ...sums(1000, 40), prompt_cache_hit_tokens: 896, prompt_cache_miss_tokens: 104 },
    { input: 104, cachedInput: 896, output: 40 },
  ),
  usageForm(
    'DeepSeek, reasoner',
    'api-docs.deepseek.com/api/create-chat-completion',
    {
      ...sums(20, 500),
      prompt_cache_hit_tokens: 0,
      prompt_cache_miss_tokens: 20,
      completion_tokens_details: { reasoning_tokens: 480 },
    },
    { input: 20, output: 20, reasoning: 480 },
  ),
  usageForm(
    'Moonshot, cached at the top',
    'platform.moonshot.ai/docs: chat API, usage.cached_tokens',
    { ...sums(190, 13), cached_tokens: 150 },
    { input: 40, cachedInput: 150, output: 13 },
  ),
  usageForm(
    'OpenRouter, cache writes',
    openrouter,
    {
      ...sums(1194, 2),
      cost: 0.95,
      prompt_tokens_details: { cached_tokens: 194, cache_write_tokens: 900, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0 },
    },
    { input: 100, cachedInput: 194, cacheWrite: 900, output: 2 },
  ),
  usageForm(
    'OpenRouter, reasoning',
    openrouter,
    { ...sums(60, 700), completion_tokens_details: { reasoning_tokens: 650 } },
    { input: 60, output: 50, reasoning: 650 },
  ),
  usageForm(
    'DashScope, explicit cache',
    'help.aliyun.com/model-studio/context-cache',
    {
      ...sums(1251, 20),
      prompt_tokens_details: {
        cached_tokens: 0,
        cache_creation_input_tokens: 1229,
        cache_creation: { ephemeral_5m_input_tokens: 1229 },
        cache_type: 'ephemeral',
      },
    },
    { input: 22, cacheWrite: 1229, output: 20 },
  ),
  usageForm(
    'Z.ai, cached',
    'docs.z.ai/guides/capabilities/cache',
    { ...sums(1200, 300), prompt_tokens_details: { cached_tokens: 800 } },
    { input: 400, cachedInput: 800, output: 300 },
  ),
  usageForm(
    'Groq, cached and times',
    'console.groq.com/docs/prompt-caching',
    {
      queue_time: 0.026,
      prompt_time: 0.009,
      total_time: 0.66,
      ...sums(4641, 1817),
      prompt_tokens_details: { cached_tokens: 4608 },
    },
    { input: 33, cachedInput: 4608, output: 1817 },
  ),
  usageForm(
    'Mistral, audio seconds beside',
    'mistralai/client-python: UsageInfo',
    { ...sums(210, 12), prompt_audio_seconds: null },
    { input: 210, output: 12 },
  ),
  usageForm(
    'Perplexity, reasoning at the top',
    'docs.perplexity.ai: sonar deep research, usage',
    { ...sums(33, 900), reasoning_tokens: 600, citation_tokens: 0, num_search_queries: 3 },
    { input: 33, output: 300, reasoning: 600 },
  ),
  usageForm(
    'vLLM, details null',
    'vllm-project/vllm: entrypoints/openai/protocol.py, UsageInfo',
    { ...sums(10, 20), prompt_tokens_details: null },
    { input: 10, output: 20 },
  ),
  usageForm(
    'vLLM, prefix cache',
    'vllm-project/vllm: --enable-prompt-tokens-details',
    { ...sums(512, 20), prompt_tokens_details: { cached_tokens: 496 } },
    { input: 16, cachedInput: 496, output: 20 },
  ),
  usageForm(
    'SGLang, reasoning at the top',
    'sgl-project/sglang: entrypoints/openai/protocol.py, UsageInfo',
    { ...sums(30, 200), reasoning_tokens: 150, prompt_tokens_details: { cached_tokens: 16 } },
    { input: 14, cachedInput: 16, output: 50, reasoning: 150 },
  ),
  usageForm(
    'Azure, counts as texts',
    'seen of proxies: numbers in quotes',
    {
      prompt_tokens: '100',
      completion_tokens: '20',
      total_tokens: '120',
      prompt_tokens_details: { cached_tokens: '64' },
    },
    { input: 36, cachedInput: 64, output: 20 },
  ),
  usageForm(
    'AI SDK',
    'vercel/ai: LanguageModelUsage',
    {
      inputTokens: 100,
      outputTokens: 50,
      totalTokens: 150,
      reasoningTokens: 30,
      cachedInputTokens: 80,
    },
    { input: 20, cachedInput: 80, output: 20, reasoning: 30 },
  ),
];
