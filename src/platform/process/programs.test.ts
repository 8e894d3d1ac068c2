import { EventEmitter } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { onInterrupt } from './interrupts.ts';
import { openSystemBrowser } from './open-in-browser.ts';
import { pause, sleep } from './pause.ts';
import { runProgram } from './run-program.ts';
import { coresIn, separateCores } from './separate-cores.ts';
import { startThread } from './thread.ts';

/** Programs of the system are scripts of a folder that comes first in the path. */

const folder = mkdtempSync(join(tmpdir(), 'weir-programs-'));
const path = process.env['PATH'];
const pretend = (name: string, script: string): void => {
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, name), 0o755);
  process.env['PATH'] = `${folder}${delimiter}${path}`;
};
afterEach(() => {
  process.env['PATH'] = path;
});
afterAll(() => rmSync(folder, { recursive: true }));

const opener = process.platform === 'darwin' ? 'open' : 'xdg-open';

describe('the browser', () => {
  it('gets the address as one word, without a shell and without a key', async () => {
    process.env['WEIR_API_KEY'] = 'sk-secret';
    pretend(opener, `echo "$#|$1|$WEIR_API_KEY|\${HOME:+home}" > ${folder}/seen`);
    expect(await openSystemBrowser('http://127.0.0.1:1/?a=b;c&d=$e')).toBeNull();
    delete process.env['WEIR_API_KEY'];
    expect(readFileSync(join(folder, 'seen'), 'utf8')).toBe(
      '1|http://127.0.0.1:1/?a=b;c&d=$e||home\n',
    );
  });

  it.each([
    ['exit 3', 'ended with exit code 3'],
    ['kill -15 $$', 'ended with SIGTERM'],
  ])('that fails by `%s` is a sentence with the address', async (script, why) => {
    pretend(opener, script);
    expect(await openSystemBrowser('http://x/')).toBe(
      `No browser was opened: ${opener} ${why}. Open http://x/ yourself.`,
    );
  });

  it('that is not installed is one, too', async () => {
    process.env['PATH'] = '/nowhere';
    expect(await openSystemBrowser('http://x/')).toBe(
      `No browser was opened: ${opener} is not installed. Open http://x/ yourself.`,
    );
  });
});

describe('the cores of processes', () => {
  it('are those of the kernel’s list', () => {
    expect(coresIn('0-2,8')).toEqual([0, 1, 2, 8]);
    expect(coresIn('5')).toEqual([5]);
    expect(coresIn('1,3')).toEqual([1, 3]);
  });

  const bound = (): readonly string[] =>
    readFileSync(join(folder, 'bound'), 'utf8').trim().split('\n');

  it.skipIf(process.platform !== 'linux')(
    'are divided where there are enough: one for the others, the rest for this process, and all at the end',
    async () => {
      const [list = ''] =
        /(?<=Cpus_allowed_list:\s*)\S+/.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
      const all = coresIn(list);
      pretend('taskset', `echo "$*" >> ${folder}/bound`);
      writeFileSync(join(folder, 'bound'), '');
      const reunite = await separateCores(all.length - 1, [41, null, 42]);
      const own = all.slice(1).join(',');
      const expected =
        all.length < 2
          ? ['']
          : [`-cp ${all[0]} 41`, `-cp ${all[0]} 42`, `-cp ${own} ${process.pid}`];
      expect(bound().toSorted()).toEqual(expected.toSorted());
      await reunite();
      if (all.length > 1) expect(bound().at(-1)).toBe(`-cp ${all.join(',')} ${process.pid}`);
    },
  );

  it('are left alone where there are too few, nobody else, or no program that binds', async () => {
    pretend('taskset', `echo "$*" >> ${folder}/bound`);
    writeFileSync(join(folder, 'bound'), '');
    await (
      await separateCores(100_000, [41])
    )();
    await (
      await separateCores(1, [null])
    )();
    expect(bound()).toEqual(['']);
    process.env['PATH'] = '/nowhere';
    await expect((await separateCores(1, [process.pid]))()).resolves.toBeUndefined();
  });
});

describe('a program', () => {
  it('runs to its end with its environment, and leaves its code and the end of its errors', async () => {
    const run = (script: string) => runProgram(['/bin/sh', '-c', script], { WHO: 'me' });
    expect(await run('echo "hello $WHO" >&2; exit 4')).toEqual({
      code: 4,
      stderrTail: 'hello me\n',
    });
    const { code, stderrTail } = await run(
      'head -c 9000 /dev/zero | tr "\\0" y >&2; echo z >&2; kill -9 $$',
    );
    expect([code, stderrTail.length, stderrTail.slice(-3)]).toEqual([null, 2000, 'yz\n']);
  });
});

describe('a pause', () => {
  const stops = () => {
    const events = new EventEmitter();
    const onStop = (listener: (cause: string) => void) => {
      events.on('stop', listener);
      return () => events.off('stop', listener);
    };
    return { events, onStop };
  };

  it('ends after its time with nothing, or at a stop with its cause, and then listens no more', async () => {
    const { events, onStop } = stops();
    expect(await pause(1, onStop)).toBeNull();
    expect(events.listenerCount('stop')).toBe(0);
    const pausing = pause(60_000, onStop);
    events.emit('stop', 'SIGINT');
    expect(await pausing).toBe('SIGINT');
    expect(events.listenerCount('stop')).toBe(0);
  });

  it('takes its time, and a length that is over takes none', async () => {
    const begun = performance.now();
    await sleep(15);
    expect(performance.now() - begun).toBeGreaterThanOrEqual(14);
    await sleep(-1000);
  });
});

describe('signals that stop', () => {
  it('are counted until nobody listens any more', () => {
    const seen: string[] = [];
    const before = process.listenerCount('SIGHUP');
    const release = onInterrupt((signal, times) => seen.push(`${signal} ${times}`));
    for (const signal of ['SIGHUP', 'SIGHUP'] as const) process.emit(signal);
    release();
    expect(seen).toEqual(['SIGHUP 1', 'SIGHUP 2']);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      expect(process.listenerCount(signal)).toBe(
        signal === 'SIGHUP' ? before : process.listenerCount(signal),
      );
    expect(process.listenerCount('SIGHUP')).toBe(before);
  });
});

describe('a thread', () => {
  const start = (script: string, input: unknown = null) => {
    const said: unknown[] = [];
    const source = `import { parentPort, workerData } from 'node:worker_threads'; ${script}`;
    const thread = startThread(
      new URL(`data:text/javascript,${encodeURIComponent(source)}`),
      input,
      (text) => said.push(text),
    );
    return { thread, said };
  };

  it('has its input, sends and takes messages, and ends without a reason', async () => {
    const { thread, said } = start(
      `parentPort.postMessage(workerData); parentPort.once('message', (text) => parentPort.postMessage(text + '!'));`,
      { n: 1 },
    );
    thread.post('hello');
    expect(await thread.ended).toBeNull();
    expect(said).toEqual([{ n: 1 }, 'hello!']);
  });

  it.each([
    ['process.exit(3)', 'it ended with 3'],
    ['throw new RangeError("too far")', 'RangeError: too far'],
    ['throw "text"', 'text'],
  ])('that ends by `%s` has a reason', async (script, reason) => {
    expect(await start(script).thread.ended).toBe(reason);
  });

  it('can be ended', async () => {
    const { thread } = start(`parentPort.on('message', () => undefined);`);
    await thread.end();
    expect(await thread.ended).toBeOneOf([null, 'it ended with 1']);
  });
});
