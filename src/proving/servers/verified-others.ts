import { found, ranges, type VerifiedFinding } from './verified-finding.ts';

/** What `weir check` reports of servers that it was not made with at hand. */

const portkeySource = '`build/start-server.js`';

export const portkeyFindings: readonly VerifiedFinding[] = [
  found(
    `temperature-below ${ranges.replace(' stop-five', '')}`,
    'a number outside its range becomes the nearest in it',
    `${portkeySource}: where a parameter is read, \`n<a.min?n=a.min\``,
  ),
  found(
    'top_k-fraction',
    'a parameter that OpenAI does not have is left out',
    `${portkeySource}: only the parameters of the provider’s table are passed on`,
  ),
  found(
    'no-model speech-no-model',
    'a model that is missing is filled in, which our gateway does not have',
    `${portkeySource}: \`model:{param:"model",required:!0,default:…}\`, and each provider’s default changes the same table`,
  ),
  found(
    'broken-json broken-form',
    'a body that cannot be read is a 500',
    `${portkeySource}: \`chatCompletionsHandler error\`, “Something went wrong”`,
  ),
  found(
    'transcription-text.plain transcription-srt.plain transcription-vtt.plain',
    'a text becomes the field `html-message` of an object',
    `${portkeySource}: \`html-message\``,
  ),
];

export const sglangFindings: readonly VerifiedFinding[] = [
  found(
    'models.created models.audio missing-key-models',
    'the list is the router’s own: one model, `unknown`, without a time, and without a look at the key',
    '`sgl-model-gateway/src/routers/router_manager.rs`: `get_models`',
  ),
  found(
    'bounds-low top_p.low',
    'top_p has to be above 0',
    '`sgl-model-gateway/src/protocols/sampling_params.rs`: `validate_top_p_value`',
  ),
  found(
    'no-model',
    'a model that is missing is `unknown`, for which there is no worker: 404',
    '`sgl-model-gateway/src/protocols/chat.rs`: `default_model`; `routers/openai/router.rs`: `model_not_found`',
  ),
  found(
    'error-body.400',
    'the code of a refused value is the number 400',
    '`sgl-router/src/protocols/validated.rs`: `"code": 400`',
  ),
  found(
    'headers.chat headers.stream headers.models headers.refusals',
    'of the headers of an answer only the content type is passed on',
    '`sgl-model-gateway/src/routers/openai/router.rs`: `route_chat`',
  ),
];

const noPart =
  'temperature-text max_tokens-text stream-text tools-text no-model no-messages no-role no-content unknown-model';
const notRead = `temperature-below ${ranges} stop-number top_k-fraction stop.low-obeyed stop.high-obeyed`;
const noKeys = 'missing-key-chat unknown-key-chat';

export const mockLlmFindings: readonly VerifiedFinding[] = [
  found(
    'models.created models.form models.audio',
    'its list has one model, `gpt-5.2`, without a time',
    '`src/config.ts`: `getDefaultConfig`',
  ),
  found(
    'chat.created chat.index chat.positions chat.usage chat.prompt-tokens chat.completion-tokens chat.total-tokens',
    'the answer that it comes with has none of these fields',
    '`src/config.ts`: `getDefaultConfig`',
  ),
  found(
    `${noPart} ${notRead} messages-text`,
    'any object is answered with its last message',
    '`src/server.ts`: a request is only matched with rules; the rule for chats is `@`, which always matches',
  ),
  found(
    'json-mode',
    'a message with quotation marks makes a document that cannot be parsed: 500',
    '`src/config.ts`: `"content": "{{jmes request body.messages[-1].content}}"`; `src/server.ts`: `JSON.parse(body)`',
  ),
  found(
    'error-body.400',
    'an error has its name where its object should be',
    '`src/server.ts`: `error: err.name`',
  ),
  found(`${noKeys} missing-key-models`, 'no key is asked for', '`src/server.ts`'),
  found(
    'headers.chat headers.stream headers.models',
    'no such headers are sent',
    '`src/server.ts`',
  ),
];

export const fakeLlmFindings: readonly VerifiedFinding[] = [
  found('models missing-key-models', 'there is no model list', '`fakellm/server.py`'),
  found(
    `${noPart} ${notRead}`,
    'any object is answered with the same text',
    '`fakellm/server.py`: `_handle`; `fakellm/responder.py`: `build_response`',
  ),
  found('json-mode.valid', 'the answer is a text in JSON mode, too', '`fakellm/responder.py`'),
  found(
    'broken-json messages-text',
    'what cannot be read is a 500',
    '`fakellm/server.py`: `body = await request.json()`, without a handler for its errors; `fakellm/_state.py`',
  ),
  found(noKeys, 'no key is asked for', '`fakellm/server.py`'),
  found('headers.chat headers.stream', 'no such headers are sent', '`fakellm/server.py`'),
];
