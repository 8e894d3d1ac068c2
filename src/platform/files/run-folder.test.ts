import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openNewRunFolder, openRunFolder } from './run-folder.ts';
import { openLineFile } from './line-file.ts';
import { resolveSecrets } from './secrets.ts';

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'weir-files-'));
});
afterAll(async () => {
  await rm(home, { recursive: true });
});

describe('a run folder', () => {
  it('is created with its parents and accepts whole files', async () => {
    const folder = await openRunFolder(join(home, 'a', 'b'));
    const path = await folder.write('result.json', '{}\n');
    expect(await readFile(path, 'utf8')).toBe('{}\n');
    await folder.release();
    expect(await readdir(folder.path)).toEqual(['result.json']);
  });

  it('is removed with its new parents if nothing was written', async () => {
    const folder = await openRunFolder(join(home, 'c', 'd'));
    await folder.discard();
    expect(await readdir(home)).not.toContain('c');
  });

  it('is removed without the folder that another run made beside it', async () => {
    const folder = await openRunFolder(join(home, 'j', 'one'));
    const other = await openRunFolder(join(home, 'j', 'two'));
    await folder.discard();
    expect(await readdir(join(home, 'j'))).toEqual(['two']);
    await other.discard();
  });

  it('is never removed if it already existed', async () => {
    await (await openRunFolder(join(home, 'e'))).release();
    const again = await openRunFolder(join(home, 'e'));
    await again.discard();
    expect(await readdir(home)).toContain('e');
  });

  it('is reported with what to do if it cannot be created', async () => {
    await writeFile(join(home, 'file'), '');
    await expect(openRunFolder(join(home, 'file', 'sub'))).rejects.toThrow(
      /output folder .* cannot be written: a part of the path is a file.* --out/,
    );
    await expect(openRunFolder(join(home, 'file'))).rejects.toThrow(
      'cannot be written: there is a file of that name',
    );
  });

  it.runIf(process.platform === 'linux')(
    'is refused at once if no file system would accept its name',
    async () => {
      await expect(openRunFolder('/proc/x/y')).rejects.toThrow(
        /output folder \/proc\/x\/y cannot be written: no folder can be created there.* --out/,
      );
    },
  );

  it('belongs to one run at a time, and can be used again when that is over', async () => {
    const path = join(home, 'f', 'g');
    const both = await Promise.allSettled([openRunFolder(path), openRunFolder(path)]);
    const [first] = both.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    await expect(openRunFolder(path)).rejects.toThrow(
      /another run \(process \d+ on .*\) writes to .*--out FOLDER/,
    );
    await first?.release();
    await (await openRunFolder(path)).release();
  });

  it('with the lock of a process that has gone can be used', async () => {
    const path = join(home, 'h');
    await mkdir(path);
    await writeFile(join(path, '.weir-lock'), `999999999 ${hostname()} x\n`);
    await (await openRunFolder(path)).release();
    expect(await readdir(path)).toEqual([]);
  });

  it.each([
    [
      'of another machine is in use for a minute after its checkpoint or itself changed',
      '5 elsewhere x\n',
      60_000,
    ],
    ['that is being written is in use for two seconds', '', 2000],
    [
      'of this process that it does not hold is in nobody’s use',
      `${process.pid} ${hostname()} x\n`,
      0,
    ],
  ])('with a lock %s', async (name, line, fresh) => {
    const path = join(home, `lock-${name.length}`);
    const lock = join(path, '.weir-lock');
    await mkdir(path);
    await writeFile(lock, line);
    const age = async (file: string, ms: number): Promise<void> => {
      const at = (Date.now() - ms) / 1000;
      await utimes(file, at, at);
    };
    if (fresh > 0) {
      await age(lock, fresh - 1000);
      await expect(openRunFolder(path)).rejects.toThrow('writes to');
    }
    await age(lock, fresh + 1000);
    if (fresh === 60_000) {
      await writeFile(join(path, 'checkpoint.jsonl'), '');
      await expect(openRunFolder(path)).rejects.toThrow(
        'another run (process 5 on elsewhere) writes',
      );
      await age(join(path, 'checkpoint.jsonl'), fresh + 1000);
    }
    const folder = await openRunFolder(path);
    expect(await readFile(lock, 'utf8')).toMatch(
      new RegExp(`^${process.pid} ${hostname()} \\S+\\n$`),
    );
    await folder.release();
  });

  it('whose lock another run has taken over is left to that run', async () => {
    const path = join(home, 'taken');
    const folder = await openRunFolder(path);
    await writeFile(join(path, '.weir-lock'), '5 elsewhere x\n');
    await folder.release();
    await folder.release();
    expect(await readFile(join(path, '.weir-lock'), 'utf8')).toBe('5 elsewhere x\n');
  });

  it('knows the names that were there before it', async () => {
    const path = join(home, 'names');
    await mkdir(path);
    await writeFile(join(path, 'old.txt'), '');
    const folder = await openRunFolder(path);
    expect([...folder.existingNames]).toEqual(['old.txt']);
    await folder.release();
    await expect(openRunFolder(path, true)).rejects.toThrow(`there is a folder ${path} already`);
  });

  it('of a name that nobody chose is a new one for each run', async () => {
    const path = join(home, 'i');
    const folders = await Promise.all(Array.from({ length: 5 }, () => openNewRunFolder(path)));
    const names = folders.map((folder) => folder.path.slice(path.length));
    expect(names.toSorted()).toEqual(['', '-2', '-3', '-4', '-5']);
    for (const folder of folders) await folder.discard();
    expect(await readdir(home)).not.toContain('i');
  });
});

