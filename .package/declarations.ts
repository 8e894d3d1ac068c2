/**
 * Trims the compiler's declarations to what users of the library need: of each module what the library's types name, and in place of a
 * schema its plain type. The compiler prints schemas ten levels deep, and each several times.
 */
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { child, children, type Node, type Place, plainType, typeOf } from './plain-type.ts';

interface Module {
  readonly path: string;
  readonly text: string;
  /** Declarations by name; the text has the comment before it. */
  readonly statements: Map<string, { readonly node: Node; readonly text: string }>;
  /** The modules that names come from. */
  readonly imports: Map<string, string>;
  /** Statements such as `export … from`, and the names that they take. */
  readonly passedOn: { readonly text: string; readonly from: string; readonly names: string[] }[];
}

/** A type that a schema gives: `z.infer<typeof schema>`. */
const inferred = /z\.(infer|input|output)<typeof (\w+)>/g;
/** A type of another module: `import("./module.ts").Name`. */
const imported = /import\("(\.[^"]+)\.ts"\)\.(\w+)/g;

/** Equal for equal types, wherever the compiler printed them. */
const keyOf = (schema: string): string => schema.replaceAll(/\s+|import\("[^"]+"\)\./g, '');
const pathOf = (from: Module, specifier: string): string =>
  specifier.startsWith('.')
    ? resolve(dirname(from.path), specifier.replace(/\.ts$/, '.d.ts'))
    : specifier;
const specifierOf = (from: Module, path: string): string => {
  if (!path.startsWith('/')) return path;
  const place = relative(dirname(from.path), path).replace(/\.d\.ts$/, '.ts');
  return place.startsWith('.') ? place : `./${place}`;
};
const reference = (from: Module, path: string, name: string): string =>
  path === from.path ? name : `import("${specifierOf(from, path)}").${name}`;

const modules = new Map<string, Module>();
/** Types of schemas, by the text of the schema. */
const typeNames = new Map<string, { readonly path: string; readonly name: string }>();
/** Of each module that is needed, the texts of the declarations that are. */
const neededTexts = new Map<string, Map<string, string>>();

/** Adds a statement of a module to what is known of the module. */
const add = (module: Module, node: Node, text: string): void => {
  const source = child(node, 'source');
  if (source === null) {
    const declaration = child(node, 'declaration') ?? node;
    for (const one of [declaration, ...children(declaration, 'declarations')]) {
      const name = child(one, 'id')?.['name'];
      if (typeof name === 'string') module.statements.set(name, { node: one, text });
    }
    return;
  }
  const from = pathOf(module, String(source['value']));
  const names = children(node, 'specifiers').map((one) => String(child(one, 'local')!['name']));
  if (node.type !== 'ImportDeclaration') module.passedOn.push({ text, from, names });
  else for (const name of names) module.imports.set(name, from);
  if (from.startsWith('/')) read(from);
};

/** Reads a module and those that it imports. */
const read = (path: string): Module => {
  const known = modules.get(path);
  if (known !== undefined) return known;
  const text = readFileSync(path, 'utf8');
  const module: Module = { path, text, statements: new Map(), imports: new Map(), passedOn: [] };
  modules.set(path, module);
  let before = 0;
  for (const node of parseAst(text, { lang: 'dts' }).body as unknown as readonly Node[]) {
    add(module, node, text.slice(before, node.end).trim());
    before = node.end;
  }
  for (const [name, { text: whole }] of module.statements) {
    const [, schema] = /^export type \w+ = z\.(?:infer|output)<typeof (\w+)>;$/m.exec(whole) ?? [];
    const found = schema === undefined ? null : schemaIn(module, schema);
    if (found !== null) typeNames.set(keyOf(found.text), { path, name });
  }
  return module;
};

/** Finds the type that the compiler printed for a schema. */
const schemaIn = (
  module: Module,
  name: string,
): { readonly module: Module; readonly type: Node; readonly text: string } | null => {
  const from = module.imports.get(name);
  if (from !== undefined) return schemaIn(read(from), name);
  const type = typeOf(child(module.statements.get(name)?.node ?? null, 'id'));
  return type && { module, type, text: module.text.slice(type.start, type.end) };
};

/** Returns a declaration of a module with plain types in place of schemas. */
const plain = (module: Module, name: string): string =>
  module.statements.get(name)!.text.replaceAll(inferred, (whole, side: string, schema: string) => {
    const found = schemaIn(module, schema);
    if (found === null) return whole;
    const place: Place = {
      text: found.module.text,
      moved: (text) =>
        text.replaceAll(imported, (_, specifier: string, type: string) =>
          reference(module, pathOf(found.module, `${specifier}.ts`), type),
        ),
      nameOf: (text) => {
        const type = typeNames.get(keyOf(text));
        return type === undefined ? null : reference(module, type.path, type.name);
      },
    };
    const known = side === 'input' ? null : place.nameOf(found.text);
    return known === null || known === name
      ? plainType(found.type, side === 'input' ? 'input' : 'output', place)
      : known;
  });

/** Asks for a declaration and all that it names. */
const need = (module: Module, name: string): void => {
  const from = module.imports.get(name);
  if (from?.startsWith('/')) need(read(from), name);
  const texts = neededTexts.get(module.path) ?? new Map<string, string>();
  if (!module.statements.has(name) || texts.has(name)) return;
  neededTexts.set(module.path, texts.set(name, ''));
  const text = plain(module, name);
  texts.set(name, text);
  for (const [, path = '', type = ''] of text.matchAll(imported))
    need(read(pathOf(module, `${path}.ts`)), type);
  for (const [word] of text.matchAll(/\b[A-Z]\w+|(?<=typeof )\w+/g)) need(module, word);
};

const textOf = (module: Module, texts: ReadonlyMap<string, string>): string => {
  const kept = [...module.statements.keys()].flatMap((name) => texts.get(name) ?? []);
  const body = [...module.passedOn.map(({ text }) => text), ...kept].join('\n');
  const used = [...module.imports].filter(([name]) => new RegExp(`\\b${name}\\b`).test(body));
  const imports = [...Map.groupBy(used, ([, from]) => from)].map(([from, names]) => {
    const list = names.map(([name]) => name).join(', ');
    return `import type { ${list} } from '${specifierOf(module, from)}';`;
  });
  return [...imports, body, ''].join('\n');
};

/** Trims the declarations below `folder` to those that the one at `entry` needs, indented by tabs. */
export const trimDeclarations = (folder: string, entry: string): void => {
  const library = read(resolve(entry));
  neededTexts.set(library.path, new Map());
  for (const name of library.statements.keys()) need(library, name);
  for (const { from, names } of library.passedOn) for (const name of names) need(read(from), name);
  for (const path of globSync(`${folder}/**/*.d.ts`)) {
    const texts = neededTexts.get(resolve(path));
    if (texts === undefined) rmSync(path);
    else {
      const tabbed = textOf(read(resolve(path)), texts).replaceAll(/^(?: {4})+/gm, (spaces) =>
        '\t'.repeat(spaces.length / 4),
      );
      writeFileSync(path, tabbed);
    }
  }
};
