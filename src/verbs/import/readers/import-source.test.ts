import { describe, expect, it } from 'vitest';
import { fillRequestJson } from '../../../model/plan/secret.ts';
import { readScenario } from '../../../scenario/read-scenario.ts';
import { importText, recognise, importedText, insertObjectives } from './import-source.ts';
import { noteLine } from './imported.ts';
import { samples } from './samples.fixture.ts';
import {
  attack,
  environment,
  problemsOf,
  scenarioWith,
  textOfImport,
} from './imported-text.fixture.ts';

describe('what is imported', () => {
  it.each(samples)('$name: recognised, valid, without a key, and nothing unnamed', (sample) => {
    expect(recognise(sample.text)).toBe(sample.kind);
    const imported = importText(sample.kind, sample.text, attack);
    const text = textOfImport(imported);
    expect(problemsOf(text)).toEqual([]);
    expect(text).not.toContain('sk-1');
    const left = imported.notes.filter(({ kind }) => kind === 'left').map(noteLine);
    expect(left, left.join('\n')).toHaveLength(sample.left);
    for (const note of imported.notes) expect(text).toContain(`#   ${noteLine(note)}\n`);
  });

  it.each(samples)('$name', (sample) => {
    const imported = importText(sample.kind, sample.text, attack);
    const text = importedText(imported, '', '');
    expect(text.replaceAll(/^(#.*)?\n/gm, '')).toBe(sample.made);
  });
});

const guideLlm =
  'guidellm benchmark --target http://h:8000 --model m --max-seconds 9 --rate-type constant --rate 2';
const aiPerf = 'aiperf profile -u http://h:8000 -m m --request-rate 2 --benchmark-duration 9';

const leftOf = (kind: 'guidellm' | 'aiperf', script: string): readonly string[] =>
  importText(kind, script, attack)
    .notes.filter((note) => note.kind === 'left')
    .map(({ place }) => place);

describe('an option', () => {
  it.each([
    '--output-formats csv',
    '--output_formats json',
    '--output-extras a=b',
    '--outputs kind=html',
    '--disable-console-outputs',
    '--disable-progress',
    '--display-scheduler-stats',
    '--log-level debug',
    '--no-color',
    '--quiet',
    '--processor-args \'{"trust_remote_code": true}\'',
    '--tokenizer-revision main',
    '--tokenizer-trust-remote-code',
    '--artifact-dir x',
    '--export-level raw',
    '--label nightly',
  ])('that bears on nothing that is sent is not needed: %s', (option) => {
    expect(leftOf('guidellm', `${guideLlm} --data prompt_tokens=9 ${option}`)).toEqual([]);
    expect(leftOf('aiperf', `${aiPerf} ${option}`)).toEqual([]);
  });

  it.each(['--output-tokens-mean-deterministic', '--data-column-mapper {}', '--user-files x'])(
    'that may bear on what is sent is left out: %s',
    (option) => {
      const [name] = option.split(' ');
      expect(leftOf('guidellm', `${guideLlm} --data prompt_tokens=9 ${option}`)).toEqual([name]);
      expect(leftOf('aiperf', `${aiPerf} ${option}`)).toEqual([name]);
    },
  );

  it('of AIPerf that asks for the server’s counts is not needed, since Weir uses them', () => {
    const script =
      'aiperf profile -m m -u h:8000 --request-rate 2 --benchmark-duration 30 --isl 32 --tokenizer-trust-remote-code --tokenizer-revision main --artifact-dir x --random-seed 1 --use-server-token-count';
    expect(leftOf('aiperf', script)).toEqual([]);
  });

  it('of a part of GuideLLM that bears on nothing that is sent is not needed', () => {
    const backend = 'kind=openai_http,target=http://h,model=m,validate_backend=false,timeout=9';
    const script = `guidellm run --backend ${backend} --profile kind=synchronous --data prompt_tokens=9`;
    expect(leftOf('guidellm', script)).toEqual(['--backend']);
  });
});

describe('a command for a shell of Windows', () => {
  it.each([
    ['cmd', ' ^\r\n  '],
    ['PowerShell', ' `\r\n '],
    ['PowerShell, with a space behind', ' ` \n'],
  ])('goes on in the next line, by %s', (_, end) => {
    const words = ['guidellm benchmark', '--target http://h:8000', '--rate-type constant'];
    const text = [...words, '--rate 2', '--max-seconds 30', '--model m'].join(end);
    expect(recognise(text)).toBe('guidellm');
    expect(importText('guidellm', text, attack)).toMatchObject({
      scenario: {
        traffic: [{ model: 'm' }],
        load: { kind: 'constant', rate: '2/s', duration: '30s' },
      },
    });
  });

  it.each([
    [
      'cmd',
      'set URL=http://h:8000\r\n@set "NAME=a b"\r\nset MODEL=m\r\naiperf.exe profile -u %URL%/v1 -m %MODEL% ',
    ],
    [
      'PowerShell',
      '$env:URL = "http://h:8000"\n$Model = \'m\'\naiperf profile -u "$env:URL/v1" -m $Model ',
    ],
  ])('has its variables, by %s', (_, start) => {
    const text = `${start} --concurrency 2 --request-count 50 --extra-inputs user:%C3%A4`;
    expect(recognise(text)).toBe('aiperf');
    expect(importText('aiperf', text, attack)).toMatchObject({
      scenario: { target: 'http://h:8000/v1', traffic: [{ model: 'm', body: { user: '%C3%A4' } }] },
    });
  });

  it('leaves nothing out in silence where a line is not continued', () => {
    const text = 'aiperf profile -m m -u h:8000 --concurrency 2\n  --request-count 50\n';
    expect(importText('aiperf', text, attack).notes.map(noteLine)).toContain(
      'Left out    line 2: options of no command: end the line before it with a backslash',
    );
  });
});

describe('k6', () => {
  const importedFrom = (thresholds: object, more: object = {}) =>
    importText('k6', JSON.stringify({ thresholds, ...more }), attack);

  it('has the least and the most as percentiles, and others that Weir has not', () => {
    const all = ['p(100)<9', 'p(0)>1', 'p(99.9999)<5', 'p(95)<1'];
    const { notes, ...made } = importedFrom({ http_req_duration: all });
    expect(made).toEqual({
      kind: 'objectives',
      objectives: ['serviceTime.max < 9ms', 'serviceTime.min > 1ms', 'serviceTime.p95 < 1ms'],
    });
    expect(notes.map(noteLine)).toEqual([expect.stringContaining('p(99.9999)<5')]);
  });

  it('has a load without its length and thresholds that end the test, which get a line', () => {
    const ends = { threshold: 'p(95)<1', abortOnFail: true, delayAbortEval: '10s' };
    const goesOn = { threshold: 'p(50)<1', abortOnFail: false };
    const options = { scenarios: { a: { executor: 'constant-vus' } }, vus: 3, stages: null };
    const { notes } = importedFrom(
      { http_req_duration: [ends], http_req_waiting: [goesOn, 'p(99)<3'] },
      options,
    );
    expect(notes.map(noteLine)).toEqual([
      'Left out    scenario a: expected a duration as "duration"',
      'Left out    scenarios, vus: nothing of it makes a load: write "load" for it',
      'Left out    http_req_duration, abortOnFail: write "abort: { after: 10s }" beside its objective',
    ]);
  });
});

describe('what needs no import', () => {
  it.each([
    [
      'a batch of OpenAI',
      '{"custom_id":"1","method":"POST","url":"/v1/chat/completions","body":{}}',
    ],
    [
      'a recording of a browser',
      '{"log":{"entries":[{"request":{"method":"GET","url":"http://h"}}]}}',
    ],
    ['a trace', '{"timestamp":0,"input_length":3,"output_length":1,"hash_ids":[1]}'],
    ['conversations', '[{"conversations":[{"from":"human","value":"the method and the url"}]}]'],
  ])('is not taken for targets: %s', (_, text) => {
    expect(recognise(text)).toBeNull();
  });
});

describe('a variable of the shell', () => {
  const targetOf = (kind: 'guidellm' | 'aiperf', script: string): unknown => {
    const imported = importText(kind, script, attack);
    return imported.kind === 'scenario' ? imported.scenario['target'] : null;
  };
  const run = 'guidellm run --profile kind=synchronous --data prompt_tokens=9 --backend';

  it.each([
    ['BK=kind=openai_http,target=http://g:1,model=m', `${run} $BK`],
    ['HOST=g\nexport BK="kind=openai_http,target=http://$HOST:1,model=m"', `${run} "$BK"`],
    ['readonly PORT=1', `${run} kind=openai_http,target=http://g:\${PORT},model=m`],
    ['# nothing', `${run} "kind=openai_http,target=\${URL:-http://g:1},model=m"`],
  ])('that the script sets stands for its value: %s', (before, command) => {
    expect(targetOf('guidellm', `${before}\n${command}`)).toBe('http://g:1/v1');
  });

  it('that the script sets stands for its value in AIPerf, too', () => {
    const script = 'URL=g:1; M=a/b\naiperf profile -u $URL -m $M --request-count 9';
    expect(targetOf('aiperf', script)).toBe('http://g:1/v1');
  });

  it.each([
    ['guidellm', `${run} kind=openai_http,target=http://g:1,model=m,api_key=$BK`],
    ['guidellm', `${run} '{"target": "http://g:1", "model": "m", "api_key": "'$BK'"}'`],
    ['aiperf', 'aiperf profile -m m -u g:1 --request-count 9 --api-key $BK'],
    ['aiperf', 'aiperf profile -m m -u g:1 --request-count 9 -H "Authorization: Bearer $BK"'],
  ] as const)('that is the key hides nothing of %s: %s', (kind, script) => {
    expect(targetOf(kind, script)).toBe('http://g:1/v1');
    expect(leftOf(kind, script)).toEqual([]);
    expect(textOfImport(importText(kind, script, attack))).not.toContain('BK');
  });

  it('that is one setting of a part hides this one only', () => {
    const script = `${run} kind=openai_http,target=http://g:1,model=$M`;
    expect(targetOf('guidellm', script)).toBe('http://g:1/v1');
    const notes = importText('guidellm', script, attack).notes.map(noteLine);
    expect(notes[0]).toContain('--backend: only the shell knows its "model"');
  });

  it.each([
    ['guidellm', `${run} kind=openai_http,target=$URL,model=m`, 'the value of --backend'],
    ['guidellm', `${run} $BK`, 'the value of --backend'],
    ['guidellm', 'guidellm benchmark --target "$URL" --rate 1', 'the value of --target'],
    ['guidellm', `BK=$(cat backend)\n${run} $BK`, 'the value of --backend'],
    ['guidellm', `BK="a b"\n${run} $BK`, 'the value of --backend'],
    ['guidellm', `${run} $BK\nBK=target=http://late`, 'the value of --backend'],
    ['aiperf', 'aiperf profile -m m -u $URL', 'the value of -u'],
    ['aiperf', 'aiperf profile -m m --url `host`', 'the value of --url'],
  ] as const)('that hides the target of %s is named: %s', (kind, script, expected) => {
    expect(() => importText(kind, script, attack)).toThrow(expected);
  });
});

describe('what a scenario would replace', () => {
  const written = 'a ${uuid} ${index} ${env:HOME} $${uuid} ${other} ${command:date}';

  it.each([
    [
      'guidellm',
      `${guideLlm} --data prompt_tokens=9 --backend-kwargs '{"extras":{"body":{"user":"${written}"}}}'`,
    ],
    ['aiperf', `${aiPerf} --extra-inputs 'user:${written}'`],
    [
      'vegeta',
      JSON.stringify({
        method: 'POST',
        url: 'http://h/v1/chat/completions',
        body: Buffer.from(
          JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'a' }], user: written }),
        ).toString('base64'),
      }),
    ],
  ] as const)('is sent as it stands in a body of %s', (kind, source) => {
    const text = textOfImport(importText(kind, source, attack));
    expect(problemsOf(text)).toEqual([]);
    const reading = readScenario({ text, name: 'a.yaml', environment });
    const [entry] = reading.ok ? reading.plan.stages[0]!.traffic : [];
    const body = entry !== undefined && 'body' in entry ? entry.body : {};
    expect(fillRequestJson(body, { uuid: 'u', index: 0 })).toMatchObject({ user: written });
  });

  it('is sent as it stands in a prompt, where only the environment is replaced', () => {
    const prompt = { model: 'm', messages: [{ role: 'user', content: written }] };
    const body = Buffer.from(JSON.stringify(prompt)).toString('base64');
    const source = { method: 'POST', url: 'http://h/v1/chat/completions', body };
    const text = textOfImport(importText('vegeta', JSON.stringify(source), attack));
    const reading = readScenario({ text, name: 'a.yaml', environment });
    expect(JSON.stringify(reading.ok && reading.plan)).toContain(JSON.stringify(written));
  });
});

describe('objectives in a scenario', () => {
  it.each([
    ['none yet', '', '\nobjectives:\n  - a < 1\n'],
    [
      'a list',
      'objectives:\n  - x < 1 # why\nseed: 2\n',
      'objectives:\n  - x < 1 # why\n  - a < 1\nseed: 2\n',
    ],
    ['a list at the margin', 'objectives:\n- x < 1', 'objectives:\n- x < 1\n- a < 1\n'],
    [
      'mappings',
      'objectives:\n  - objective: x < 1\n    severity: warn\n',
      'objectives:\n  - objective: x < 1\n    severity: warn\n  - a < 1\n',
    ],
  ])('with %s', (_, before, after) => {
    expect(insertObjectives(scenarioWith(before), ['a < 1'])).toBe(scenarioWith(after));
  });

  it.each(['{ a: 1 }', '- a', 'objectives: [a < 1]\nb: 1', 'a: [', ''])(
    'are refused in %j',
    (text) => {
      expect(() => insertObjectives(text, ['a < 1'])).toThrow('--into: expected');
    },
  );
});
