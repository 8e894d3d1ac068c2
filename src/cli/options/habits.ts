/**
 * This file maps options of curl, wrk, hey, k6, vegeta, Locust, JMeter, AIPerf, GuideLLM and vLLM to Weir's options.
 */

/** The advice for an option of another tool. */
interface Habit {
  /** The names without dashes, separated by spaces. A name of one letter is a short option. */
  readonly names: string;
  /** The option of Weir that the advice names. A verb without this option gives no such advice. */
  readonly needs: string;
  /** The scenario field with the same meaning. If a scenario file is given, the advice names this field. */
  readonly field?: string;
  /** Adds a unit to the user's value, since other tools use values without units. */
  readonly read?: (value: string) => string;
  /** Returns the advice for the user's value, or for `…` if the user gave no value. */
  readonly advice: (value: string) => string;
}

const plainNumber = /^\d+(?:\.\d+)?$/;
const perSecond = (value: string): string => (plainNumber.test(value) ? `${value}/s` : value);
const inSeconds = (value: string): string => (plainNumber.test(value) ? `${value}s` : value);

const setHeader = (value: string): string => {
  const [, name = 'X-Team', text = 'blue'] = /^([\w-]+)[:=]\s*(.*)$/.exec(value) ?? [];
  return name.toLowerCase() === 'authorization'
    ? 'the key comes from the environment: WEIR_API_KEY=… weir …'
    : `headers belong to the scenario: write --set 'headers.${name}=${text}'`;
};

/** Returns the advice for `-d`: for a duration, as in wrk, or for the body of a request, as in curl and hey. */
const durationOrBody = (value: string): string =>
  /^(?:\d|…)/.test(value)
    ? `write --duration ${value}`
    : 'a body is made of --model, --prompt and --max-tokens; other fields: --set body.NAME=VALUE';

/**
 * Returns the advice for `-u`: for an address, for Locust's number of users, or for the name and password of curl and
 * hey.
 */
const addressOrUsers = (value: string): string => {
  if (/^\d+$/.test(value)) return `write --users ${value}`;
  return /^[\w.-]+:(?!\d+(?:\/|$))[^/]/.test(value) ? keyAdvice : `write --target ${value}`;
};

const folderOrFormat = (value: string): string =>
  /^(?:json|csv|html|text|markdown|md)$/i.test(value)
    ? 'result.json and report.html are always written; --json prints JSON, --csv FILE writes the figures'
    : `write --out ${value}`;

const keyAdvice =
  'a key on a command line can be read by others: write WEIR_API_KEY=… in front of the command';

const translated =
  'a whole command line of AIPerf or GuideLLM becomes a scenario by `weir import -- COMMAND …`';

