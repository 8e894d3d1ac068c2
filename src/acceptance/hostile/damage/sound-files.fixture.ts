import { copyFile, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { tokenizerReferences } from '../../../platform/files/tokenizer-reference.fixture.ts';
import { sampleCalibration } from '../../../verbs/calibrate/report/sample-calibration.fixture.ts';
import { samples } from '../../../verbs/import/readers/samples.fixture.ts';

/**
 * Writes sound files of every form that a verb reads, each form in a folder of its name. `stored-forms.fixture.ts` says
 * which verbs read them.
 */

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const launcher = join(root, 'src/cli/weir.js');

const start = (args: readonly string[], history = 'off') =>
  spawn(process.execPath, [launcher, ...args], {
    cwd: root,
    stdio: 'ignore',
    env: { PATH: process.env['PATH'], CI: 'true', NO_COLOR: '1', WEIR_HISTORY: history },
  });

const weirTo = async (folder: string, args: readonly string[], history?: string): Promise<void> => {
  const [code] = (await once(start([...args, '--out', folder], history), 'close')) as [number];
  if (code === 1 || code === 2) throw new Error(`weir ${args.join(' ')} ended with ${code}`);
};

/** The runs whose results differ most in what they hold: every kind of traffic, failures, limits, stages. */
const storedRuns = {
  'result-quickstart': ['scenarios/quickstart.yaml', '--set', 'load.duration=5s'],
  'result-failures': ['scenarios/failures.yaml', '--set', 'load.duration=4s'],
  'result-saturate': ['scenarios/saturate.yaml', '--set', 'load.duration=4s'],
  'result-agents': ['scenarios/agents.yaml', '--set', 'load.duration=5s'],
  'result-server': [
    'scenarios/chat-stream.yaml',
    '--set',
    'load.duration=7s',
    '--set',
    'warmUp=0s',
    '--set',
    'server.metrics=/metrics',
    '--workers',
    '2',
  ],
} as const;

const everything = `target: http://127.0.0.1:9/v1
name: everything
keys:
  - { name: blue, key: '\${env:BLUE_KEY}', weight: 3, limits: { requestsPerMinute: 600 } }
  - { name: green, key: '\${env:WEIR_API_KEY}' }
headers: { x-team: load-tests }
wire: { http2: false, proxy: none, verifyTls: true }
deadlines: { connect: 5s, total: 30s }
limits: { requestsPerMinute: 120, tokensPerMinute: 20000 }
pace: { requests: 600/min }
retry: { attempts: 3 }
budget: { requests: 5000, cost: 10 }
prices: { weir/small: { input: 0.15, output: 0.60 } }
server: { metrics: http://127.0.0.1:9/metrics, every: 1s }
perRequest: [ttft < 500ms]
objectives:
  - ttft.p95{traffic=chat-stream, stage=users} < 800ms
  - { objective: faultRate < 20%, abort: { after: 30s } }
traffic:
  - kind: chat-stream
    weight: 2
    model: weir/small
    prompt: { tokens: { kind: normal, mean: 256, deviation: 32, min: 10 }}
    maxTokens: 60
  - kind: chat
    model: weir/small
    weight: 1
    prompts: [Say a number., Name a river.]
    maxTokens: 40
  - { kind: speech, model: weir-tts, text: The gate is open. }
  - { kind: transcription, model: weir/whisper }
  - { kind: models }
stages:
  - { name: ramp, load: { kind: ramping, from: 1/s, steps: [{ to: 5/s, over: 10s }] } }
  - { name: users, load: { kind: closed, users: 4, thinkTime: 1s, duration: 20s } }
  - { name: rest, load: { kind: poisson, rate: 5/s, duration: 20s } }
warmUp: 5s
grace: 10s
mock: { limits: { requestsPerMinute: 600 }, gap: 20ms }
`;

const chat = (prompt: string): string =>
  `target: http://127.0.0.1:9/v1\nkeys: '\${env:WEIR_API_KEY}'\ntraffic: [{ kind: chat-stream, model: weir/small, prompt: ${prompt}, maxTokens: 9 }]\nload: { kind: constant, rate: 1/s, duration: 5s }\n`;

const trace = (file: string): string =>
  chat('{ tokens: 20 }').replace(
    /load: .*/,
    `load: { kind: trace, file: ${file}, maxInputTokens: 900, maxOutputTokens: 90 }`,
  );

const traces = {
  'azure.csv':
    'TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 23:59:58.6805900,374,44\n2023-11-16 23:59:58.6805901,396,109\n2023-11-17 00:00:00.0000001,879,55\n2023-11-17 00:01:00,91,16\n',
  'burst.csv':
    'Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n5,ChatGPT,472,18,490,Conversation log\n45,ChatGPT,1087,230,1317,Conversation log\n118,GPT-4,417,0,417,API log\n',
  'mooncake.jsonl':
    '{"timestamp": 27482, "input_length": 1200, "output_length": 52, "hash_ids": [46, 47, 48]}\n{"timestamp": 27482, "input_length": 600, "output_length": 26, "hash_ids": [46, 49]}\n{"timestamp": 30535, "input_length": 672, "output_length": 1}\n',
  'bailian.jsonl':
    '{"chat_id": 1, "parent_chat_id": -1, "timestamp": 0.0, "input_length": 20, "output_length": 20, "type": "text", "turn": 1, "hash_ids": [1, 2]}\n{"chat_id": 2, "parent_chat_id": 1, "timestamp": 12.5, "input_length": 40, "output_length": 30, "type": "text", "turn": 2, "hash_ids": [1, 2, 3]}\n',
} as const;

const prompts = {
  'prompts.jsonl':
    '{"prompt": "Name a river.", "max_tokens": 20}\n{"messages": [{"role": "system", "content": "Be short."}, {"role": "user", "content": [{"type": "text", "text": "What is this?"}]}], "body": {"seed": 3}, "headers": {"x-team": "a"}}\n{"prompt": "Name a sea."}\n',
  'prompts.csv': 'prompt,max_tokens\n"Name a ""wide"" river.",20\nName a sea.,\n"Two\nlines.",5\n',
  'sharegpt.json': JSON.stringify(
    Array.from({ length: 3 }, (_, i) => ({
      id: `c${i}`,
      conversations: [
        { from: 'human', value: `Question ${i}?` },
        { from: 'gpt', value: 'An answer.' },
      ],
    })),
  ),
} as const;

const put = async (folder: string, files: Readonly<Record<string, string>>): Promise<void> => {
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
};

const writeTexts = async (sound: string): Promise<void> => {
  for (const [name, text] of Object.entries(prompts))
    await put(join(sound, name), { [name]: text, 'scenario.yaml': chat(`{ file: ${name} }`) });
  for (const [name, text] of Object.entries(traces))
    await put(join(sound, name), { [name]: text, 'scenario.yaml': trace(name) });
  const [reference] = tokenizerReferences;
  await put(join(sound, 'tokenizer.json'), {
    'tokenizer.json': reference?.tokenizer ?? '',
    'scenario.yaml': chat('{ tokens: 20, tokenizer: tokenizer.json }'),
  });
  await put(join(sound, 'text.txt'), {
    'text.txt': 'The gate is open. The river is calm. '.repeat(20),
    'scenario.yaml': chat('x').replace(
      /traffic: .*/,
      'traffic: [{ kind: speech, model: m, text: { file: text.txt } }]',
    ),
  });
  await put(join(sound, 'secret.key'), {
    'secret.key': 'sk-weir-test\n',
    'scenario.yaml': chat('x').replace('${env:WEIR_API_KEY}', '${secret:./secret.key}'),
  });
  for (const { name, kind, text } of samples)
    await put(join(sound, `import-${name.replaceAll(' ', '-')}`), { [`${kind}.txt`]: text });
  const k6 = samples.find(({ kind }) => kind === 'k6');
  await put(join(sound, 'import-into'), { 'k6.txt': k6?.text ?? '', 'into.yaml': chat('x') });
};

const writeScenarios = async (sound: string): Promise<void> => {
  const folder = join(root, 'scenarios');
  for (const name of await readdir(folder)) {
    if (!name.endsWith('.yaml')) continue;
    const text = await readFile(join(folder, name), 'utf8');
    const stripped = text.replaceAll(/^#.*\n/gm, '');
    await put(join(sound, `scenario-${name}`), { 'scenario.yaml': stripped });
  }
  await put(join(sound, 'scenario-everything.yaml'), { 'scenario.yaml': everything });
};

const writeMedia = async (sound: string): Promise<void> => {
  const speech = join(root, 'fixtures/speech');
  const withClip = (clip: string): string =>
    chat('x').replace(
      /traffic: .*/,
      `traffic: [{ kind: transcription, model: m, clips: ${clip} }]`,
    );
  for (const name of await readdir(speech)) {
    if (/\.(json|sh)$/.test(name)) continue;
    await put(join(sound, `clip-${name}`), { 'scenario.yaml': withClip(name) });
    await copyFile(join(speech, name), join(sound, `clip-${name}`, name));
  }
  await cp(speech, join(sound, 'manifest.json'), { recursive: true });
  await put(join(sound, 'manifest.json'), { 'scenario.yaml': withClip('manifest.json') });
  for (const name of ['gauge.png', 'river.jpg']) {
    const part = `{ type: image_url, image_url: { url: 'file:${name}' } }`;
    const content = `[{ type: text, text: What? }, ${part}]`;
    await put(join(sound, `image-${name}`), {
      'scenario.yaml': chat('x').replace('prompt: x', `prompt: ${content}`),
    });
    await copyFile(join(root, 'fixtures/images', name), join(sound, `image-${name}`, name));
  }
};

const writeCertificate = async (sound: string): Promise<void> => {
  const folder = join(sound, 'certificate.pem');
  const wire = (fields: string): string =>
    `${chat('x').replace('http:', 'https:')}wire: { ${fields} }\n`;
  await put(folder, { 'scenario.yaml': wire('clientCert: certificate.pem') });
  const words =
    'req -x509 -newkey rsa:2048 -nodes -days 3650 -subj /CN=localhost -keyout key -out cert';
  await once(spawn('openssl', words.split(' '), { cwd: folder, stdio: 'ignore' }), 'close');
  const [key, cert] = await Promise.all(
    ['key', 'cert'].map((name) => readFile(join(folder, name), 'utf8')),
  );
  await put(folder, { 'certificate.pem': `${key}${cert}` });
  await put(join(sound, 'authority.pem'), {
    'authority.pem': cert ?? '',
    'scenario.yaml': wire('caFile: authority.pem'),
  });
};

/** A run that was killed in its fourth second. */
const writeCheckpoint = async (sound: string): Promise<void> => {
  const out = join(sound, 'checkpoint');
  const child = start(['run', 'scenarios/quickstart.yaml', '--out', out]);
  const ended = once(child, 'close');
  let commits = 0;
  // A busy machine takes longer until the load begins.
  for (let waited = 0; waited < 1200 && commits < 3; waited += 1) {
    await sleep(100);
    const text = await readFile(join(out, 'checkpoint.jsonl'), 'utf8').catch(() => '');
    commits = (text.match(/"until"/g) ?? []).length;
  }
  child.kill('SIGKILL');
  await ended;
  if (commits === 0) throw new Error(`${out} has no checkpoint to damage`);
  for (const name of await readdir(out))
    if (name !== 'checkpoint.jsonl') await rm(join(out, name), { force: true });
};

const keepOnly = async (folder: string, names: readonly string[]): Promise<void> => {
  for (const name of await readdir(folder))
    if (!names.includes(name)) await rm(join(folder, name), { recursive: true, force: true });
};

/** Both slices of a run, beside each other. */
const writeSlices = async (sound: string): Promise<void> => {
  const folder = join(sound, 'result-slice');
  const words = ['run', 'scenarios/quickstart.yaml', '--set', 'load.duration=4s', '--start-at'];
  const runBoth = async (lead: number): Promise<boolean> => {
    const begin = new Date(Date.now() + lead).toISOString();
    const runs = ['0', '1'].map((n) =>
      weirTo(join(folder, n), [...words, begin, '--slice', `${n}/2`]),
    );
    return (await Promise.allSettled(runs)).every(({ status }) => status === 'fulfilled');
  };
  // A busy machine may need longer until both are ready.
  if (!(await runBoth(25_000)) && !(await runBoth(150_000)))
    throw new Error('both slices were ready too late');
  await copyFile(join(folder, '0/result.json'), join(folder, 'result.json'));
  await copyFile(join(folder, '1/result.json'), join(folder, 'other.json'));
  await keepOnly(folder, ['result.json', 'other.json']);
};

const writeRun = async (sound: string, form: string, words: readonly string[]): Promise<void> => {
  const out = join(sound, form);
  await mkdir(join(sound, 'history'), { recursive: true });
  const kept = ['--history', '--observations', join(out, 'observations.jsonl')];
  await weirTo(out, ['run', ...words, '--yes', ...kept], join(sound, 'history/history.db'));
  if (form === 'result-quickstart') {
    await mkdir(join(sound, 'observations'));
    for (const name of ['result.json', 'observations.jsonl'])
      await copyFile(join(out, name), join(sound, 'observations', name));
  }
  await keepOnly(out, ['result.json']);
};

/** A calibration of some other day: one of this machine has no cell where it is too busy to measure. */
const writeStoredCalibration = async (sound: string): Promise<void> => {
  await mkdir(join(sound, 'calibration'));
  const text = JSON.stringify(sampleCalibration());
  await writeFile(join(sound, 'calibration/calibration.json'), text);
};

/** What the examinations leave. They take a minute, so the short sample does without them. */
const writeExaminations = async (sound: string): Promise<void> => {
  await writeStoredCalibration(sound);
  const load = '--model weir/small --max-tokens 2'.split(' ');
  await Promise.all([
    weirTo(join(sound, 'check'), ['check', '--target', 'mock', '--yes']),
    weirTo(join(sound, 'limits'), ['limits', '--target', 'mock', '--quick', '--yes']),
    weirTo(join(sound, 'sweep'), [
      'sweep',
      '--target',
      'mock',
      ...load,
      '--rate',
      '5/s',
      '--duration',
      '2s',
      '--vary',
      'load.rate=5/s,10/s',
      '--yes',
    ]),
  ]);
  await Promise.all([
    keepOnly(join(sound, 'check'), ['check.json']),
    keepOnly(join(sound, 'limits'), ['limits.json']),
    keepOnly(join(sound, 'sweep'), ['sweep.json']),
  ]);
};

/** Writes the sound files into a folder; `isShort` leaves out those that take long. */
export const writeSoundFiles = async (sound: string, isShort: boolean): Promise<void> => {
  await mkdir(sound, { recursive: true });
  await writeTexts(sound);
  await writeScenarios(sound);
  await writeMedia(sound);
  await writeCertificate(sound);
  const { 'result-quickstart': quickstart, ...others } = storedRuns;
  await Promise.all([
    writeCheckpoint(sound),
    writeRun(sound, 'result-quickstart', quickstart),
    ...(isShort ? [] : [writeSlices(sound)]),
  ]);
  if (isShort) return;
  for (const [form, words] of Object.entries(others)) await writeRun(sound, form, words);
  await writeExaminations(sound);
};
