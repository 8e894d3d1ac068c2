import type { SettingsInput } from '../../mock/settings/settings.ts';
import type { CheckProfile } from '../../verbs/check/model/check-choices.ts';
import { milliseconds } from '../../model/quantity.ts';
import { startHaproxy, startNginx } from '../harness/debian-proxies.ts';
import { startEnvoy } from '../harness/envoy.ts';
import { provingKeys } from '../harness/server-process.ts';
import { startBeforeGateway } from '../harness/upstream.ts';
import { startLiteLlm } from '../limiters/litellm/start-litellm.ts';
import { startLlama } from './model-servers.ts';
import type { ServerCase } from './server-case.ts';
import { startFakeLlm, startMockLlm, startPortkey, startSglangRouter } from './other-servers.ts';
import { startAimock, startLlmock } from './simulators.ts';
import type { VerifiedFinding } from './verified-finding.ts';
import {
  aimockFindings,
  liteLlmFindings,
  llmockFindings,
  lockedLlamaFindings,
  nginxAsItComes,
  openLlamaFindings,
} from './verified-findings.ts';
import {
  fakeLlmFindings,
  mockLlmFindings,
  portkeyFindings,
  sglangFindings,
} from './verified-others.ts';

/** A server of others whose interface `weir check` examines. */
export interface CheckedServer {
  readonly name: string;
  readonly start: ServerCase['start'];
  /** The profile that fits it. */
  readonly profile: CheckProfile;
  /** All that a check without a profile reports of it. */
  readonly findings: readonly VerifiedFinding[];
  /** Options that name models, where those of the list are not the ones to use. */
  readonly words?: readonly string[];
}

/** Our own gateway as the specification has it, behind a proxy. */
const asSpecified: SettingsInput = {
  ttft: milliseconds(2),
  gap: milliseconds(1),
  limits: { requestsPerMinute: 60, tokensPerMinute: 2_000_000 },
};

/** A gateway that lets the requests through that another one before it should have refused. */
const roomySpecified: SettingsInput = {
  ...asSpecified,
  limits: { requestsPerMinute: 90, tokensPerMinute: 2_000_000 },
};

const nginx = (
  name: string,
  lines: string,
  findings: CheckedServer['findings'] = [],
): CheckedServer => ({
  name: `nginx, ${name}`,
  profile: 'spec',
  findings,
  start: (options) =>
    startBeforeGateway(
      (gateway) =>
        startNginx(options, {
          gateway,
          server: `${lines} location / { proxy_pass http://gateway; }`,
        }),
      asSpecified,
    ),
});

export const checkedServers: readonly CheckedServer[] = [
  nginx('unbuffered', 'proxy_buffering off;'),
  nginx('as it comes', 'client_max_body_size 1m;', nginxAsItComes),
  nginx('gzip', 'gzip on; gzip_types *; gzip_min_length 1; gzip_proxied any;'),
  {
    name: 'HAProxy',
    profile: 'spec',
    findings: [],
    start: (options) =>
      startBeforeGateway((gateway) => startHaproxy(options, gateway, ''), asSpecified),
  },
  {
    name: 'Envoy',
    profile: 'spec',
    findings: [],
    start: (options) =>
      startBeforeGateway((gateway) => startEnvoy(options, { gateway }), asSpecified),
  },
  {
    name: 'LiteLLM proxy',
    profile: 'litellm',
    findings: liteLlmFindings,
    start: (options) =>
      startBeforeGateway(
        (upstream) =>
          startLiteLlm({
            ...options,
            upstream,
            models: [
              ['proving/small', 'openai/proving/small'],
              ['proving/tts', 'openai/weir-tts'],
              ['proving/whisper', 'openai/weir/whisper'],
            ],
            requestsPerWindow: 60,
            tokensPerWindow: 2_000_000,
            window: 60_000,
          }),
        { ttft: milliseconds(2), gap: milliseconds(1) },
      ),
  },
  {
    name: 'llama.cpp',
    profile: 'llama.cpp',
    findings: openLlamaFindings,
    start: (options) => startLlama(options),
  },
  {
    name: 'llama.cpp, with keys',
    profile: 'llama.cpp',
    findings: lockedLlamaFindings,
    start: (options) => startLlama(options, provingKeys),
  },
  {
    name: 'llmock',
    profile: 'openai',
    findings: llmockFindings,
    start: startLlmock,
    words: ['--model', 'gpt-4o'],
  },
  {
    name: 'aimock',
    profile: 'openai',
    findings: aimockFindings,
    start: startAimock,
    words: '--model gpt-4o --speech-model tts-1 --transcription-model whisper-1'.split(' '),
  },
  {
    name: 'Portkey gateway',
    profile: 'spec',
    findings: portkeyFindings,
    start: (options) =>
      startBeforeGateway((gateway) => startPortkey(options, gateway), roomySpecified),
  },
  {
    name: 'SGLang router',
    profile: 'spec',
    findings: sglangFindings,
    words: ['--model', 'proving/small'],
    start: (options) =>
      startBeforeGateway((gateway) => startSglangRouter(options, gateway), asSpecified),
  },
  {
    name: 'mock-llm',
    profile: 'spec',
    findings: mockLlmFindings,
    start: startMockLlm,
  },
  {
    name: 'fakellm',
    profile: 'spec',
    findings: fakeLlmFindings,
    start: startFakeLlm,
    words: ['--model', 'gpt-4o'],
  },
];
