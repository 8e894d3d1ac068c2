/**
 * This file finds out whether the server itself ran tools for an answer, such as a web search. The results of tools may
 * count as prompt tokens, and calls of tools as answer tokens, although Weir neither sent nor received these tokens.
 */

type Fields = Readonly<Record<string, unknown>>;

/**
 * Matches the names of tool counts in a usage: `server_tool_use` (Anthropic), `web_search_requests` (OpenRouter),
 * `num_search_queries` and `search_context_size` (Perplexity), `num_sources_used` and `num_server_side_tools_used`
 * (xAI).
 */
const usageNames = /search|server_?(?:side_?)?tool|sources_?used|grounding/i;

/**
 * If one of these fields of a message or an answer is not empty, the server ran tools: `annotations` (OpenAI,
 * OpenRouter), `executed_tools` (Groq), `citations` and `search_results` (Perplexity), `groundingMetadata` (Gemini).
 */
export const serverToolTraces: readonly string[] = [
  'annotations',
  'executed_tools',
  'citations',
  'search_results',
  'grounding_metadata',
  'groundingMetadata',
  'web_search',
  'web_search_results',
];

/** The greatest depth at which counts are searched in a usage. */
const maxDepth = 3;

const isSome = (value: unknown, depth = 0): boolean => {
  if (typeof value === 'number') return value > 0;
  if (typeof value === 'string') return value !== '';
  if (typeof value !== 'object' || value === null || depth > maxDepth) return false;
  if (Array.isArray(value)) return value.length > 0;
  return Object.values(value).some((inner) => isSome(inner, depth + 1));
};

/** Finds a field in a usage that shows that the server ran tools. Returns its name; `null` if there is none. */
export const serverToolInUsage = (usage: Fields): string | null => {
  for (const name in usage) if (usageNames.test(name) && isSome(usage[name])) return name;
  return null;
};

/**
 * Finds a field in a message or an answer that shows that the server ran tools. Returns its name; `null` if there is
 * none.
 */
export const serverToolIn = (fields: Fields): string | null =>
  serverToolTraces.find((name) => isSome(fields[name])) ?? null;
