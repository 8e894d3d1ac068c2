import { dirname, resolve } from 'node:path';
import type { Context, ESTree, Rule } from '@oxlint/plugins';
import { grantOf, mayEnterWing, mayImportInRoom, roomOf } from './map.ts';
import { placeOf } from './place.ts';

/** The names of a mostly pure module that neither draw random numbers nor wait. */
const pureNames: Readonly<Record<string, readonly string[]>> = {
  'node:crypto': ['createHash', 'createHmac', 'hash', 'timingSafeEqual'],
};

/** Names that say nothing about the content. */
const nameless = /(^|\/)(utils?|common|helpers?|misc|shared|types|index)(\/|\.)/;

/** Refuses imports, exports, dynamic imports and `import('…').T` types that the map forbids, and files that it does not list. */
export const walls: Rule = {
  create(context) {
    const place = placeOf(context.filename);
    if (place === null) return {};
    const check = (node: ESTree.Node, specifier: string | null, names: readonly string[]): void => {
      const problem = crossing({ file: context.filename, place, specifier, names });
      if (problem !== null) context.report({ node, message: problem });
    };
    return {
      Program: (node) => {
        if (roomOf(place) === null) context.report({ node, message: homeless(place) });
        if (nameless.test(place)) context.report({ node, message: unnamed(place) });
      },
      ImportDeclaration: (node) => check(node, node.source.value, valuesOf(node)),
      ExportAllDeclaration: (node) => check(node, node.source.value, ['*']),
      ExportNamedDeclaration: (node) => {
        if (node.source !== null) check(node, node.source.value, ['*']);
      },
      ImportExpression: (node) => check(node, literalOf(node.source, context), ['*']),
      TSImportType: (node) => check(node, node.source.value, []),
      TSExternalModuleReference: (node) => check(node, node.expression.value, ['*']),
    };
  },
};

interface Import {
  readonly file: string;
  readonly place: string;
  /** Null if it is computed. */
  readonly specifier: string | null;
  /** The imported values; `*` for all of them. Types do not count. */
  readonly names: readonly string[];
}

function crossing(taken: Import): string | null {
  const { specifier } = taken;
  if (specifier === null) return computed(taken);
  return /^\.\.?(\/|$)/.test(specifier)
    ? throughWall(taken, specifier)
    : throughGate(taken, specifier);
}

function computed({ place }: Import): string | null {
  if (allows(grantOf(place).packages, 'node:*')) return null;
  return 'A computed import can cross any wall. Write the path out.';
}

/** Checks that a relative import stays in this folder or the levels below. */
function throughWall({ file, place }: Import, specifier: string): string | null {
  const room = roomOf(place);
  const { folders } = grantOf(place);
  const target = placeOf(resolve(dirname(file), specifier));
  const owner =
    (target === null ? null : roomOf(target)) ?? target?.split('/', 1)[0] ?? 'the outside';
  if (target !== null && owner === room) {
    if (mayImportInRoom(place, target)) return null;
    return `src/${target} does not lie below src/${dirname(place)} in \`${room}\`: imports inside a room go one way, as \`floors\` in .oxlint/map.ts says. Move what is needed down.`;
  }
  if (target !== null && owner.startsWith('verbs/')) {
    if (mayEnterWing(place, target)) return null;
    return `${specifier} is in the wing ${owner}, which src/${place} may not enter: move down what both need, or add a row to \`wingDoors\` in .oxlint/map.ts.`;
  }
  if (allows(folders, owner)) return null;
  return `\`${room}\` may import ${listed(folders)}, but ${specifier} is in ${owner}. Take it as an argument, or move the noun down.`;
}

/** Checks that this folder may use a package, and these names of it. */
function throughGate({ place, names }: Import, specifier: string): string | null {
  const room = roomOf(place);
  const { packages } = grantOf(place);
  const name = packageOf(specifier);
  if (name.startsWith('node:') && allows(packages, 'node:*')) return null;
  if (!allows(packages, name)) {
    return `\`${room}\` may use ${listed(packages)}, but not ${specifier}. Let the folder that may use it do the work, behind a port of model.`;
  }
  const pure = pureNames[name] ?? names;
  const impure = names.filter((taken) => !pure.includes(taken));
  if (impure.length === 0) return null;
  return `\`${room}\` may use ${listed(pure)} of ${specifier}, but not ${listed(impure)}. Chance is an argument: take a Draw.`;
}

function homeless(place: string): string {
  return `src/${place} is in no folder of the map. Put it into one of them, or add the folder to .oxlint/map.ts and src/README.md.`;
}

function unnamed(place: string): string {
  return `src/${place} is named after no noun or verb of the domain. Name its content; import from the file that has it, not through a barrel.`;
}

function allows(grants: readonly string[], name: string): boolean {
  return grants.includes(name) || grants.includes('*');
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? 'nothing else' : names.join(', ');
}

/** `@scope/name/deep/file` belongs to `@scope/name`; the built-in modules keep their whole name. */
function packageOf(specifier: string): string {
  if (specifier.startsWith('node:')) return specifier;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

function valuesOf(node: ESTree.ImportDeclaration): readonly string[] {
  if (node.importKind === 'type') return [];
  return node.specifiers.flatMap((specifier) => {
    if (specifier.type !== 'ImportSpecifier') return ['*'];
    if (specifier.importKind === 'type') return [];
    const { imported } = specifier;
    return [imported.type === 'Identifier' ? imported.name : imported.value];
  });
}

function literalOf(node: ESTree.Expression, context: Context): string | null {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node.type === 'TemplateLiteral' && node.expressions.length === 0) {
    return context.sourceCode.getText(node).slice(1, -1);
  }
  return null;
}
