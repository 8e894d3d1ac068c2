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
  /** What it counts; the whole chat by default. */
  readonly counts?: keyof typeof countedParts;
  /** Whether all keys share one limit of tokens. */
  readonly isOfTeam?: boolean;
}

/** A part of a chat in Lua, and the field of usage that has it. */
const countedParts = {
  all: ['prompt + most', 'total_tokens'],
  input: ['prompt', 'prompt_tokens'],
  output: ['most', 'completion_tokens'],
} as const;

/** Reads a chat before it is limited, and its usage from the end of its answer. */
const script = (cost: string, [most, field]: readonly [string, string]): string => `
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
  metadata:set("proving", "used", ${most})
end
function envoy_on_response(handle)
  local text = ""
  for chunk in handle:bodyChunks() do
    local length = chunk:length()
    if length > 0 then text = string.sub(text .. chunk:getBytes(0, length), -4000) end
  end
  local used = string.match(text, '.*"${field}":%s*(%d+)')
  if used then handle:streamInfo():dynamicMetadata():set("proving", "used", tonumber(used)) end
end
`;

const lineOf = (fields: string): string =>
  `{"at":%START_TIME(%s%3f)%,"id":"%REQ(X-REQUEST-ID)%","asked":%DYNAMIC_METADATA(proving:asked)%,${fields}}`;

const limits = ['tokens', 'requests'] as const;

/** The place of the key in the actions and descriptors, which a limit of a team leaves out. */
const afterKey = 1;

const rateLimits = (isAtEnd: boolean, isOfTeam: boolean): readonly object[] => {
  const [tokens, requests] = limits.map((name) => ({
    actions: envoyActions(name).slice(isOfTeam && name === 'tokens' ? afterKey : 0),
  }));
  const format = `%DYNAMIC_METADATA(proving:${isAtEnd ? 'used' : 'asked'})%`;
  const cost = { hits_addend: { format }, ...(isAtEnd ? { apply_on_stream_done: true } : {}) };
  return [{ ...tokens, ...cost }, { ...requests }];
};

export const envoyTokens =
  (terms: EnvoyTerms = {}) =>
  ({ tokens, requests, window = 60_000, ...options }: TokenOptions) => {
    const { limitFactor = 1, windowFactor = 1, counts = 'all', isOfTeam = false } = terms;
    const { cost = countedParts[counts][0] } = terms;
    const seconds = windowFactor * (window / 1000);
    const buckets = {
      tokens: envoyBucket(Math.round(limitFactor * tokens), seconds),
      requests: envoyBucket(requests, window / 1000),
    };
    const ownLimits = limits.filter((name) => !isOfTeam || name !== 'tokens');
    const limited: { readonly entries: readonly object[] }[] = provingKeys.flatMap((key) =>
      ownLimits.map((name) => envoyChatsOf(key, buckets[name], name)),
    );
    if (isOfTeam) {
      const one = envoyChatsOf(provingKeys[0], buckets.tokens, 'tokens');
      limited.push({ ...one, entries: one.entries.slice(afterKey) });
    }
    const lua = {
      name: 'envoy.filters.http.lua',
      typed_config: {
        ...envoyType('filters.http.lua', 'Lua'),
        default_source_code: { inline_string: script(cost, countedParts[counts]) },
      },
    };
    const filter = envoyRateLimit({
      descriptors: limited,
      rate_limits: rateLimits(terms.isAtEnd === true, isOfTeam),
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
