/**
 * Mistakes of people who use Weir for the first time, each with words that name its repair. In a command, `RUN` is a run
 * without a file and `good.yaml` a scenario that could run; `$URL`, `$ROOT` and `$HTTPS` are the gateway's address, the
 * same without its version, and with the wrong scheme.
 */
export const mistakenCommands = String.raw`
RUN -c 10 -n 100 | write --users 10
RUN -n 100 | write --iterations 100: so many requests, which the --users share
RUN --vus 10 --duration 30s | write --users 10
RUN --concurrency 8 | write --users 8
RUN --num-prompts 100 | write --iterations 100
RUN --request-rate 5 | write --rate 5/s
RUN --qps 5 | write --rate 5/s
RUN -z 30s | write --duration 30s
RUN -rate 5/s -duration 5s | -rate: an option begins with two dashes: write --rate
RUN —rate 5/s | —rate: an option begins with two dashes: write --rate
RUN --rate 10 --duration 30s | a number needs its unit: 10/s
RUN --rate 10/s --duration 30 | a number needs its unit: 30s
RUN --rate 10rps --duration 30s | write 10/s
RUN --rate 600rpm --duration 30s | write 600/min
RUN --rate 10/sec --duration 30s | write 10/s
RUN --rate 5/s --duration 5min | write 5m
RUN --rate=-5/s --duration 30s | --rate: expected a rate above 0/s
RUN --rate 0/s --duration 30s | --rate: expected a rate above 0/s
RUN --users ten --duration 5s | --users: expected a whole number
RUN --users 1.5 --duration 5s | --users: expected a whole number
RUN --users 10 --rate 5/s --duration 5s | --rate and --users: keep one of them
RUN --duration 5s | --rate: "rate" is missing
RUN --rate 5/s | --duration: "duration" is missing
RUN --rate 1/s --duration 100ms | less than one request (0.1); raise its rate or its duration
RUN --rate 5/s --duration 5s --kind image | --kind: expected "chat"
RUN --rate 5/s --duration 5s --max-tokens lots | --max-tokens: expected a whole number
RUN -d body.json | a body is made of --model, --prompt and --max-tokens
RUN -X POST | a body is made of --model, --prompt and --max-tokens
RUN --rate 5/s --duration 5s --temperature 0 | write --set 'traffic.0.temperature=0'
RUN --rate 5/s --duration 5s --slo a | write --set 'objectives=[ttft.p95 < 800ms]'
RUN --rate 5/s --duration 5s --stream | chats are streamed unless you write --kind chat
run --target $URL --rate 5/s --duration 5s | --model: "model" is missing
run --target $URL --model weir/smal --rate 30/s --duration 2s | did you mean "weir/small"?
run --target $URL --model gpt-4o --rate 30/s --duration 2s | It lists weir/small
run --target $URL --model weir-tss --kind speech --rate 30/s --duration 2s | did you mean "weir-tts"?
run --target $URL --model weir/whispr --kind transcription --rate 30/s --duration 2s | did you mean "weir/whisper"?
run --target $URL/v1 --model weir/small --rate 5/s --duration 5s | answers as a gateway does: write $URL
run --target $URL/v2 --model weir/small --rate 5/s --duration 5s | answers as a gateway does: write $URL
run --target $ROOT/api/v1 --model weir/small --rate 5/s --duration 5s | answers as a gateway does: write $URL
run --target $ROOT --model weir/small --rate 5/s --duration 5s | answers as a gateway does: write $URL
run --target $URL/chat/completions --model weir/small --rate 5/s --duration 5s | without /chat/completions at its end
run --target $HTTPS --model weir/small --rate 5/s --duration 5s | check whether http is meant
run --target http://127.0.0.1:9/v1 --model a --rate 5/s --duration 5s | check the port
run --target http://gateway.invalid/v1 --model a --rate 5/s --duration 5s | host name does not resolve
run --target 127.0.0.1:8080/v1 --model a --rate 5/s --duration 5s | begin with http:// or https://
run --target htp://a/v1 --model a --rate 5/s --duration 5s | begin with http:// or https://
run --target gateway.example --model a --rate 5/s --duration 5s | begin with http:// or https://
run $URL | write --target $URL
NOKEY RUN --rate 5/s --duration 5s | export WEIR_API_KEY=
BADKEY RUN --rate 5/s --duration 5s | check that it is complete and of this gateway
run good.yaml -H X-Team:a | write --set 'headers.X-Team=a'
run good.yaml --insecure | write --set wire.verifyTls=false
run good.yaml --cacert ca.pem | write --set wire.caFile=ca.pem
run good.yaml --api-key sk-1 | write WEIR_API_KEY=… in front of the command
run good.yaml -t 12 -c 400 -d 30s | write --users for how many wait at once
run good.yaml --rate 5/s | change its fields with --set
run good.yaml --users 5 | change its fields with --set
run good.yaml --quite | did you mean --quiet?
run good.yaml -quiet | write --quiet
run good.yaml --timeout 30 | write --set deadlines.total=30s
run good.yaml --set load.rate | expected path=value
run good.yaml --set load.rate:10/s | expected path=value
run good.yaml --set rate=10/s | did you mean "rate" inside "load"?
run good.yaml --set traffic.model=x | "traffic" is a list of 1
run good.yaml --set load.rte=10/s | did you mean "rate"?
run good.yaml --workers 0 | --workers: expected a whole number from 1
run good.yaml --repeat 0 | --repeat: expected a whole number from 1
run good.yaml --out good.yaml | there is a file of that name. Give another
run good.yaml --out | --out: expected a value
run good.yaml --junit nofolder/junit.xml | its folder does not exist: create it first
run good.yaml --junit sub | it is a folder
run good.yaml --requests rows.xlsx | ends in .csv or .parquet
run good.yaml --baseline sub | contains no result.json
run good.yaml other.yaml | weir run takes one scenario file
run goood.yaml | did you mean
run nofolder/here.yaml | does not exist: give the path
run sub | is a folder: give the path of a scenario file
run | expected a scenario file, or --model
start good.yaml | did you mean ${'`'}weir run${'`'}?
lint good.yaml | did you mean ${'`'}weir validate${'`'}?
good.yaml | did you mean ${'`'}weir run
validate | expected a scenario file
report nofolder | give a result.json
report good.yaml | expected a result.json
compare sub | expected two sides
compare good.yaml good.yaml | expected a result.json
sweep good.yaml | add --vary load.users=1,2,4,8
sweep good.yaml --vary load.rate | expected PATH=VALUES
mock --port 99999 | --port: expected a whole number from 0 to 65535
check | expected a target to examine
limits --target $URL --window 60 | a number needs its unit: 60s
cache --target $URL --longest 1:30 | write 1m30s
cache --target $URL --tokens 2M | write 2000000
import good.yaml | nothing that weir import knows
init good.yaml | begin with http:// or https://
RUN --spawn-rate 5 | write --set load.rampUp=10s
RUN -u 10 -t 1m | write --users 10
RUN -u name:word | write WEIR_API_KEY=… in front of the command
RUN --host $URL --rate 5/s --duration 5s | write --target $URL
RUN --html report.html | report.html, with all percentiles, are always written
RUN --run-time 1m | write --duration 1m
RUN --stages 30s:10 | a load that changes is written in a scenario: load: { kind: ramping
RUN --rate 5,5/s --duration 5s | write 5.5/s
RUN --rate 1k/s --duration 5s | write 1000/s
RUN --rate inf --duration 5s | as many as the gateway answers is the load "saturate"
RUN --rate 5/s --duration 1:30 | write 1m30s
RUN --rate 5/s --duration 00:02:00 | write 2m
RUN --users 10k --duration 5s | write 10000
RUN --users 1..16 --duration 5s | are a sweep: ${'`'}weir sweep --vary load.users=1,2,4${'`'}
RUN --rate 5 req/s --duration 5s | (req/s): leave it out, or change its fields with --set
RUN --cookie a=b | write --set 'headers.Cookie=a=b'
RUN -L | no redirect is followed: write the address that it leads to in --target
RUN --resolve a:443:127.0.0.1 | name the host in /etc/hosts
RUN --compressed | leave it out: Weir asks for plain answers
RUN --port 8080 | write --target http://HOST:8080/v1
RUN --max-vus 10 | write --set inFlight=10
RUN --rate 5/s --arrival-pattern poisson | write --set load.kind=poisson
RUN --burstiness 0.5 | load: { kind: gamma, rate: 5/s, shape: 0.5
RUN --users 5 --think-time 2 | write --set load.thinkTime=2s
RUN --retry 3 | write --set retry.attempts=4
RUN --max-cost 5 | write --set budget.cost=5
run good.yaml --budget 5 | write --set budget.cost=5
RUN --random-seed 7 | write --set seed=7
RUN --request-timeout-seconds 30 | write --set deadlines.total=30s
RUN --save-result | are always written
RUN --result-filename x.json | are always written
RUN --percentile 99 | with all percentiles, are always written
RUN --concurrency-ramp-duration 10 | write --set load.rampUp=10s
RUN --ramp-up-strategy linear | a load that changes is written in a scenario
RUN --ignore-eos | for example --set body.ignore_eos=true
RUN --extra-inputs temperature:0 | write --set body.NAME=VALUE
RUN --input-file prompts.jsonl | write --set 'traffic.0.prompt={file: prompts.jsonl}'
RUN --public-dataset sharegpt | write --set 'traffic.0.prompt={file: prompts.jsonl}'
RUN --max-error-rate 0.1 | objective: errorRate < 10%, abort: {after: 30s}
RUN -s post.lua | what a script of wrk sends is the traffic of a scenario
RUN --cpus 4 | or --workers for threads that send
RUN --expect-workers 3 | or --workers for threads that send
RUN --served-model-name a | write --model a
RUN --rate 5/s --duration forever | a run has an end
RUN --rate 5/s --duration PT30S | write 30s
RUN --rate 10/2s --duration 30s | write 5/s
mock 8080 | write --port 8080
check --target $URL --spawn-rate 5 | unknown option --spawn-rate: expected one that
RUN --warmup-request-count 5 | write --set warmUp=10s
run good.yaml --disable-keepalive | write --set wire.reuse=false
run good.yaml --headless | leave it out: Weir opens no window
run good.yaml --dry-run | write ${'`'}weir plan${'`'} in place of ${'`'}weir run${'`'}
run -f good.yaml | a scenario file stands without an option
run good.yaml -s load.rate=5/s | write --set load.rate=5/s
run good.yaml --output json | --json prints JSON
sweep good.yaml --vary users=1,2 | write load.users
check --target $URL --key NOPE | --key: the environment variable NOPE is not set
doctor --key NOPE | add --target https://host/v1
QUOTED RUN --rate 5/s --duration 5s | WEIR_API_KEY is in quotation marks; set it to the key alone
BEARER RUN --rate 5/s --duration 5s | begins with the word Bearer, which Weir adds itself
NAMED RUN --rate 5/s --duration 5s | has the name of a variable
PLACEHOLDER RUN --rate 5/s --duration 5s | has a placeholder
RUN --rate 5 per second --duration 5s | a value has no blanks: --rate 5/s
run good.yaml --set load.rate = 5/s | a value has no blanks: --rate 5/s, --set load.rate=5/s
RUN --key-env MY_KEY | --set 'keys=${'$'}{env:MY_KEY}'
check --target $URL --key-env MY_KEY | write --key MY_KEY
RUN --tps 100 | a load is a number of requests: write --rate 5/s
RUN --tokens 100 | write --max-tokens 100 for the answers
RUN --ramp 10 | write --set load.rampUp=10s
RUN --load-type closed | --users for callers who wait for theirs
RUN --no-stream | unless you write --kind chat
run good.yaml --resume | Weir writes each run into a new folder
run good.yaml --overwrite | Weir writes each run into a new folder
run good.yaml --fail-fast | objective: errorRate < 10%, abort: {after: 30s}
run good.yaml --save-baseline | ${'`'}weir history baseline NAME
run good.yaml --live --port 8000 | that of the live page: --live=8000
run good.yaml --csv | It is: 
capacity $URL --model weir/small | is an address: write --target $URL
RUN --rate 5/s --duration 1h30 | write 1h30m
RUN --rate 1e3/s --duration 5s | write 1000/s
-v | for the version write weir --version
`;

/**
 * Mistakes in a scenario. `⏎` ends a line and `→` is a tab. The test adds a correct `target`, `traffic` or `load` to a text
 * that does not begin with that field. A name such as `s.js: ` in front of a text is that of its file, which is then written
 * as it is.
 */
export const mistakenScenarios = String.raw`
traffic:⏎→- kind: chat⏎→  model: a/b | indented with a tab; use spaces
traffic:⏎  - kind: chat⏎   model: a/b | expected "- " at the beginning of this line, or as many spaces
traffic:⏎- kind: chat⏎model: a/b | did you mean "model" inside "traffic"?
traffic: [{ kind: stream, model: a/b }] | did you mean "chat-stream"?
traffic: [{ kind: chat_stream, model: a/b }] | did you mean "chat-stream"?
traffic: [{ kind: embeddings, model: a/b }] | expected "chat", "chat-stream"
traffic: { kind: chat, model: a/b } | expected a list of traffic entries
traffic: [{ kind: chat }] | "model" is missing
traffic: [{ kind: chat, model: a/b, max_tokens: 5 }] | did you mean "maxTokens"?
traffic: [{ kind: chat, model: a/b, maxTokens: -5 }] | expected a whole number from 1
traffic: [{ kind: chat, model: a/b, weight: -1 }] | expected a number above 0
traffic: [{ kind: chat, model: a/b, messages: Hello }] | expected a list of messages
traffic: [{ kind: chat, model: a/b, prompt: { token: 100 } }] | did you mean "tokens"?
traffic: [{ kind: chat, model: a/b, prompt: Hi, prompts: [Hi] }] | keep one of them
loads: { kind: constant, rate: 2/s, duration: 1s } | did you mean "load"?
target_url: http://127.0.0.1:9/v1 | did you mean "target"?
load: { kind: constant, rate: 2, duration: 1s } | a number needs its unit: 2/s
load: { kind: constant, rate: 2/s, duration: 30 } | a number needs its unit: 30s
load: { kind: constant, rate: 2/s, duration: 30 seconds } | write 30s
load: { rate: 2/s, duration: 30s } | "kind" is missing
load: constant | expected a mapping with a "kind"
load: { kind: closed, users: 0, duration: 1s } | expected a whole number from 1
load: { kind: closed, users: 2, duration: 1s, thinkTime: 7 } | a number needs its unit: 7s
load: { kind: closed, vus: 2, duration: 1s } | did you mean "users"?
load: { kind: constant, rate: 2/s, duration: 1s }⏎stages: [] | keep one of them
warmUp: -1s | expected "auto", or a length of time
warmUp: 60s | shorten the warm-up or lengthen the load
thresholds: [a] | did you mean "objectives"?
timeout: 30s | did you mean "deadlines"?
objectives: errorRate less than 1% | expected a list of objectives
objectives: [e2e.p95 < 800] | a number needs its unit: 800s for seconds or 800ms
objectives: [e2e.p95 < 800 msec] | write 800ms
objectives: [tftt.p95 < 800ms] | did you mean "ttft"?
objectives: [e2e.95 < 800ms] | did you mean "p95"?
objectives: [p95(e2e) < 800ms] | write e2e.p95 < 800ms
objectives: [e2e p95 < 800ms] | write e2e.p95 < 800ms
objectives: [latency.p95 < 1s] | did you mean "endToEnd"?
objectives: [e2e.avg < 5s] | did you mean "mean"?
objectives: [errorRate < 0.01] | write 1% for the share 0.01
objectives: [error_rate < 1%] | did you mean "errorRate"?
objectives: ['http_req_duration: p(95)<500'] | this is a threshold of k6
objectives: [e2e.p95 = 800ms] | expected <, <=, > or >=
objectives: [goodput > 95] | a number needs its unit: 95%
objectives: [ttft.p95 < 800ms] | measured for chat-stream only
target: ${'$'}{{ secrets.TARGET }} | write ${'$'}{env:TARGET}
target: http://{{ host }}/v1 | write ${'$'}{env:host}
traffic: [{ kind: chat, model: a/b, prompts: prompts.jsonl }] | write prompt: {file: prompts.jsonl}
traffic: [{ kind: chat, model: a/b, prompts: { file: prompts.jsonl } }] | write prompt: {file: prompts.jsonl}
s.har: { "log": { "entries": [] } } | got a recording of a browser (HAR)
s.json: { "info": { "_postman_id": "a" }, "item": [] } | got a collection of Postman
s.yml: openapi: 3.0.0⏎info: { title: a } | got a description of an interface (OpenAPI)
s.toml: target = "mock" | got TOML
keys: sk-abc123 | write ${'$'}{env:NAME}
keys: $WEIR_API_KEY | write ${'$'}{env:NAME}
keys: '${'$'}{env:BLEU_KEY}' | export BLEU_KEY=
headers: { Authorization: Bearer sk-abc } | write ${'$'}{env:NAME}
headers: [X-Team: a] | expected a mapping of header names
limits: 60 | expected "none", or a mapping
target: ${'$'}{TARGET} | write ${'$'}{env:TARGET}
target: “http://127.0.0.1:9/v1” | typographic quotation marks
- a⏎- b | expected a mapping with "traffic" and "load", got a list
# nothing yet | the scenario is empty
s.js: import http from 'k6/http';⏎export default () => http.get('http://a/'); | is a script of k6, not a scenario
s.txt: POST http://127.0.0.1:9/v1/chat/completions⏎@body.json | got targets of vegeta: ${'`'}weir import FILE${'`'}
s.sh: aiperf profile -m a/b -u host:8000 | got a command line of AIPerf or GuideLLM
s.sh: curl http://127.0.0.1:9/v1/models | got a command line of another tool
s.py: from locust import HttpUser | got a Python script
s.yml: config:⏎  target: http://a⏎scenarios: [] | got a file of Artillery
s.json: { "target": "mock", "traffic": [ } | the [ above is not closed
load: { kind: constant, rate: 2/s, duration: 1:30 } | write 1m30s
load: { kind: constant, rate: 2/s, duration: 1h 30m } | write 1h30m
load: { kind: constant, rate: 5,5/s, duration: 1s } | got the number 5; a comma ends a value here: write 5.5/s
load: { kind: poisson, lambda: 2, duration: 1s } | did you mean "rate"?
load: { kind: constant, rate: 2/s, duration: 1s | the { above is not closed
objectives: [ttft.p95 < 800ms AND errorRate < 1%] | write two objectives
objectives: [e2e.p95 < 0,8s] | a comma ends an item here
objectives: [e2e.p95 under 800ms] | write e2e.p95 < 800ms
objectives: [e2e.p95 ≤ 800ms] | write <=
objectives: [800ms > e2e.p95] | write e2e.p95 < 800ms
objectives: [p95 < 800ms] | write e2e.p95
objectives: [e2e_p95 < 800ms] | write e2e.p95
objectives: [e2e.p95 < 800ms for 95%] | write perRequest: [e2e < 800ms]
objectives: [successRate > 99%] | write errorRate < 1%
objectives: [e2e.p95{model=x} < 800ms] | within [ ] an item that contains { } or a comma needs quotes
traffic: [{ kind: chat, model: a/b, prompt: @prompts.txt }] | begins with @ or a backquote needs quotes
traffic: [{ kind: chat, model: a/b, weight: 50% }] | write 50
traffic: [{ kind: chat, model: a/b, messages: [{ role: human, content: Hi }] }] | did you mean "user"?
keys: '${'$'}{env:WEIR-API-KEY}' | letters, digits and _ only: WEIR_API_KEY
limits: { rpm: 60 } | did you mean "requestsPerMinute"?
limits: { requestsPerSecond: 1 } | did you mean "requestsPerMinute"?
limits: { requestsPerMinute: 1/s } | write 60, the number a minute
limits: { tokensPerMinute: "1 k/s" } | expected a whole number
load: { kind: ramping, from: 1/s, steps: [{ rate: 10/s, for: 30s }] } | unknown key "rate"; expected "to" or "over"
load: { kind: constant, rate: 1,000/s, duration: 1s } | write 1000/s
traffic: [{ kind: chat, model: a/b, maxTokens: 1,000 }] | without it, such as 1000
traffic: [{ kind: chat, model: a/b, user: Hi }] | did you mean "prompt"?
traffic: [{ kind: chat, model: a/b, images: [cat.png] }] | did you mean "messages"?
traffic: - kind: chat | a list with dashes begins on the next line
keys: [{ name: a, value: '${'$'}{env:A}' }] | did you mean "key"?
keys: '${'$'}{file:key.txt}' | write ${'$'}{secret:key.txt}
keys: '${'$'}{env:A' | write } at its end: ${'$'}{env:A}
retry: { attempts: 3, backoff: exponential } | unknown key "backoff"; expected "
budget: { usd: 5 } | did you mean "cost"?
deadlines: 30s | such as {firstToken: 10s, total: 60s}
deadlines: { ttft: 2s } | did you mean "firstToken"?
warmUp: 10 | a number needs its unit: 10s
objectives: [ttft p95 below 800ms] | write ttft.p95 < 800ms
mock: { faults: [{ fault: status-500, probability: 5% }] } | write 0.05
targets: [http://127.0.0.1:9/v1] | expected a mapping of names to targets
target: %TARGET% | write ${'$'}{env:NAME}
extends: base.yaml | scenarios/keys.md lists the keys
limits: { tokensPerMinute: 2M } | write 2000000
limits: unlimited | did you mean "none"?
budget: { cost: $5 } | write 5
deadlines: { read: 30s } | did you mean "idle"?
`;
