import { expect, it } from 'vitest';
import { habitAdvice } from './habits.ts';

/** The options of `weir run` that habits need. */
const options = Object.fromEntries(
  'target kind rate users duration key model prompt maxTokens set out quiet scenario details requests yes workers csv json timeout scenario seed'
    .split(' ')
    .map((name) => [name, {}]),
);
const advice = (words: string): string | null => {
  const [, dashes = '', name = '', value] = /^(--?)([^=]+)(?:=(.*))?$/.exec(words) ?? [];
  return habitAdvice({ dashes, name, value, hasScenario: false }, options);
};

it.each([
  // As k6, vegeta, hey, wrk, Locust, GuideLLM, AIPerf and vLLM's bench call them.
  ['--num-warmups=5', '--set warmUp=10s'],
  ['--warmup-request-count=5', '--set warmUp=10s'],
  ['--ramp-up-strategy=linear', 'load: { kind: ramping'],
  ['--stage=10s:5', 'load: { kind: ramping'],
  ['--spawn-rate=2', '--set load.rampUp=10s'],
  ['--ignore-eos', '--set body.ignore_eos=true'],
  ['--extra-body={}', '--set body.NAME=VALUE'],
  ['--temperature=0', 'traffic.0.temperature=0'],
  ['--disable-keepalive', '--set wire.reuse=false'],
  ['--timeout=30', '--set deadlines.total=30s'],
  ['--prompt-file=mine.jsonl', 'prompt={file: mine.jsonl}'],
  ['--goodput=ttft:500', 'objectives=['],
  ['--max-error-rate=0.1', 'abort: {after: 30s}'],
  ['--headless', 'leave it out'],
  ['--dry-run', '`weir plan`'],
  ['--locustfile=a.py', 'write a.py'],
  ['--percentile-metrics=ttft', 'result.json and report.html'],
  ['--isl=100', ''],
])('%s of another tool is answered with what Weir has: %s', (words, said) => {
  expect(advice(words)).toContain(said);
  expect(advice(words)).not.toBe('');
  // As other tools write it, too.
  expect(advice(words.toUpperCase().replace(/=.*/, ''))).not.toBeNull();
});

it('a name that no tool has, or for which a verb has nothing, has no advice', () => {
  expect(advice('--frobnicate')).toBeNull();
  expect(
    habitAdvice({ dashes: '--', name: 'ignore-eos', value: '', hasScenario: false }, {}),
  ).toBeNull();
  // One letter is an option with one dash.
  expect(advice('--p=x')).toBeNull();
  expect(advice('-p=x')).toBe('write --prompt x');
});

it('what stands in for a scenario is set beside one by its key', () => {
  const beside = { dashes: '--', name: 'rps', value: '5', hasScenario: true };
  expect(habitAdvice(beside, options)).toBe('write --set load.rate=5/s');
  expect(habitAdvice({ ...beside, value: '5/s' }, options)).toBe('write --set load.rate=5/s');
});

