import type { ImportKind } from './import-kinds.ts';

/** Files and command lines of other tools, by a short name. All can be imported. */

interface Sample {
  readonly name: string;
  readonly kind: ImportKind;
  readonly text: string;
  /** The number of parts that are left out. */
  readonly left: number;
  /** The text of the result, without the lines at its head. */
  readonly made: string;
}

const host = 'http://127.0.0.1:8080/v1';
const encoded = (body: object | string): string =>
  Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)).toString('base64');

const question = { model: 'a/b', messages: [{ role: 'user', content: 'Hello.' }], max_tokens: 9 };

const form = ['model', 'stt'].join('"\r\n\r\n');
const upload = `--xx\r\nContent-Disposition: form-data; name="${form}\r\n--xx\r\nContent-Disposition: form-data; name="file"; filename="a b.wav"\r\nContent-Type: audio/wav\r\n\r\nRIFF\r\n--x\r\n--xx--\r\n`;

const json = (path: string, body?: object | string, header = {}): string =>
  JSON.stringify({
    method: body === undefined ? 'GET' : 'POST',
    url: `${host}${path}`,
    ...(body === undefined ? {} : { body: encoded(body) }),
    header,
  });

const jsonTargets = [
  json('/chat/completions', question),
  json('/chat/completions', { ...question, stream: true, temperature: 3, top_p: 0.5, n: 2 }),
  json('/chat/completions', question),
  json('/audio/speech', { model: 'tts', input: 'The gate.', speed: 1.5 }),
  json('/audio/transcriptions', upload, { 'Content-Type': ['multipart/form-data; boundary=xx'] }),
  json('/models'),
].join('\n');

const k6Metrics = {
  http_req_duration: { thresholds: { 'p(95)<800': false, 'avg<400': false } },
  'http_req_duration{expected_response:true}': { thresholds: { 'med<=300.5': true } },
  http_req_failed: { thresholds: { 'rate<0.01': false } },
  http_reqs: { thresholds: { 'rate>100': false } },
  checks: { thresholds: { 'rate>0.99': false } },
  vus: { value: 3 },
};

