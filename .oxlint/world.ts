import type { ESTree, Rule, ScopeManager } from '@oxlint/plugins';
import { grantOf } from './map.ts';
import { placeOf } from './place.ts';

/** Globals that read a clock, wait, draw random numbers or use the process, the network or the screen. */
const worldly = new Set(
  `performance setTimeout setInterval setImmediate requestAnimationFrame scheduler
   crypto process console navigator localStorage sessionStorage
   fetch WebSocket EventSource XMLHttpRequest BroadcastChannel Worker`.split(/\s+/),
);

/** Globals that only compute, except for these members. */
const worldlyMembers: ReadonlyMap<string, readonly string[]> = new Map([
  ['Date', ['now']],
  ['Math', ['random']],
  ['AbortSignal', ['timeout']],
  ['Atomics', ['wait', 'waitAsync']],
  ['Temporal', ['Now']],
]);

const globalObjects = new Set(['globalThis', 'global', 'self', 'window']);

/** Rejects globals that touch the world unless the map allows them. */
export const world: Rule = {
  create(context) {
    const place = placeOf(context.filename);
    if (place === null) return {};
    const { globals } = grantOf(place);
    if (globals.includes('*')) return {};
    return {
      'Program:exit': () => {
        for (const node of globalValues(context.sourceCode.scopeManager)) {
          const touched = touchedBy(node);
          if (touched === null || globals.includes(touched)) continue;
          context.report({
            node,
            message: `\`${touched}\` touches the world, which only platform does. Take a Clock, a Draw, a Ticker or another port as an argument.`,
          });
        }
      },
    };
  },
};

/** Nodes in which a name is a type. */
const typePlaces = new Set(
  'TSTypeReference TSTypeQuery TSQualifiedName TSInterfaceHeritage TSClassImplements'.split(' '),
);

/** Every use, as a value, of a name that this file does not declare. */
function globalValues(scopes: ScopeManager): readonly ESTree.Node[] {
  const { globalScope } = scopes;
  if (globalScope === null) return [];
  const undeclared = globalScope.variables.filter((variable) => variable.defs.length === 0);
  return [...globalScope.through, ...undeclared.flatMap((variable) => variable.references)]
    .map((reference) => reference.identifier)
    .filter((node) => !typePlaces.has(node.parent.type));
}

/** What this use of a global touches, or null if it only computes. */
function touchedBy(identifier: ESTree.Node): string | null {
  let node: ESTree.Node | null = identifier;
  let name = identifier.type === 'Identifier' ? identifier.name : '';
  while (node !== null && globalObjects.has(name)) {
    const member = memberOf(node);
    if (member === null) return name;
    node = node.parent;
    name = member;
  }
  if (worldly.has(name)) return name;
  const members = worldlyMembers.get(name);
  if (node === null || members === undefined || computesOnly(name, node)) return null;
  const member = memberOf(node);
  if (member === null) return name === 'Date' ? 'new Date()' : name;
  return members.includes(member) ? `${name}.${member}` : null;
}

/** A date with a given value and a type guard read no clock. */
function computesOnly(name: string, node: ESTree.Node): boolean {
  const { parent } = node;
  if (parent?.type === 'BinaryExpression') return parent.operator === 'instanceof';
  if (name !== 'Date' || parent?.type !== 'NewExpression') return false;
  return parent.callee === node && parent.arguments.length > 0;
}

/** The name of the accessed member, if it is a literal. */
function memberOf(object: ESTree.Node): string | null {
  const { parent } = object;
  if (parent?.type !== 'MemberExpression' || parent.object !== object) return null;
  const { property } = parent;
  if (!parent.computed && property.type === 'Identifier') return property.name;
  return property.type === 'Literal' && typeof property.value === 'string' ? property.value : null;
}
