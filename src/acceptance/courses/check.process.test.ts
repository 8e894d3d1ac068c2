import { readdir, readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { check } from '../../library/library.ts';
import { fakeHost } from '../../run/fake-host.fixture.ts';
import { type CheckCommand, checkGateway } from '../../verbs/check/check.ts';
import { type CheckReport, checkReportSchema } from '../../verbs/check/model/check-report.ts';
import { sampleCheck, sampleRow } from '../../verbs/check/report/sample-check.fixture.ts';
import { countersOf } from '../harness/open-mock.fixture.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import { cleanUpAfterEach, tempFolder } from '../harness/weir-process.fixture.ts';
import { gatewayForFile, inFolder, withKey } from './quick-scenario.fixture.ts';

cleanUpAfterEach();
/** It has the four limit headers on answers of chats alone, and no tool calls. */
const gateway = gatewayForFile({
  limits: { profile: 'litellm', requestsPerMinute: 10_000, tokensPerMinute: 9_000_000 },
});

const reportIn = async (folder: string): Promise<CheckReport> =>
  checkReportSchema.parse(JSON.parse(await readFile(inFolder(folder)('check.json'), 'utf8')));

const checked = async (...words: readonly string[]) => {
  const out = await tempFolder();
  const ended = await gateway.weir('check', '--target', gateway.url(), '--out', out, ...words);
  return { ...ended, out, report: await reportIn(out) };
};

const command = (out: string, more: Partial<CheckCommand> = {}): CheckCommand => ({
  scenario: undefined,
  target: gateway.url(),
  set: [],
  allowFiles: false,
  key: undefined,
  model: undefined,
  voice: undefined,
  speechModel: undefined,
  transcriptionModel: undefined,
  profile: undefined,
  only: 'models,streams',
  skip: undefined,
  noCost: false,
  timeout: undefined,
  strict: false,
  yes: true,
  out,
  jobSummary: undefined,
  ...more,
});

describe('a check', () => {
  it('asks for all that the interface says, and reports it in every form', async () => {
    const { code, stdout, stderr, out, report } = await checked('--yes');
    const { models, spent, rows, stopped } = report;
    expect(models).toEqual({
      chat: 'weir/small',
      speech: 'weir-tts',
      transcription: 'weir/whisper',
      voice: 'Emily.wav',
    });
    const [, requests, more] = /Budget: (\d+) requests, and up to (\d+) more/.exec(stderr)!;
    expect([Number(requests), Number(more)]).toEqual([67, 13]);
    expect(spent).toMatchObject({ requests: 67, characters: 280, audioSeconds: 80, waits: 0 });
    expect(spent.inputTokens).toBeGreaterThan(50);
    expect(spent.outputTokens).toBeGreaterThan(100);
    expect(stopped).toBeNull();
    const notKept = rows.filter(({ outcome }) => !['pass', 'open', 'unchecked'].includes(outcome));
    expect([...new Set(notKept.map(({ topic }) => topic))]).toEqual(['limits']);
    const isBroken = notKept.some(({ outcome }) => outcome === 'violation');
    expect(code, stdout).toBe(isBroken ? 10 : 0);
    expect((await readdir(out)).toSorted()).toEqual([
      'check.html',
      'check.json',
      'check.junit.xml',
      'check.md',
    ]);
    const junit = await readFile(inFolder(out)('check.junit.xml'), 'utf8');
    expect(junit.match(/<testcase /g)).toHaveLength(rows.length);
    for (const { id } of notKept) {
      expect(stdout).toContain(id);
      expect(await readFile(inFolder(out)('check.md'), 'utf8')).toContain(id);
    }
    expect(stderr).toContain(`JUnit:   ${inFolder(out)('check.junit.xml')}`);
  });

  it('whose only finding is a known deviation fails where deviations count, and by no profile that has it', async () => {
    const only = ['--yes', '--only', 'headers.speech'];
    const plain = await checked(...only);
    expect(plain.report.rows.map(({ id, outcome }) => [id, outcome])).toEqual([
      ['headers.speech', 'deviation'],
    ]);
    const strict = await checked(...only, '--strict');
    const profiled = await checked(...only, '--strict', '--profile', 'litellm');
    expect(profiled.report.rows.map(({ outcome }) => outcome)).toEqual(['exempt']);
    expect([plain.code, strict.code, profiled.code]).toEqual([0, 10, 0]);
    const junits = [plain, strict, profiled].map(({ out }) =>
      readFile(inFolder(out)('check.junit.xml'), 'utf8'),
    );
    expect((await Promise.all(junits)).map((text) => text.includes('<failure'))).toEqual([
      false,
      true,
      false,
    ]);
    expect(strict.stdout).toContain('Exit 10. ');
    expect(plain.stdout).not.toContain('Exit ');
  });

  it('chooses by --only, --skip and --no-cost what it sends, and --model whom it asks', async () => {
    const { report, code } = await checked('--no-cost', '--skip', 'speech,limits', '--yes');
    expect(code).toBe(0);
    expect(report.spent).toMatchObject({ outputTokens: 0, characters: 0, audioSeconds: 0 });
    const topics = new Set(report.rows.map(({ topic }) => topic));
    expect([topics.has('speech'), topics.has('errors')]).toEqual([false, true]);
    const named = ['--model', 'weir/other', '--voice', 'None.wav', '--speech-model', 's'];
    const other = await checked(
      '--yes',
      '--only',
      'models',
      ...named,
      '--transcription-model',
      't',
    );
    expect(other.report.models).toEqual({
      chat: 'weir/other',
      speech: 's',
      transcription: 't',
      voice: 'None.wav',
    });
  });

  it.each([
    [['--profile', 'litelm'], '--profile: expected one of '],
    [['--only', 'model'], '--only: expected checks or topics'],
    [['--only', ' , '], 'got none'],
    [['--only', 'models', '--skip', 'models'], '--only, --skip and --no-cost leave no check'],
    [['--timeout', '50ms'], '--timeout: expected'],
    [['--timeout', '11m'], '--timeout: expected'],
    [['--key', 'NONE'], 'NONE is not set'],
  ])('refuses %j, and leaves no folder', async (words, message) => {
    const out = inFolder(await tempFolder())('none');
    const all = ['check', '--target', gateway.url(), '--yes', '--out', out, ...words];
    const { code, stderr } = await gateway.weir(...all);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    await expect(readdir(out)).rejects.toThrow('ENOENT');
  });

  it('of an address without its version, and with a key that is not known, says what to change', async () => {
    const out = await tempFolder();
    const bare = gateway.url().replace(/\/v1$/, '');
    const answers = [
      await weir(['check', '--target', bare, '--yes', '--out', out], withKey),
      await weir(['check', '--target', gateway.url(), '--yes', '--out', out], {
        WEIR_API_KEY: 'sk-nobody',
      }),
    ];
    expect(answers.map(({ code }) => code)).toEqual([2, 2]);
    expect(answers[0]!.stderr).toContain(
      `answered 404, and ${gateway.url()} answers as a gateway does: write ${gateway.url()}`,
    );
    expect(answers[1]!.stderr).toContain('refused with status 401: check the key (--key NAME');
  });

  it('sends only the request for models until somebody agrees', async () => {
    for (const [answer, message] of [
      ['n', 'nothing was sent besides the request for the model list'],
      [null, 'add --yes'],
    ] as const) {
      const { host, said } = fakeHost(withKey);
      const ask = answer === null ? null : () => Promise.resolve(answer);
      const out = inFolder(await tempFolder())('none');
      await expect(checkGateway(command(out, { yes: false }), { ...host, ask })).rejects.toThrow(
        message,
      );
      expect(said.join('\n')).toContain('Budget: ');
      await expect(readdir(out)).rejects.toThrow('ENOENT');
    }
    const { host } = fakeHost(withKey);
    const agreeing = { ...host, ask: () => Promise.resolve('Y') };
    expect(await checkGateway(command(await tempFolder(), { yes: false }), agreeing)).toBe('pass');
  });

  it('that is stopped judges what was answered, and is undecided', async () => {
    const { host, said, stop } = fakeHost(withKey);
    const ask = (): Promise<string> => {
      // The stop comes after the consent, and before the first paid request.
      setTimeout(() => stop('SIGTERM'), 0);
      return Promise.resolve('y');
    };
    const out = await tempFolder();
    expect(
      await checkGateway(command(out, { yes: false, only: undefined }), { ...host, ask }),
    ).toBe('terminated');
    const report = await reportIn(out);
    expect(report.stopped).toBe('stopped by SIGTERM');
    expect(report.rows.some(({ outcome }) => outcome === 'unchecked')).toBe(true);
    expect(report.spent.requests).toBeLessThan(40);
    expect(said).toContain('stopping: what was answered so far will be judged');
  });

  it('is a function of the library, which spends without asking and gives the report', async () => {
    const before = await countersOf(gateway.mock());
    const report = await check(gateway.url(), {
      environment: { OTHER: withKey.WEIR_API_KEY },
      key: 'OTHER',
      only: ['models', 'streams'],
      skip: ['models.unique'],
      model: 'weir/small',
      timeout: '20s',
    });
    expect(report.rows.map(({ outcome }) => outcome)).not.toContain('violation');
    expect(new Set(report.rows.map(({ topic }) => topic))).toEqual(new Set(['models', 'streams']));
    expect(report.rows.map(({ id }) => id)).not.toContain('models.unique');
    const after = await countersOf(gateway.mock());
    expect((after['received'] ?? 0) - (before['received'] ?? 0)).toBe(report.spent.requests);
    await expect(check(gateway.url(), { only: ['nothing'] })).rejects.toMatchObject({
      name: 'WeirError',
      message: expect.stringContaining('--only: expected checks'),
    });
    await expect(
      check(gateway.url(), { signal: AbortSignal.abort(new Error('no')) }),
    ).rejects.toThrow('no');
  });
});

describe('two stored checks', () => {
  const row = (
    id: string,
    outcome: CheckReport['rows'][number]['outcome'],
    name: string | null = null,
  ) => sampleRow({ id, outcome, name, observed: `${id} was ${outcome}` });
  const before = sampleCheck([
    row('same', 'pass'),
    row('worse', 'pass'),
    row('lost', 'pass'),
    row('better', 'violation'),
    row('gone', 'pass'),
  ]);
  const after = sampleCheck(
    [
      row('same', 'pass'),
      row('worse', 'violation'),
      row('lost', 'unchecked'),
      row('better', 'pass'),
      row('new', 'deviation', 'status-422'),
    ],
    { target: 'https://new.example/v1', startedAt: '2026-03-02T12:00:00.000Z', profile: 'litellm' },
  );

  const compare = async (one: object, other: object, ...words: readonly string[]) => {
    const folder = await tempFolder();
    const path = inFolder(folder);
    await writeFile(path('one.json'), JSON.stringify(one));
    await writeFile(path('two.json'), JSON.stringify(other));
    const ended = await weir(
      ['compare', path('one.json'), path('two.json'), '--out', path('out'), ...words],
      { GITHUB_STEP_SUMMARY: path('job.md') },
    );
    return { ...ended, path };
  };

  it('are compared row by row, on every page', async () => {
    const { code, stdout, path } = await compare(before, after);
    expect(code).toBe(11);
    expect(stdout.replaceAll(/\d+\.\d+\.\d+\S*/g, 'VERSION')).toMatchSnapshot();
    const files = ['comparison.html', 'comparison.json', 'comparison.junit.xml', 'comparison.md'];
    expect((await readdir(path('out'))).toSorted()).toEqual(files);
    const junit = await readFile(path('out', 'comparison.junit.xml'), 'utf8');
    expect(junit).toContain('tests="5" failures="1"');
    expect(junit).toMatch(/name="worse"[^>]*>\s*<failure/);
    expect(junit).toMatch(/name="lost"[^>]*>\s*<skipped/);
    const markdown = await readFile(path('out', 'comparison.md'), 'utf8');
    expect(markdown).toContain('| worse |');
    expect(await readFile(path('job.md'), 'utf8')).toBe(markdown);
  });

  it('fail a strict comparison where a check is decided no more, and never where nothing changed', async () => {
    const lost = sampleCheck(
      before.rows.map((each) => (each.id === 'same' ? row('same', 'unchecked') : each)),
    );
    const codes = [
      await compare(before, lost),
      await compare(before, lost, '--strict'),
      await compare(before, before, '--strict'),
    ].map(({ code }) => code);
    expect(codes).toEqual([0, 13, 0]);
    const same = await compare(before, before);
    expect(same.stdout).toContain('Nothing changed; 5 checks as before.');
  });

  it('are two, and whole', async () => {
    const { path } = await compare(before, after);
    const three = await weir([
      'compare',
      path('one.json'),
      path('two.json'),
      '--with',
      path('one.json'),
    ]);
    expect([three.code, three.stderr]).toEqual([
      2,
      expect.stringContaining('checks are compared in pairs'),
    ]);
    const damaged = await compare(before, { ...after, rows: [{}] });
    expect([damaged.code, damaged.stderr]).toEqual([
      2,
      expect.stringMatching(
        /two\.json was written by another version of Weir or changed since: at rows\.0\.id, /,
      ),
    ]);
    await writeFile(path('two.json'), JSON.stringify(after).slice(0, 200));
    const torn = await weir(['compare', path('one.json'), path('two.json')]);
    expect(torn.stderr).toContain('two.json is not JSON');
  });
});