export const samples: readonly Sample[] = [
  {
    name: 'vegeta json',
    kind: 'vegeta',
    text: jsonTargets,
    left: 0,
    made: `target: http://127.0.0.1:8080/v1
keys: \${env:WEIR_API_KEY}
limits: none
traffic:
  - kind: chat
    model: a/b
    prompt: Hello.
    maxTokens: 9
    weight: 2
  - kind: chat-stream
    model: a/b
    prompt: Hello.
    maxTokens: 9
    topP: 0.5
    body: { temperature: 3, n: 2 }
    weight: 1
  - kind: speech
    model: tts
    text: The gate.
    format: mp3
    speed: 1.5
    weight: 1
  - kind: transcription
    clips: a_b.wav
    format: json
    model: stt
    weight: 1
  - kind: models
    weight: 1
load: { kind: constant, rate: 50/s, duration: 30s }
`,
  },
  {
    name: 'vegeta http',
    kind: 'vegeta',
    text: `# two\nGET ${host}/models\nGET ${host}/models\nX-Team: load\n\nDELETE ${host}/files/1\n`,
    left: 2,
    made: `target: http://127.0.0.1:8080/v1
keys: \${env:WEIR_API_KEY}
limits: none
traffic:
  - kind: models
    weight: 2
load: { kind: constant, rate: 50/s, duration: 30s }
`,
  },
  {
    name: 'k6 summary',
    kind: 'k6',
    text: JSON.stringify({ metrics: k6Metrics }),
    left: 1,
    made: `objectives:
  - serviceTime.p95 < 800ms
  - serviceTime.mean < 400ms
  - serviceTime.median <= 300.5ms
  - errorRate < 1%
  - sentRate > 100/s
`,
  },
  {
    name: 'k6 data of handleSummary',
    kind: 'k6',
    text: JSON.stringify({
      root_group: { name: '', checks: [] },
      options: { summaryTrendStats: ['avg', 'p(95)'], summaryTimeUnit: '' },
      state: { isStdOutTTY: true },
      metrics: {
        http_req_waiting: {
          type: 'trend',
          contains: 'time',
          values: { 'p(99.9)': 5 },
          thresholds: { 'p(99.9) < 1500': { ok: true }, 'count>5': { ok: true } },
        },
        http_req_failed: {
          type: 'rate',
          contains: 'default',
          values: { rate: 0, passes: 0, fails: 9 },
          thresholds: { 'rate==0': { ok: true } },
        },
      },
    }),
    left: 1,
    made: `objectives:
  - headers.p99.9 < 1500ms
  - errorRate <= 0%
`,
  },
  {
    name: 'k6 inspect',
    kind: 'k6',
    text: JSON.stringify({
      vus: null,
      scenarios: {
        steady: { executor: 'constant-vus', startTime: null, vus: 5, duration: '1m30s' },
        wave: {
          executor: 'ramping-vus',
          startTime: '15s',
          stages: [
            { duration: '10s', target: 20 },
            { duration: '30s', target: 20 },
            { duration: '0s', target: 40 },
            { duration: '5s', target: 40 },
          ],
        },
        rate: { executor: 'constant-arrival-rate', rate: 300, timeUnit: '1m0s', duration: '30s' },
        climb: {
          executor: 'ramping-arrival-rate',
          startRate: 5,
          stages: [
            { target: 50, duration: '20s' },
            { target: 0, duration: '0s' },
          ],
        },
        shared: { executor: 'shared-iterations', vus: 4, iterations: 200, maxDuration: '2m0s' },
        each: { executor: 'per-vu-iterations', vus: 4, iterations: 20, tags: { a: 'b' } },
      },
      rps: null,
      thresholds: { http_req_failed: ['rate<0.01'] },
    }),
    left: 1,
    made: `target: mock
keys: \${env:WEIR_API_KEY}
limits: none
traffic:
  - kind: chat-stream
    model: MODEL
    prompt: Hello.
populations:
  - name: steady
    load: { kind: closed, users: 5, duration: 1m30s }
  - name: wave
    after: 15s
    stages:
      - name: part 1
        load: { kind: closed, users: 20, duration: 40s, rampUp: 10s }
      - name: part 2
        load: { kind: closed, users: 40, duration: 5s }
  - name: rate
    load: { kind: constant, rate: 5/s, duration: 30s }
  - name: climb
    load:
      kind: ramping
      from: 5/s
      steps:
        - { to: 50/s, over: 20s }
        - { to: 0/s, over: 0s }
  - name: shared
    load: { kind: iterations, users: 4, iterations: 200, maxDuration: 2m }
  - name: each
    load: { kind: iterations, users: 4, iterations: 80, maxDuration: 10m }
objectives:
  - errorRate < 1%
`,
  },
  {
    name: 'GuideLLM 0.6',
    kind: 'guidellm',
    text: `guidellm benchmark --target http://host:8000 --rate-type poisson --rate 5 --rate 10 \\
  --max-seconds 30 --data "prompt_tokens=256,prompt_tokens_stdev=32,prompt_tokens_min=10,output_tokens=128" \\
  --model a/b --random-seed=7 --warmup 0.1 --output-path out.json`,
    left: 0,
    made: `target: http://host:8000/v1
keys: \${env:WEIR_API_KEY}
limits: none
traffic:
  - kind: chat-stream
    model: a/b
    prompt:
      tokens: { kind: normal, mean: 256, deviation: 32, min: 10 }
    maxTokens: 128
    body: { ignore_eos: true }
load: { kind: poisson, rate: 5/s, duration: 30s }
vary:
  load.rate: [ 5/s, 10/s ]
warmUp: 3s
seed: 7
`,
  },
  {
    name: 'GuideLLM 0.8',
    kind: 'guidellm',
    text: `guidellm run --backend kind=openai_http,target=https://host/v1,model=a/b,api_key=sk-1,extras.body.top_k=5 \\
  --profile '{"kind": "concurrent", "streams": [1, 4, 16]}' --seed kind=static,value=3 \\
  --data kind=synthetic_text,prompt_tokens=512,output_tokens=64,prefix_tokens=100,prefix_count=4,turns=2 \\
  --constraint kind=max_requests,count=200 --constraint kind=max_errors,count=5`,
    left: 0,
    made: `target: https://host/v1
keys: \${env:WEIR_API_KEY}
limits: none
traffic:
  - kind: chat-stream
    model: a/b
    prompt:
      tokens: 612
      prefix: { tokens: 100, pool: 4 }
      turns: { count: 2, answer: 64 }
    maxTokens: 64
    body: { ignore_eos: true, top_k: 5 }
load: { kind: iterations, users: 1, iterations: 200 }
vary:
  load.users: [ 1, 4, 16 ]
objectives:
  - objective: failed < 5
    abort: { after: 10s }
seed: 3
wire: { verifyTls: false }
`,
  },
  {
    name: 'AIPerf, users',
    kind: 'aiperf',
    text: `aiperf profile --model a/b --url localhost:8000 --endpoint-type chat --streaming --concurrency 10,20 \\
  --request-count 100 --isl 128,512 --isl-stddev 16 --osl 64,128 --random-seed 5 --goodput "request_latency:2000 time_to_first_token:300" \\
  --tokenizer builtin --ui none --request-timeout-seconds 60 --num-prefix-prompts 3 --prefix-prompt-length 50`,
    left: 0,
    made: `target: http://localhost:8000/v1
keys: \${env:WEIR_API_KEY}
limits: none
traffic:
  - kind: chat-stream
    model: a/b
    prompt:
      tokens: { kind: normal, mean: 178, deviation: 16 }
      prefix: { tokens: 50, pool: 3 }
    maxTokens: 64
load: { kind: iterations, users: 10, iterations: 100 }
vary:
  prompt.tokens.mean: [ 178, 562 ]
  maxTokens: [ 64, 128 ]
  load.users: [ 10, 20 ]
perRequest:
  - serviceTime <= 2000ms
  - ttft <= 300ms
seed: 5
deadlines: { total: 1m }
`,
  },
  {
    name: 'AIPerf, a rate',
    kind: 'aiperf',
    text: `uv run aiperf profile -m a/b -m c/d -u http://host:8000 --request-rate 5 --arrival-smoothness 0.5 --num-requests 100 \\
  --warmup-request-count 10 -H "X-Team:load" -H "Authorization:Bearer sk-1" --extra-inputs top_k:5 ignore_eos:true --failed-request-threshold 0.2`,
    left: 0,
    made: `target: http://host:8000/v1
keys: \${env:WEIR_API_KEY}
headers: { x-team: load }
limits: none
traffic:
  - kind: chat
    model: a/b
    prompt: &a1 { tokens: 550 }
    body: &a2 { top_k: 5, ignore_eos: true }
  - kind: chat
    model: c/d
    prompt: *a1
    body: *a2
load: { kind: gamma, rate: 5/s, duration: 22s, shape: 0.5 }
warmUp: 2s
objectives:
  - objective: errorRate <= 20%
    abort: { after: 10s }
`,
  },
];