const habits: readonly Habit[] = [
  { names: 'H header headers', needs: 'set', advice: setHeader },
  {
    names: 'k insecure skip-verify no-verify-tls tls-skip-verify insecure-skip-tls-verify',
    needs: 'set',
    advice: () => 'write --set wire.verifyTls=false',
  },
  {
    names: 'cacert ca ca-file root-certs',
    needs: 'set',
    advice: (value) => `write --set wire.caFile=${value}`,
  },
  {
    names: 'E cert client-cert',
    needs: 'set',
    advice: () => 'write --set wire.clientCert=FILE --set wire.clientKey=FILE',
  },
  { names: 'x proxy', needs: 'set', advice: (value) => `write --set wire.proxy=${value}` },
  { names: 'http2 h2', needs: 'set', advice: () => 'write --set wire.http2=true' },
  { names: 'cookie', needs: 'set', advice: (value) => `write --set 'headers.Cookie=${value}'` },
  {
    names: 'L location follow max-redirects redirects disable-redirects',
    needs: 'set',
    advice: () => 'no redirect is followed: write the address that it leads to in --target',
  },
  {
    names: 'resolve connect-to',
    needs: 'target',
    advice: () => 'name the host in /etc/hosts, or write its address in --target',
  },
  {
    names: 'compressed disable-compression trust-remote-code',
    needs: 'set',
    advice: () => 'leave it out: Weir asks for plain answers, and needs no code of a model',
  },
  {
    names: 'port',
    needs: 'target',
    advice: (value) =>
      `it belongs to the address: write --target http://HOST:${value}/v1 (that of the live page: --live=${value})`,
  },
  {
    names: 'key-env api-key-env key-var',
    needs: 'key',
    advice: (value) => `write --key ${value}`,
  },
  {
    names: 'key-env api-key-env key-var',
    needs: 'set',
    advice: (value) =>
      `WEIR_API_KEY is read by itself; another variable: write --set 'keys=\${env:${/^\w+$/.test(value) ? value : 'NAME'}}'`,
  },
  {
    names: 'tokens size answer-tokens tokens-per-request n-predict',
    needs: 'model',
    advice: (value) =>
      `write --max-tokens ${value} for the answers, --set traffic.0.prompt.tokens=${value} for the prompts`,
  },
  {
    names: 'tps token-rate tokens-per-second',
    needs: 'rate',
    advice: () =>
      'a load is a number of requests: write --rate 5/s; the report says how many tokens a second that is',
  },
  {
    names: 'load-type load-mode executor mode open closed',
    needs: 'rate',
    advice: () =>
      'write --rate for requests that come whether or not answers do, --users for callers who wait for theirs',
  },
  {
    names: 'resume continue overwrite force',
    needs: 'out',
    advice: () =>
      'leave it out: Weir writes each run into a new folder below reports, or into the folder that --out names',
  },
  {
    names: 'save-baseline update-baseline set-baseline',
    needs: 'baseline',
    advice: () =>
      'a stored run becomes a baseline afterwards: `weir history baseline NAME RUN`; --baseline NAME compares with it',
  },
  {
    names: 'grpc websocket ws',
    needs: 'target',
    advice: () => "leave it out: Weir speaks OpenAI's interface over HTTP",
  },
  {
    names: 'api-key apikey key token bearer bearer-token openai-api-key a user basic-auth',
    needs: 'target',
    advice: () => keyAdvice,
  },
  { names: 'u url base-url host server', needs: 'target', advice: addressOrUsers },
  {
    names: 'm served-model-name',
    needs: 'model',
    field: 'traffic.0.model',
    advice: (value) => `write --model ${value}`,
  },
  {
    names: 'c concurrency vus max-concurrency num-concurrent-requests',
    needs: 'users',
    field: 'load.users',
    advice: (value) => `write --users ${value}: so many wait for their answers at once`,
  },
  {
    names: 'i n requests num-requests num-prompts request-count max-requests number',
    needs: 'iterations',
    field: 'load.iterations',
    advice: (value) => `write --iterations ${value}: so many requests, which the --users share`,
  },
  {
    names: 'r R q qps rps request-rate',
    needs: 'rate',
    field: 'load.rate',
    read: perSecond,
    advice: (value) => `write --rate ${value}`,
  },
  {
    names: 'd z time run-time max-seconds benchmark-duration',
    needs: 'duration',
    field: 'load.duration',
    read: inSeconds,
    advice: durationOrBody,
  },
  {
    names: 't threads cpus processes expect-workers master worker',
    needs: 'users',
    advice: () => 'write --users for how many wait at once, or --workers for threads that send',
  },
  {
    names: 'w max-workers max-vus pre-allocated-vus max-connections connections max-in-flight',
    needs: 'rate',
    advice: (value) =>
      `write --set inFlight=${value}: the most requests under way; more are dropped`,
  },
  {
    names: 'poisson arrival arrival-pattern arrival-process request-rate-mode',
    needs: 'rate',
    field: 'load.kind',
    read: () => 'poisson',
    advice: () => 'write --set load.kind=poisson: requests come at random',
  },
  {
    names: 'burst bursts burst-rate burst-size burst-delay burstiness arrival-smoothness',
    needs: 'rate',
    advice: () =>
      'bursts are a load of a scenario: load: { kind: gamma, rate: 5/s, shape: 0.5, duration: 30s }',
  },
  {
    names: 'think-time thinktime think pause wait-time delay',
    needs: 'users',
    read: inSeconds,
    advice: (value) =>
      `write --set load.thinkTime=${value}: between an answer and the next request`,
  },
  {
    names: 'retry retries max-retries num-retries retry-count',
    needs: 'rate',
    advice: (value) =>
      `write --set retry.attempts=${plainNumber.test(value) ? Number(value) + 1 : 3}: how often a request is sent at most`,
  },
  {
    names: 'budget cost max-cost max-spend',
    needs: 'rate',
    advice: (value) => `write --set budget.cost=${value}, or budget.requests or budget.tokens`,
  },
  {
    names: 'seed random-seed',
    needs: 'set',
    advice: (value) => `write --set seed=${/^\d+$/.test(value) ? value : '1'}, a whole number`,
  },
  {
    names: 'stream streaming no-stream no-streaming',
    needs: 'kind',
    advice: () => 'chats are streamed unless you write --kind chat',
  },
  {
    names:
      'timeout timeouts request-timeout request-timeout-seconds timeout-seconds max-time connect-timeout',
    needs: 'set',
    read: inSeconds,
    advice: (value) => `write --set deadlines.total=${value} (also connect, firstToken, idle)`,
  },
  {
    names: 'o output output-dir out-dir output-path artifact-dir result-dir',
    needs: 'out',
    advice: folderOrFormat,
  },
  {
    names:
      'html report l format report-format summary-export export export-json latency percentile percentiles percentile-metrics metric-percentiles summary-trend-stats save-result save-detailed result-filename append-result outputs output-formats profile-export-file',
    needs: 'out',
    advice: () =>
      'result.json and report.html, with all percentiles, are always written; --out names their folder, --csv FILE writes the figures',
  },
  {
    names:
      'spawn-rate hatch-rate ramp rampup ramp-up ramp-time rampup-time concurrency-ramp-duration',
    needs: 'users',
    advice: () => 'write --set load.rampUp=10s: the time within which the --users begin',
  },
  {
    names:
      'stage stages ramp-up-strategy ramp-up-start-rps ramp-up-end-rps request-rate-ramp-duration',
    needs: 'scenario',
    advice: () =>
      'a load that changes is written in a scenario: load: { kind: ramping, from: 1/s, steps: [{ to: 10/s, over: 30s }] }',
  },
  {
    names: 'warmup-requests warmup-request-count num-warmups num-warmup-requests',
    needs: 'duration',
    advice: () => 'a warm-up is a time: write --set warmUp=10s',
  },
  {
    names:
      'disable-keepalive disable-keep-alive no-keepalive no-connection-reuse no-vu-connection-reuse',
    needs: 'set',
    advice: () => 'write --set wire.reuse=false',
  },
  {
    names: 'headless no-tui disable-tui no-ui no-gui ui-type progress',
    needs: 'quiet',
    advice: () => 'leave it out: Weir opens no window; --quiet prints the verdict only',
  },
  {
    names: 'dry-run dryrun dry check-only simulate',
    needs: 'kind',
    advice: () => 'write `weir plan` in place of `weir run`: it sends nothing',
  },
  {
    names: 'max-rate maximum-rate max-rps',
    needs: 'top',
    read: perSecond,
    advice: (value) => `write --top ${value}`,
  },
  { names: 'fast short smoke', needs: 'quick', advice: () => 'write --quick' },
  {
    names: 'f file config config-file scenario-file locustfile testplan',
    needs: 'scenario',
    advice: (value) => `a scenario file stands without an option: write ${value}`,
  },
  {
    names: 'tag tags label labels test-name title',
    needs: 'set',
    advice: (value) => `write --set name=${value}: what reports call the run`,
  },
  { names: 'p', needs: 'prompt', advice: (value) => `write --prompt ${value}` },
  {
    names: 'X T D F b request method body body-file content-type data data-binary json-body',
    needs: 'model',
    advice: () => durationOrBody('body'),
  },
  {
    names: 'temperature system system-prompt top-p',
    needs: 'model',
    advice: () => "write --set 'traffic.0.temperature=0', or so for another field of the traffic",
  },
  {
    names: 'ignore-eos extra-inputs extra-body extra-params',
    needs: 'model',
    advice: () => 'write --set body.NAME=VALUE, for example --set body.ignore_eos=true',
  },
  {
    names:
      'input input-file prompt-file prompts prompts-file data-file public-dataset custom-dataset-type',
    needs: 'model',
    advice: (value) =>
      `write --set 'traffic.0.prompt={file: ${/\.\w+$/.test(value) ? value : 'prompts.jsonl'}}': .jsonl, .csv or ShareGPT's .json`,
  },
  {
    names: 'max-error-rate max-errors max-failures abort-on-fail fail-fast stop-on-error',
    needs: 'rate',
    advice: () =>
      "write --set 'objectives=[{objective: errorRate < 10%, abort: {after: 30s}}]': ends a run that fails",
  },
  {
    names:
      'objective objectives threshold thresholds slo slos goodput fail-on fail-on-error fail-if exit-code-on-error',
    needs: 'rate',
    advice: () => "write --set 'objectives=[ttft.p95 < 800ms]', or objectives in the scenario",
  },
  {
    names: 'v verbose debug log-level loglevel http-debug extra-verbose',
    needs: 'details',
    advice: () => 'write --details for all figures, --capture failed for answers that failed',
  },
  {
    names: 's silent',
    needs: 'quiet',
    advice: (value) => {
      if (value.endsWith('.lua')) return 'what a script of wrk sends is the traffic of a scenario';
      return value.includes('=') ? `write --set ${value}` : 'write --quiet';
    },
  },
  {
    names: 'e env',
    needs: 'scenario',
    advice: () => "a scenario reads the environment itself: '${env:NAME}'",
  },
  {
    names:
      'isl osl input-len output-len random-input-len random-output-len synthetic-input-tokens-mean output-tokens-mean prompt-tokens output-tokens dataset dataset-name dataset-path backend tokenizer endpoint endpoint-type rate-type service-kind profile llm-api mean-input-tokens mean-output-tokens num-concurrent',
    needs: 'model',
    advice: () => translated,
  },
];

/** An option that the user wrote but that the verb does not have. */
export interface WrittenOption {
  readonly dashes: string;
  /** The name without its dashes. */
  readonly name: string;
  readonly value: string | undefined;
  /**
   * Whether a scenario file was given. With a scenario file, the options that describe a run without a file are not
   * allowed.
   */
  readonly hasScenario: boolean;
}

export type HabitAdvice = (
  written: WrittenOption,
  options: Readonly<Record<string, unknown>>,
) => string | null;

/**
 * Returns the advice for an option of another tool; `null` if no known tool has the option, or if the verb has no
 * equivalent.
 */
export const habitAdvice: HabitAdvice = ({ dashes, name, value = '…', hasScenario }, options) => {
  if (name.length === 1 && dashes === '--') return null;
  const wanted = name.length === 1 ? name : name.toLowerCase().replaceAll('_', '-');
  const habit = habits.find(
    ({ names, needs }) => names.split(' ').includes(wanted) && needs in options,
  );
  if (habit === undefined) return null;
  const meant = habit.read?.(value) ?? value;
  return hasScenario && habit.field !== undefined && 'set' in options
    ? `write --set ${habit.field}=${meant}`
    : habit.advice(meant);
};
