/**
 * Prints what an installed Weir consists of: `npm run --silent sbom` as CycloneDX, `npm run --silent sbom licences` as a
 * table of licences. npm makes the list from the lock file. Its own `--omit dev` would leave out what a development
 * dependency needs, too, such as zod, so what is reached from `dependencies` is chosen here. Ends with 1 if a licence is
 * missing or one that nobody has looked at yet.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Component {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly licenses?: readonly {
    readonly license?: { readonly id?: string; readonly name?: string };
    readonly expression?: string;
  }[];
}

interface Bom {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly {
    readonly ref: string;
    readonly dependsOn?: readonly string[];
  }[];
}

/** Licences that only ask for their text and the names of the authors. */
const permissive = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT'];

const root = join(import.meta.dirname, '..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly name: string;
  readonly dependencies: Readonly<Record<string, string>>;
};

const completeBom = (): Bom => {
  const words = 'sbom --sbom-format cyclonedx --sbom-type application --package-lock-only';
  const { status, stdout, stderr } = spawnSync('npm', [...words.split(' '), '--workspaces=false'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`npm sbom ended with ${status}: ${stderr}`);
  return JSON.parse(stdout) as Bom;
};

/** The references of all that the dependencies of the package lead to. */
const shippedRefs = ({ metadata, components, dependencies }: Bom): ReadonlySet<string> => {
  const nameOf = new Map(components.map((component) => [component['bom-ref'], component.name]));
  const needs = new Map(dependencies.map(({ ref, dependsOn = [] }) => [ref, dependsOn]));
  const wanted = (needs.get(metadata.component['bom-ref']) ?? []).filter((ref) =>
    Object.hasOwn(manifest.dependencies, nameOf.get(ref) ?? ''),
  );
  const found = new Set(wanted);
  // What is added to a set while it is walked through is walked through too.
  for (const ref of found) for (const next of needs.get(ref) ?? []) found.add(next);
  return found;
};

const licenceOf = ({ licenses = [] }: Component): string =>
  licenses
    .map(({ license, expression }) => expression ?? license?.id ?? license?.name ?? '')
    .join(' AND ');

const bom = completeBom();
const shipped = shippedRefs(bom);
const components = bom.components
  .filter((component) => shipped.has(component['bom-ref']))
  .toSorted((one, other) => (one['bom-ref'] < other['bom-ref'] ? -1 : 1));
const own = bom.metadata.component;
const shippedBom = {
  ...bom,
  metadata: { ...bom.metadata, component: { ...own, name: manifest.name } },
  components,
  dependencies: bom.dependencies
    .filter(({ ref }) => ref === own['bom-ref'] || shipped.has(ref))
    .map(({ ref, dependsOn = [] }) => ({
      ref,
      dependsOn: dependsOn.filter((to) => shipped.has(to)),
    })),
};
const rows = components.map((component) => {
  const { name, version } = component;
  return `| ${name} | ${version} | ${licenceOf(component)} |`;
});
console.log(
  process.argv.includes('licences')
    ? ['| package | version | licence |', '| --- | --- | --- |', ...rows].join('\n')
    : JSON.stringify(shippedBom, null, 2),
);
for (const component of components) {
  const licence = licenceOf(component);
  if (permissive.includes(licence)) continue;
  console.error(
    `${component['bom-ref']}: its licence is ${licence || 'not named'}; read it, and add it to .ci/sbom.ts`,
  );
  process.exitCode = 1;
}
