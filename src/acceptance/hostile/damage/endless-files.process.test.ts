import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  cleanUpAfterEach,
  launcher,
  startProgram,
  tempFolder,
  weirEnvironment,
} from '../../harness/weir-process.fixture.ts';

cleanUpAfterEach();

/** Runs `weir` in a process with little memory, so that whoever reads an endless file to its end is noticed. */
const weirInLittle = async (words: readonly string[], input = '/dev/null') => {
  const line = [process.execPath, '--max-old-space-size=200', launcher, ...words];
  const quoted = line.map((word) => `'${word}'`).join(' ');
  return startProgram(
    ['timeout', '--signal=KILL', '50', 'bash', '-c', `exec ${quoted} < ${input}`],
    weirEnvironment({ WEIR_API_KEY: 'sk-weir-test' }),
  ).ended;
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

it.each(scenariosOfFiles)(
  '%s that has no end, or is a folder, is refused by its name',
  async (_, scenario) => {
    for (const make of [['ln', '-s', '/dev/zero'], ['mkdir']]) {
      const folder = await tempFolder();
      const [program = '', ...words] = make;
      for (const name of oddNames) execFileSync(program, [...words, join(folder, name)]);
      await writeFile(join(folder, 'scenario.yaml'), scenario);
      const validate = ['validate', join(folder, 'scenario.yaml'), '--allow-files'];
      const { code, stderr } = await weirInLittle(validate);
      expect([code, stderr]).toEqual([2, expect.stringMatching(/scenario\.yaml:\d+:\d+: .*odd/)]);
      expect(stderr).not.toMatch(/\bE[A-Z]{4,}\b|ERR_/);
    }
  },
);

it.each([
  ['report', ['report', '/dev/zero']],
  ['merge', ['merge', '/dev/zero', '/dev/zero', '--out', 'unused']],
  ['compare', ['compare', '/dev/zero', '/dev/zero', '--out', 'unused']],
  ['validate', ['validate', '/dev/zero']],
  ['import', ['import', '/dev/zero']],
])('weir %s refuses a file that has no end', async (_, words) => {
  const { code, stderr } = await weirInLittle(words);
  expect([code, stderr]).toEqual([2, expect.stringContaining('/dev/zero')]);
});

it('weir import refuses a standard input that has no end', async () => {
  const { code, stderr } = await weirInLittle(['import', '-'], '/dev/zero');
  expect([code, stderr]).toEqual([2, expect.stringContaining('standard input has more than')]);
});