/** An option of each kind, of verbs that have every option. */
const others =
  `-H -H=X-A:b -H=authorization:x --insecure --cacert=ca.pem -E=a.pem -x=http://p:1 --http2 --cookie=a=b
--location --resolve=h:80:1.2.3.4 --compressed --port=99 --key-var=MINE --tokens=50 --tps=100 --executor=x --resume
--save-baseline=b --grpc --bearer=t -u=5 -u=me:secret -u=h:80 -m=a/b -c=5 -n=100 --qps=5 -d=30 -d=body -t=4 -w=10
--poisson --burst=5 --think-time=2 --retry=2 --retries=0 --retry --budget=5 --seed=7 --seed=x --no-stream --timeout=30 -o=json
-o=folder --report --hatch-rate=2 --stages=x --num-warmups=5 --no-keepalive --headless --dry --max-rps=50 --smoke
--config=a.yaml --tags=a=b -p=hello -b={} --top-p=1 --ignore-eos --prompts=a --prompts=a.csv --max-errors=5 --slo=x
-v -s=x.lua -s=a=b -s --env=A --osl=10`.split(/\s+/);
it('what an option of another tool becomes', () => {
  const withAll = { ...options, iterations: {}, top: {}, quick: {}, baseline: {} };
  const advised = others.map((words) => {
    const [, dashes = '', name = '', value] = /^(--?)([^=]+)(?:=(.*))?$/.exec(words) ?? [];
    return `${words}: ${habitAdvice({ dashes, name, value, hasScenario: false }, withAll)}`;
  });
  expect(advised).toMatchInlineSnapshot(`
    [
      "-H: headers belong to the scenario: write --set 'headers.X-Team=blue'",
      "-H=X-A:b: headers belong to the scenario: write --set 'headers.X-A=b'",
      "-H=authorization:x: the key comes from the environment: WEIR_API_KEY=… weir …",
      "--insecure: write --set wire.verifyTls=false",
      "--cacert=ca.pem: write --set wire.caFile=ca.pem",
      "-E=a.pem: write --set wire.clientCert=FILE --set wire.clientKey=FILE",
      "-x=http://p:1: write --set wire.proxy=http://p:1",
      "--http2: write --set wire.http2=true",
      "--cookie=a=b: write --set 'headers.Cookie=a=b'",
      "--location: no redirect is followed: write the address that it leads to in --target",
      "--resolve=h:80:1.2.3.4: name the host in /etc/hosts, or write its address in --target",
      "--compressed: leave it out: Weir asks for plain answers, and needs no code of a model",
      "--port=99: it belongs to the address: write --target http://HOST:99/v1 (that of the live page: --live=99)",
      "--key-var=MINE: write --key MINE",
      "--tokens=50: write --max-tokens 50 for the answers, --set traffic.0.prompt.tokens=50 for the prompts",
      "--tps=100: a load is a number of requests: write --rate 5/s; the report says how many tokens a second that is",
      "--executor=x: write --rate for requests that come whether or not answers do, --users for callers who wait for theirs",
      "--resume: leave it out: Weir writes each run into a new folder below reports, or into the folder that --out names",
      "--save-baseline=b: a stored run becomes a baseline afterwards: \`weir history baseline NAME RUN\`; --baseline NAME compares with it",
      "--grpc: leave it out: Weir speaks OpenAI's interface over HTTP",
      "--bearer=t: a key on a command line can be read by others: write WEIR_API_KEY=… in front of the command",
      "-u=5: write --users 5",
      "-u=me:secret: a key on a command line can be read by others: write WEIR_API_KEY=… in front of the command",
      "-u=h:80: write --target h:80",
      "-m=a/b: write --model a/b",
      "-c=5: write --users 5: so many wait for their answers at once",
      "-n=100: write --iterations 100: so many requests, which the --users share",
      "--qps=5: write --rate 5/s",
      "-d=30: write --duration 30s",
      "-d=body: a body is made of --model, --prompt and --max-tokens; other fields: --set body.NAME=VALUE",
      "-t=4: write --users for how many wait at once, or --workers for threads that send",
      "-w=10: write --set inFlight=10: the most requests under way; more are dropped",
      "--poisson: write --set load.kind=poisson: requests come at random",
      "--burst=5: bursts are a load of a scenario: load: { kind: gamma, rate: 5/s, shape: 0.5, duration: 30s }",
      "--think-time=2: write --set load.thinkTime=2s: between an answer and the next request",
      "--retry=2: write --set retry.attempts=3: how often a request is sent at most",
      "--retries=0: write --set retry.attempts=1: how often a request is sent at most",
      "--retry: write --set retry.attempts=3: how often a request is sent at most",
      "--budget=5: write --set budget.cost=5, or budget.requests or budget.tokens",
      "--seed=7: write --set seed=7, a whole number",
      "--seed=x: write --set seed=1, a whole number",
      "--no-stream: chats are streamed unless you write --kind chat",
      "--timeout=30: write --set deadlines.total=30s (also connect, firstToken, idle)",
      "-o=json: result.json and report.html are always written; --json prints JSON, --csv FILE writes the figures",
      "-o=folder: write --out folder",
      "--report: result.json and report.html, with all percentiles, are always written; --out names their folder, --csv FILE writes the figures",
      "--hatch-rate=2: write --set load.rampUp=10s: the time within which the --users begin",
      "--stages=x: a load that changes is written in a scenario: load: { kind: ramping, from: 1/s, steps: [{ to: 10/s, over: 30s }] }",
      "--num-warmups=5: a warm-up is a time: write --set warmUp=10s",
      "--no-keepalive: write --set wire.reuse=false",
      "--headless: leave it out: Weir opens no window; --quiet prints the verdict only",
      "--dry: write \`weir plan\` in place of \`weir run\`: it sends nothing",
      "--max-rps=50: write --top 50/s",
      "--smoke: write --quick",
      "--config=a.yaml: a scenario file stands without an option: write a.yaml",
      "--tags=a=b: write --set name=a=b: what reports call the run",
      "-p=hello: write --prompt hello",
      "-b={}: a body is made of --model, --prompt and --max-tokens; other fields: --set body.NAME=VALUE",
      "--top-p=1: write --set 'traffic.0.temperature=0', or so for another field of the traffic",
      "--ignore-eos: write --set body.NAME=VALUE, for example --set body.ignore_eos=true",
      "--prompts=a: write --set 'traffic.0.prompt={file: prompts.jsonl}': .jsonl, .csv or ShareGPT's .json",
      "--prompts=a.csv: write --set 'traffic.0.prompt={file: a.csv}': .jsonl, .csv or ShareGPT's .json",
      "--max-errors=5: write --set 'objectives=[{objective: errorRate < 10%, abort: {after: 30s}}]': ends a run that fails",
      "--slo=x: write --set 'objectives=[ttft.p95 < 800ms]', or objectives in the scenario",
      "-v: write --details for all figures, --capture failed for answers that failed",
      "-s=x.lua: what a script of wrk sends is the traffic of a scenario",
      "-s=a=b: write --set a=b",
      "-s: write --quiet",
      "--env=A: a scenario reads the environment itself: '\${env:NAME}'",
      "--osl=10: a whole command line of AIPerf or GuideLLM becomes a scenario by \`weir import -- COMMAND …\`",
    ]
  `);
  const ofLimits = { set: {} };
  const key = (value: string) =>
    habitAdvice({ dashes: '--', name: 'key-env', value, hasScenario: false }, ofLimits);
  expect([key('MINE'), key('$MINE')].join()).toMatch(/\$\{env:MINE\}.*\$\{env:NAME\}/);
});