describe('a line file', () => {
  it('has every line once it is closed', async () => {
    const path = join(home, 'lines.jsonl');
    const file = await openLineFile(path);
    for (let line = 0; line < 1000; line += 1) file.write(String(line));
    await file.close();
    expect((await readFile(path, 'utf8')).split('\n')).toHaveLength(1001);
  });

  it('keeps its old content until the first line is written', async () => {
    const path = join(home, 'kept.jsonl');
    await writeFile(path, 'earlier\n');
    await (await openLineFile(path)).discard();
    expect(await readFile(path, 'utf8')).toBe('earlier\n');
    const file = await openLineFile(path);
    file.write('new');
    await file.close();
    expect(await readFile(path, 'utf8')).toBe('new\n');
    await (await openLineFile(join(home, 'never.jsonl'))).discard();
    expect(await readdir(home)).not.toContain('never.jsonl');
  });

  it('reports at once that it cannot be opened', async () => {
    await expect(openLineFile(join(home, 'missing', 'x.jsonl'))).rejects.toThrow(
      'cannot be written',
    );
  });
});

describe('secrets', () => {
  it('are read from the environment and from files, and listed for masking', async () => {
    await writeFile(join(home, 'key.txt'), 'from-file\n');
    const { filled, secrets } = await resolveSecrets(
      ['${env:A}', 'Token ${secret:./key.txt}', 'plain'],
      { A: 'from-environment' },
      home,
    );
    expect(filled).toEqual(['from-environment', 'Token from-file', 'plain']);
    expect(secrets).toEqual(['from-environment', 'from-file']);
  });

  it('from files must be one line that a header can carry', async () => {
    await writeFile(join(home, 'two.txt'), 'one\ntwo\n');
    await writeFile(join(home, 'empty.txt'), '\n');
    await expect(resolveSecrets(['${secret:./two.txt}'], {}, home)).rejects.toThrow('line break');
    await expect(resolveSecrets(['${secret:./empty.txt}'], {}, home)).rejects.toThrow('is empty');
  });

  it('are named when they are missing, with what to do', async () => {
    await expect(resolveSecrets(['${env:NOT_SET}'], {}, home)).rejects.toThrow(
      /environment variable NOT_SET .*export NOT_SET/,
    );
    await expect(resolveSecrets(['${secret:./none}'], {}, home)).rejects.toThrow(
      'there is no such file',
    );
  });
});
