import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import {
  cleanUpAfterEach,
  launcher,
  startProgram,
  weirEnvironment,
} from '../../harness/weir-process.fixture.ts';

cleanUpAfterEach();
// On a busy machine twenty commands take minutes.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

interface EndedCommand {
  readonly code: number | null;
  readonly stderr: string;
}

const runner = fileURLToPath(new URL('run-commands.fixture.ts', import.meta.url));

/** Runs a program of Node with little memory, so that whoever reads an endless file to its end is noticed. */
const inLittle = async (
  program: string,
  words: readonly string[],
  { input = '/dev/null', seconds = 50 }: { readonly input?: string; readonly seconds?: number },
) => {
  const line = [process.execPath, '--max-old-space-size=200', '--no-warnings', program, ...words];
  const quoted = line.map((word) => `'${word}'`).join(' ');
  return startProgram(
    ['timeout', '--signal=KILL', String(seconds), 'bash', '-c', `exec ${quoted} < ${input}`],
    weirEnvironment({ WEIR_API_KEY: 'sk-weir-test' }),
  ).ended;
};

/** Runs command lines one after the other in one process with little memory. What it does not come to has no entry. */
const runInLittle = async (
  commands: readonly (readonly string[])[],
): Promise<readonly EndedCommand[]> => {
  const { stdout } = await inLittle(runner, [JSON.stringify(commands)], {
    seconds: 50 + 10 * commands.length,
  });
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as EndedCommand);
};

const chat = (prompt: string): string =>
  `target: http://127.0.0.1:9/v1\nkeys: '\${env:WEIR_API_KEY}'\ntraffic: [{kind: chat-stream, model: m, prompt: ${prompt}, maxTokens: 9}]\nload: {kind: constant, rate: 1/s, duration: 5s}\n`;

const speech = chat('x').replace(
  /traffic: .*/,
  'traffic: [{kind: speech, model: m, text: {file: odd}}]',
);

/** A scenario of each kind of file that it names; `odd` is the file. */
const scenariosOfFiles: readonly (readonly [string, string])[] = [
  ['prompts', chat('{file: odd.jsonl}')],
  ['a trace', chat('{tokens: 9}').replace(/load: .*/, 'load: {kind: trace, file: odd}')],
  ['a text', speech],
  ['a tokenizer', chat('{tokens: 9, tokenizer: odd.json}')],
  ['a picture', chat("[{type: image_url, image_url: {url: 'file:odd'}}]")],
  [
    'a clip',
    speech.replace(/traffic: .*/, 'traffic: [{kind: transcription, model: m, clips: odd.wav}]'),
  ],
  [
    'a manifest',
    speech.replace(/traffic: .*/, 'traffic: [{kind: transcription, model: m, clips: odd.json}]'),
  ],
  ['a secret', chat('x').replace('${env:WEIR_API_KEY}', '${secret:./odd}')],
  ['an authority', `${chat('x').replace('http:', 'https:')}wire: {caFile: odd}\n`],
  ['a certificate', `${chat('x').replace('http:', 'https:')}wire: {clientCert: odd}\n`],
];

const oddNames = ['odd', 'odd.json', 'odd.jsonl', 'odd.wav'] as const;

/** Makes the folder of a scenario whose file is endless or a folder; resolves with the command that reads it. */
const validateIn = async (scenario: string, make: readonly [string, ...string[]]) => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-endless-'));
  folders.push(folder);
  const [program, ...words] = make;
  for (const name of oddNames) execFileSync(program, [...words, join(folder, name)]);
  await writeFile(join(folder, 'scenario.yaml'), scenario);
  return ['validate', join(folder, 'scenario.yaml'), '--allow-files'];
};

const folders: string[] = [];
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true });
});

const kinds = [['ln', '-s', '/dev/zero'], ['mkdir']] as const;
let ended: readonly EndedCommand[] = [];
beforeAll(async () => {
  const commands = await Promise.all(
    scenariosOfFiles.flatMap(([, scenario]) => kinds.map((make) => validateIn(scenario, make))),
  );
  ended = await runInLittle(commands);
});

it.each(scenariosOfFiles.map(([name], index) => [name, index] as const))(
  '%s that has no end, or is a folder, is refused by its name',
  (_, index) => {
    for (const kind of kinds.keys()) {
      const { code, stderr } = ended[index * kinds.length + kind]!;
      expect([code, stderr]).toEqual([2, expect.stringMatching(/scenario\.yaml:\d+:\d+: .*odd/)]);
      expect(stderr).not.toMatch(/\bE[A-Z]{4,}\b|ERR_/);
    }
  },
);

it('a scenario, a result or a file of another tool that has no end is refused', async () => {
  const commands = [
    ['report', '/dev/zero'],
    ['merge', '/dev/zero', '/dev/zero', '--out', 'unused'],
    ['compare', '/dev/zero', '/dev/zero', '--out', 'unused'],
    ['validate', '/dev/zero'],
    ['import', '/dev/zero'],
  ];
  const refused = { code: 2, stderr: expect.stringContaining('/dev/zero') as string };
  expect(await runInLittle(commands)).toEqual(commands.map(() => refused));
});

it('weir import refuses a standard input that has no end', async () => {
  const { code, stderr } = await inLittle(launcher, ['import', '-'], { input: '/dev/zero' });
  expect([code, stderr]).toEqual([2, expect.stringContaining('standard input has more than')]);
});
