import { milliseconds } from '../../model/quantity.ts';
import {
  envoyActions,
  envoyBucket,
  envoyChatsOf,
  envoyRateLimit,
  envoyType,
  startEnvoy,
} from '../harness/envoy.ts';
import { provingKeys } from '../harness/server-process.ts';
import { startBeforeGateway } from '../harness/upstream.ts';
import type { TokenOptions } from './token-options.ts';

/** Envoy's local rate limit with the tokens of a chat as its cost, before our own gateway without limits. */

/** How Envoy is configured: the cost of chats, and what it limits. */
export interface EnvoyTerms {
  /** Its limit and its window, as multiples of the declared ones. */
  readonly limitFactor?: number;
  readonly windowFactor?: number;
  /** The cost of a chat in Lua, of its `prompt`, its `most` tokens of answer, and whether it `isStream`. */
  readonly cost?: string;
  /** Whether its cost is what was used, when the answer has ended. */
  readonly isAtEnd?: boolean;
  readonly hasHeaders?: boolean;
}

/** Reads a chat before it is limited, and its usage from the end of its answer. */
const script = (cost: string): string => `
function envoy_on_request(handle)
  if handle:headers():get(":path") ~= "/v1/chat/completions" then return end
  local body = handle:body()
  local text = body and body:getBytes(0, body:length()) or ""
  local prompt = math.ceil(#(string.match(text, '"content":"(.-)"') or "") / 4)
  local most = tonumber(string.match(text, '"max_tokens":(%d+)')) or 0
  local isStream = string.find(text, '"stream":true', 1, true) ~= nil
  local metadata = handle:streamInfo():dynamicMetadata()
  metadata:set("proving", "asked", ${cost})
  -- An answer that is cut off does not say it.
  metadata:set("proving", "used", prompt + most)
end
function envoy_on_response(handle)
  local text = ""
  for chunk in handle:bodyChunks() do
    local length = chunk:length()
    if length > 0 then text = string.sub(text .. chunk:getBytes(0, length), -4000) end
  end
  local used = string.match(text, '.*"total_tokens":%s*(%d+)')
  if used then handle:streamInfo():dynamicMetadata():set("proving", "used", tonumber(used)) end
end
`;

const lineOf = (fields: string): string =>
  `{"at":%START_TIME(%s%3f)%,"id":"%REQ(X-REQUEST-ID)%","asked":%DYNAMIC_METADATA(proving:asked)%,${fields}}`;

const limits = ['tokens', 'requests'] as const;

const rateLimits = (isAtEnd: boolean): readonly object[] => {
  const [tokens, requests] = limits.map((name) => ({ actions: envoyActions(name) }));
  const format = `%DYNAMIC_METADATA(proving:${isAtEnd ? 'used' : 'asked'})%`;
  const cost = { hits_addend: { format }, ...(isAtEnd ? { apply_on_stream_done: true } : {}) };
  return [{ ...tokens, ...cost }, { ...requests }];
};

export const envoyTokens =
  (terms: EnvoyTerms = {}) =>
  ({ tokens, requests, ...options }: TokenOptions) => {
    const { limitFactor = 1, windowFactor = 1, cost = 'prompt + most' } = terms;
    const seconds = 60 * windowFactor;
    const buckets = {
      tokens: envoyBucket(Math.round(limitFactor * tokens), seconds),
      requests: envoyBucket(requests, 60),
    };
    const limited = provingKeys.flatMap((key) =>
      limits.map((name) => envoyChatsOf(key, buckets[name], name)),
    );
    const lua = {
      name: 'envoy.filters.http.lua',
      typed_config: {
        ...envoyType('filters.http.lua', 'Lua'),
        default_source_code: { inline_string: script(cost) },
      },
    };
    const filter = envoyRateLimit({
      descriptors: limited,
      rate_limits: rateLimits(terms.isAtEnd === true),
      ...(terms.hasHeaders === true ? { enable_x_ratelimit_headers: 'DRAFT_VERSION_03' } : {}),
    });
    return startBeforeGateway(
      (gateway) =>
        startEnvoy(options, {
          gateway,
          filters: [lua, filter],
          chatLines: [
            [429, 429, lineOf('"admitted":false')],
            [200, 299, lineOf('"admitted":true,"used":%DYNAMIC_METADATA(proving:used)%')],
          ],
        }),
      { ttft: milliseconds(150), gap: milliseconds(4) },
    );
  };
