/** Turns the type that the compiler prints for a zod schema into the plain type of what the schema accepts or returns. */

/** A node of a syntax tree; the fields that are read are typed where they are read. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** What a schema accepts, or what it returns. */
export type Side = 'input' | 'output';

/** The module that has a type, and how its names are written where the plain type will stand. */
export interface Place {
  readonly text: string;
  /** Returns a text of the module with its imports as seen from there. */
  readonly moved: (text: string) => string;
  /** Returns the name of a type that is declared already, by the text of its schema. */
  readonly nameOf: (schema: string) => string | null;
}

/** A plain type, and whether an object may lack a property of this type. */
interface Shape {
  readonly text: string;
  readonly isOptional?: boolean | undefined;
}

export const child = (node: Node | null, field: string): Node | null =>
  (node?.[field] ?? null) as Node | null;
export const children = (node: Node | null, field: string): readonly Node[] =>
  (node?.[field] ?? []) as readonly Node[];
export const typeOf = (node: Node | null): Node | null =>
  child(child(node, 'typeAnnotation'), 'typeAnnotation');
const argumentsOf = (node: Node): readonly Node[] =>
  children(child(node, 'typeArguments'), 'params');

/** The elements of a tuple type, `readonly` or not. */
const elementsOf = (tuple: Node): readonly Node[] =>
  children(
    tuple.type === 'TSTypeOperator' ? child(tuple, 'typeAnnotation') : tuple,
    'elementTypes',
  );

const scalars: Readonly<Record<string, string>> = {
  ZodString: 'string',
  ZodURL: 'string',
  ZodBase64: 'string',
  ZodISODateTime: 'string',
  ZodNumber: 'number',
  ZodInt: 'number',
  ZodBoolean: 'boolean',
  ZodJSONSchema: 'z.JSONType',
};

/** The reader of one schema's type. */
interface Reader {
  readonly side: Side;
  /** The text of a node as it is written where the plain type will stand. */
  readonly raw: (node: Node) => string;
  /** The plain type of a schema within the schema. */
  readonly part: (schema: Node) => Shape;
}

/** A type made of that of an inner schema, which may be left out if that one may. */
const wrapped = ({ part }: Reader, inner: Node, wrap: (text: string) => string): Shape => {
  const { text, isOptional } = part(inner);
  return { text: wrap(text), isOptional };
};

const withDefault = ({ side, part }: Reader, inner: Node): Shape => {
  const { text } = part(inner);
  return side === 'output' ? { text } : { text: `${text} | undefined`, isOptional: true };
};

const transformed = ({ side, raw }: Reader, output: Node, input: Node): Shape => ({
  text: raw(side === 'output' ? output : input),
});

const union = ({ part }: Reader, tuple: Node): Shape => {
  const parts = elementsOf(tuple).map(part);
  const texts = new Set(parts.map(({ text }) => text));
  return { text: [...texts].join(' | '), isOptional: parts.some((one) => one.isOptional) };
};

const object = ({ part, raw }: Reader, literal: Node): Shape => {
  const lines = children(literal, 'members').map((member) => {
    const { text, isOptional = false } = part(typeOf(member)!);
    return `\n${raw(child(member, 'key')!)}${isOptional ? '?' : ''}: ${text};`;
  });
  return { text: `{${lines.join('').replaceAll('\n', '\n\t')}\n}` };
};

const record = ({ part }: Reader, key: Node, value: Node): Shape => {
  // `z.partialRecord` is printed as an intersection with its keys.
  const [partial = null] = children(key, 'types');
  const text = `Record<${part(partial ?? key).text}, ${part(value).text}>`;
  return { text: partial === null ? text : `Partial<${text}>` };
};

const array = ({ part }: Reader, element: Node): Shape => {
  const { text } = part(element);
  return { text: /[|&]/.test(text) ? `(${text})[]` : `${text}[]` };
};

/** How a schema becomes a type, by the schema's class and with the arguments of its type. */
const kinds: Readonly<Record<string, (reader: Reader, first: Node, second: Node) => Shape>> = {
  ZodLiteral: ({ raw }, value) => ({ text: raw(value) }),
  ZodEnum: ({ raw }, choice) => ({
    text: children(choice, 'members')
      .map((member) => raw(typeOf(member)!))
      .join(' | '),
  }),
  ZodNullable: (reader, inner) => wrapped(reader, inner, (text) => `${text} | null`),
  ZodOptional: ({ part }, inner) => ({ text: `${part(inner).text} | undefined`, isOptional: true }),
  ZodExactOptional: ({ part }, inner) => ({ text: part(inner).text, isOptional: true }),
  ZodDefault: withDefault,
  ZodPrefault: withDefault,
  ZodReadonly: (reader, inner) => wrapped(reader, inner, (text) => `readonly ${text}`),
  $ZodBranded: (reader, inner, brand) =>
    wrapped(reader, inner, (text) =>
      reader.side === 'output' ? `${text} & z.$brand<${reader.raw(brand)}>` : text,
    ),
  ZodPipe: ({ side, part }, from, to) => part(side === 'output' ? to : from),
  ZodPreprocess: ({ side, part }, inner) => (side === 'output' ? part(inner) : { text: 'unknown' }),
  ZodTransform: transformed,
  ZodType: transformed,
  ZodArray: array,
  ZodTuple: ({ part }, tuple) => {
    const elements = elementsOf(tuple).map((element) => part(element).text);
    return { text: `[${elements.join(', ')}]` };
  },
  ZodUnion: union,
  ZodDiscriminatedUnion: union,
  ZodRecord: record,
  ZodObject: object,
};

/** Returns the plain type of the schema whose type is `node`. Throws for a kind of schema that it does not know. */
export const plainType = (node: Node, side: Side, place: Place): string => {
  const raw = ({ start, end }: Node): string => place.moved(place.text.slice(start, end));
  const shape = (inner: Node): Shape => {
    const name = raw(child(inner, 'typeName') ?? inner).replace(/^z\.(core\.)?/, '');
    const scalar = scalars[name];
    if (scalar !== undefined) return { text: scalar };
    const [first, second] = argumentsOf(inner);
    const kind = kinds[name];
    if (kind === undefined)
      throw new Error(`There is no plain type for ${raw(inner).slice(0, 200)}.`);
    return kind({ side, raw, part }, first!, second!);
  };
  /** A type that is declared separately is referred to by its name. */
  const part = (inner: Node): Shape => {
    const name = side === 'output' ? place.nameOf(place.text.slice(inner.start, inner.end)) : null;
    return name === null ? shape(inner) : { text: name };
  };
  return shape(node).text;
};
