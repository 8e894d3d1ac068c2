import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { notesOf, releaseProblems } from '../../../.package/release-checks.ts';
import { manifestOf, packageRoot } from '../../platform/process/installed-packages.ts';
import { cleanUpAfterEach, startProgram, tempFolder } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();
vi.setConfig({ testTimeout: 180_000 });

const { version } = manifestOf(packageRoot);

/** Makes the files of a release as the workflow does, with these variables of it. */
const release = async (variables: Readonly<Record<string, string>>) => {
  const folder = join(await tempFolder(), 'release');
  const script = join(packageRoot, '.package', 'release.ts');
  const environment = { ...process.env, GITHUB_OUTPUT: '', ...variables };
  const ended = await startProgram([process.execPath, script, folder], environment).ended;
  return { folder, ...ended };
};

describe('a release', () => {
  it('has the package, its SBOM, the notes of its version and checksums that hold', async () => {
    const output = join(await tempFolder(), 'output');
    const tag = { GITHUB_REF_TYPE: 'tag', GITHUB_REF_NAME: `v${version}`, GITHUB_OUTPUT: output };
    const { folder, code, stderr } = await release(tag);
    expect(code, stderr).toBe(0);
    const [tarball, bom] = [`weir-bench-${version}.tgz`, `weir-bench-${version}.cdx.json`];
    const files = ['SHA256SUMS', 'notes.md', bom, tarball];
    expect((await readdir(folder)).toSorted()).toEqual(files);
    const sums = await readFile(join(folder, 'SHA256SUMS'), 'utf8');
    const hashes = [tarball, bom].map((file) =>
      createHash('sha256')
        .update(readFileSync(join(folder, file)))
        .digest('hex'),
    );
    expect(sums).toBe(`${hashes[0]}  ${tarball}\n${hashes[1]}  ${bom}\n`);
    expect(JSON.parse(await readFile(join(folder, bom), 'utf8'))).toMatchObject({
      bomFormat: 'CycloneDX',
      metadata: { component: { name: 'weir-bench' } },
    });
    expect(await readFile(join(folder, 'notes.md'), 'utf8')).toMatch(/^The first version\./);
    // The owner has not turned it on.
    expect(await readFile(output, 'utf8')).toBe('publish=false\n');
    expect(stderr).toContain('package.json is private: nothing will be published');
  });

  it('is not made for a tag of another version', async () => {
    const { code, stderr } = await release({ GITHUB_REF_TYPE: 'tag', GITHUB_REF_NAME: 'v99.0.0' });
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(
        `the tag is v99.0.0 and package.json says ${version}: tag v${version}`,
      ),
    ]);
  });

  const changelog = '# Changelog\n\n## 1.2.0 (2026)\n\n- New.\n\n## 1.1.0\n\n- Old.\n';
  const manifest = { name: 'weir-bench', version: '1.2.0', repository: 'github:a/b' };

  it.each([
    ['nothing', manifest, 'v1.2.0', []],
    ['nothing in a rehearsal', manifest, null, []],
    ['another tag', manifest, 'v1.1.0', ['the tag is v1.1.0']],
    ['no notes', { ...manifest, version: '1.3.0' }, 'v1.3.0', ['has no section ## 1.3.0']],
    ['no address', { name: 'weir-bench', version: '1.2.0' }, null, ['has no "repository"']],
    ['nothing while it is private', { name: 'w', version: '1.2.0', private: true }, null, []],
  ])('is checked before it is made; what is wrong: %s', (_, given, tag, wrong) => {
    expect(releaseProblems(given, tag, changelog)).toEqual(
      wrong.map((words) => expect.stringContaining(words) as string),
    );
  });

  it('has only the notes of the version that is released', () => {
    expect(notesOf(changelog, '1.2.0')).toBe('- New.');
    expect(notesOf(changelog, '1.2')).toBeNull();
  });

  it('has an image script that says in a sentence if no container engine answers', async () => {
    const script = join(packageRoot, '.package', 'image.ts');
    const environment = { PATH: '/nonexistent', DOCKER_HOST: 'tcp://127.0.0.1:9' };
    const { code, stderr } = await startProgram([process.execPath, script], environment).ended;
    expect([code, stderr]).toEqual([
      1,
      'The image is built by Docker, which cannot be started here (spawnSync docker ENOENT). Install Docker, and try again.\n',
    ]);
  });
});

const workflowSchema = z.looseObject({
  permissions: z.record(z.string(), z.string()),
  jobs: z.record(
    z.string(),
    z.looseObject({
      'timeout-minutes': z.number(),
      if: z.string().optional(),
      strategy: z.looseObject({ matrix: z.record(z.string(), z.array(z.unknown())) }).optional(),
      steps: z.array(z.looseObject({ uses: z.string().optional(), run: z.string().optional() })),
    }),
  ),
});

const textOf = (path: string): string => readFileSync(join(packageRoot, '.github', path), 'utf8');
const workflowOf = (name: string) => workflowSchema.parse(parse(textOf(`workflows/${name}.yml`)));

describe('the workflows', () => {
  const places = ['workflows/ci.yml', 'workflows/release.yml', 'actions/weir/action.yml'];

  it.each(places)('of %s pin each action by its digest, with its version behind it', (path) => {
    const uses = textOf(path)
      .split('\n')
      .filter((line) => /^\s*(?:- )?uses:/.test(line));
    expect(uses.length).toBeGreaterThan(2);
    const pinned = /uses: actions\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
    expect(uses.filter((line) => !pinned.test(line))).toEqual([]);
  });

  it('may only read unless a job says more, and let no shell read an expression', () => {
    for (const name of ['ci', 'release']) {
      const { permissions, jobs } = workflowOf(name);
      expect(permissions).toEqual({ contents: 'read' });
      const steps = Object.values(jobs).flatMap((job) => job.steps);
      expect(steps.filter(({ run }) => run?.includes('${{'))).toEqual([]);
    }
  });

  it('try Linux, macOS and Windows with Node 22 and 24', () => {
    expect(workflowOf('ci').jobs['platforms']?.strategy?.matrix).toEqual({
      os: ['ubuntu-latest', 'macos-latest', 'windows-latest'],
      node: [22, 24],
    });
  });

  it('publish only tags, and only what is not private', () => {
    const { files, publish } = workflowOf('release').jobs;
    expect(publish?.if).toBe("needs.files.outputs.publish == 'true' && github.ref_type == 'tag'");
    const writes = /npm publish|docker push|gh release/;
    expect(files?.steps.filter(({ run }) => writes.test(run ?? ''))).toEqual([]);
    expect(publish?.steps.filter(({ run }) => writes.test(run ?? ''))).toHaveLength(3);
  });
});
