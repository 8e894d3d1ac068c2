/**
 * This file changes unions in a JSON Schema so that editors know which branch is meant. If a value fits no branch of an
 * `anyOf`, a validator reports the problems with every branch. For example, a load can be of nine kinds, and one
 * mistake in a load leads to 136 reported problems. A property such as `kind`, or the type of the value, may show which
 * branch is meant. In this case, `if` and `then` are added to the schema, so that the validator checks only this
 * branch.
 */

/** A JSON Schema, draft 7. */
interface Schema {
  readonly [keyword: string]: unknown;
}

const conditionWords = ['if', 'then'];

/**
 * Returns a schema with the keywords `if` and `then`. The schema is built from entries, since a linter would mistake an
 * object with a literal `then` for a promise.
 */
const conditionalSchema = (...parts: readonly [condition: Schema, consequence: unknown]): Schema =>
  Object.fromEntries(conditionWords.map((word, index) => [word, parts[index]]));

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const jsonTypes = ['null', 'boolean', 'number', 'string', 'array', 'object'] as const;
type JsonType = (typeof jsonTypes)[number];

const typeOf = (value: unknown): JsonType => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value as JsonType;
};

const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

/**
 * Returns the schema to which a reference leads. In draft 7, a reference cannot have other keywords beside it. So a
 * reference with other keywords is wrapped in another schema, which this function also unwraps.
 */
type Resolve = (schema: unknown) => unknown;

/** Returns the values that a schema lists; `null` if it lists no values. */
const namedValues = (schema: unknown): readonly unknown[] | null => {
  if (!isSchema(schema)) return null;
  if ('const' in schema) return [schema['const']];
  return Array.isArray(schema['enum']) ? schema['enum'] : null;
};

/** Returns the types of the values that a schema may accept; `null` if the schema does not show the types. */
const typesOf = (schema: unknown): readonly JsonType[] | null => {
  const named = namedValues(schema);
  if (named !== null) return [...new Set(named.map(typeOf))];
  if (!isSchema(schema) || !('type' in schema)) return null;
  const types = asList(schema['type']).map((type) => (type === 'integer' ? 'number' : type));
  return jsonTypes.filter((type) => types.includes(type));
};

const propertyOf = (schema: unknown, name: string): unknown =>
  isSchema(schema) && isSchema(schema['properties']) ? schema['properties'][name] : undefined;

const requires = (schema: unknown, name: string): boolean =>
  isSchema(schema) && asList(schema['required']).includes(name);

/** A property whose value shows which branch of a union is meant, and the values of the property in each branch. */
interface Discriminator {
  readonly name: string;
  readonly description: unknown;
  readonly values: readonly (readonly unknown[])[];
}

/** Returns a property that every branch requires with different values; `null` if there is no such property. */
const discriminatorOf = (branches: readonly unknown[], resolve: Resolve): Discriminator | null => {
  const resolved = branches.map(resolve);
  const [first] = resolved;
  const properties = isSchema(first) && isSchema(first['properties']) ? first['properties'] : {};
  for (const name of Object.keys(properties)) {
    const values = resolved.map((branch) =>
      requires(branch, name) ? namedValues(resolve(propertyOf(branch, name))) : null,
    );
    const known = values.filter((each) => each !== null);
    const isDistinct = new Set(known.flat()).size === known.flat().length;
    const own = resolve(properties[name]);
    const description = isSchema(own) ? own['description'] : undefined;
    if (known.length === values.length && isDistinct) return { name, description, values: known };
  }
  return null;
};

/**
 * Turns a union into branches that the value of a property selects. The result also lists all values of the property,
 * so that the validator reports an unknown value only once.
 */
const byProperty = (
  rest: Schema,
  branches: readonly unknown[],
  { name, description, values }: Discriminator,
): Schema => ({
  ...rest,
  type: 'object',
  properties: { [name]: { enum: values.flat(), description } },
  required: [name],
  allOf: branches.map((branch, index) =>
    conditionalSchema(
      { properties: { [name]: { enum: values[index] } }, required: [name] },
      branch,
    ),
  ),
});

/** Turns a union into one branch for each JSON type of the value. Branches for the same type stay a union. */
const byType = (
  rest: Schema,
  branches: readonly unknown[],
  types: readonly (readonly JsonType[])[],
): Schema | null => {
  const present = jsonTypes.filter((type) => types.some((each) => each.includes(type)));
  const choices = present.map((type) => ({
    type,
    fitting: branches.filter((_, index) => types[index]!.includes(type)),
  }));
  if (choices.every(({ fitting }) => fitting.length === branches.length)) return null;
  return {
    ...rest,
    type: present,
    allOf: choices.map(({ type, fitting }) =>
      conditionalSchema({ type }, fitting.length === 1 ? fitting[0] : { anyOf: fitting }),
    ),
  };
};

const withoutUnion = (schema: Schema, resolve: Resolve): Schema => {
  const { anyOf, oneOf, ...rest } = schema;
  const branches = anyOf ?? oneOf;
  if (!Array.isArray(branches)) return schema;
  const discriminator = discriminatorOf(branches, resolve);
  if (discriminator !== null) return byProperty(rest, branches, discriminator);
  const types = branches.map((branch) => typesOf(resolve(branch)));
  const known = types.filter((each) => each !== null);
  return (known.length === types.length ? byType(rest, branches, known) : null) ?? schema;
};

/**
 * Changes all unions in a part of a schema. Inner unions are changed first, since only a changed union shows its type.
 */
const decideIn = (part: unknown, resolve: Resolve): unknown => {
  if (Array.isArray(part)) return part.map((each) => decideIn(each, resolve));
  if (!isSchema(part)) return part;
  const inner = Object.entries(part).map(([keyword, value]) => [keyword, decideIn(value, resolve)]);
  return withoutUnion(Object.fromEntries(inner) as Schema, resolve);
};

/**
 * Changes all unions of a schema, at any depth. A union stays unchanged if neither a property nor a type shows which
 * branch is meant.
 */
export const decideUnions = (whole: Schema): Schema => {
  const definitions = isSchema(whole['definitions']) ? whole['definitions'] : {};
  const decided = new Map<string, unknown>();
  const resolve: Resolve = (schema) => {
    if (!isSchema(schema)) return schema;
    const { allOf } = schema;
    if (Array.isArray(allOf) && allOf.length === 1) return resolve(allOf[0]);
    const [, name] = /^#\/definitions\/(.+)$/.exec(String(schema['$ref'])) ?? [];
    return name === undefined ? schema : resolve(definitionOf(name));
  };
  const definitionOf = (name: string): unknown => {
    if (!decided.has(name)) {
      // A definition may contain itself. While it is being changed, the inner reference leads to the unchanged
      // definition.
      decided.set(name, definitions[name]);
      decided.set(name, decideIn(definitions[name], resolve));
    }
    return decided.get(name);
  };
  const names = Object.keys(definitions);
  const { definitions: _, ...rest } = whole;
  return {
    ...(decideIn(rest, resolve) as Schema),
    definitions: Object.fromEntries(names.map((name) => [name, definitionOf(name)])),
  };
};
