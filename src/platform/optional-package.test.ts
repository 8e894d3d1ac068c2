import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { noDescriptorsReason } from './no-descriptors.ts';
import { installCommand, installedVersion, loadOptional } from './optional-package.ts';

const { peerDependencies } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { readonly peerDependencies: Readonly<Record<string, string>> };

const missing = (): Promise<never> =>
  Promise.reject(Object.assign(new Error('none'), { code: 'ERR_MODULE_NOT_FOUND' }));

it('an optional package that is there is loaded', async () => {
  expect(await loadOptional(() => Promise.resolve(7), 'a file', ['x'])).toBe(7);
});

it('one that is missing is a sentence: what for, which version, what else', async () => {
  const range = peerDependencies['hyparquet-writer']!;
  await expect(
    loadOptional(missing, 'a Parquet file', ['hyparquet-writer'], 'or name a .csv file'),
  ).rejects.toThrow(
    `a Parquet file needs the package hyparquet-writer, which is not installed: run \`npm install hyparquet-writer@${range}\`, or name a .csv file`,
  );
  const names = Object.keys(peerDependencies).slice(0, 2);
  await expect(loadOptional(missing, 'this', names)).rejects.toThrow(
    `this needs packages that are not installed: run \`${installCommand(names)}\``,
  );
  expect(installCommand(names)).toBe(
    `npm install ${names.map((name) => `${name}@${peerDependencies[name]}`).join(' ')}`,
  );
});

it('one that is broken is a defect as it is', async () => {
  const broken = (): Promise<never> => Promise.reject(new SyntaxError('odd'));
  await expect(loadOptional(broken, 'this', ['x'])).rejects.toThrow(SyntaxError);
});

it('errors for lack of file descriptors are distinguished from others', () => {
  for (const code of ['EMFILE', 'ENFILE'])
    expect(noDescriptorsReason(Object.assign(new Error('x'), { code }))).toContain('ulimit -n');
  for (const other of [null, undefined, new Error('x'), { code: 'EACCES' }])
    expect(noDescriptorsReason(other)).toBeNull();
});

it('the version of a package is the one that is installed; one that is not has none', () => {
  const locked = JSON.parse(
    readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'),
  ) as { readonly packages: Readonly<Record<string, { readonly version: string }>> };
  for (const name of ['undici', '@huggingface/tokenizers'])
    expect(installedVersion(name)).toBe(locked.packages[`node_modules/${name}`]!.version);
  expect(installedVersion('weir-has-no-such-package')).toBeNull();
});
