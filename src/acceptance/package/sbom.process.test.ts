import { expect, it } from 'vitest';
import {
  installedPackages,
  manifestOf,
  packageRoot,
} from '../../platform/process/installed-packages.ts';
import { startProgram } from '../harness/weir-process.fixture.ts';

interface Bom {
  readonly bomFormat: string;
  readonly metadata: { readonly component: { readonly name: string; readonly version: string } };
  readonly components: readonly { readonly 'bom-ref': string; readonly purl: string }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

const sbom = async (...words: readonly string[]): Promise<string> => {
  const command = ['npm', 'run', '--silent', 'sbom', ...words] as const;
  const { code, stdout, stderr } = await startProgram(command, process.env, packageRoot).ended;
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
};

/** Name and version of each package that Node finds on the way from the dependencies, by walking through the folders. */
const installed = [
  ...new Set(
    Array.from(installedPackages(), ([place, source]) => {
      const name = place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
      return `${name}@${manifestOf(source).version}`;
    }),
  ),
].toSorted();

it('the bill of materials has exactly the packages of an installed Weir, each with what it needs', async () => {
  const bom = JSON.parse(await sbom()) as Bom;
  expect(bom.bomFormat).toBe('CycloneDX');
  expect(bom.metadata.component).toMatchObject({ name: 'weir-bench', version: '0.1.0' });
  const refs = bom.components.map((component) => component['bom-ref']);
  expect(refs).toEqual(installed);
  expect(refs).toContain('zod@4.6.7');
  for (const { ref, dependsOn } of bom.dependencies) {
    expect(['weir-bench@0.1.0', ...refs]).toContain(ref);
    for (const needed of dependsOn) expect(refs, ref).toContain(needed);
  }
});

it('the list of licences has a row for each of them', async () => {
  const rows = (await sbom('licences')).trimEnd().split('\n').slice(2);
  expect(rows.map((row) => row.split(' | ').slice(0, 2).join('@').slice(2)).toSorted()).toEqual(
    installed,
  );
  for (const row of rows) expect(row).toMatch(/ \| (MIT|ISC|Apache-2\.0|BSD-3-Clause) \|$/);
});
