import {
  defineVerb,
  positionals,
  type PublishedSchema,
  switchOption,
  type Verb,
} from '../options/define-verb.ts';
import { terminalHost } from '../options/terminal-host.ts';

/** The names by which users select a schema, each with a verb. The schema describes the file that this verb writes. */
const publishingVerbs = {
  check: 'check',
  sweep: 'sweep',
  capacity: 'capacity',
  cache: 'cache',
  fairness: 'fairness',
  recovery: 'recovery',
  pairs: 'compare',
} as const;
type VerbSubject = keyof typeof publishingVerbs;
export const schemaSubjects = [
  'scenario',
  'result',
  ...(Object.keys(publishingVerbs) as VerbSubject[]),
] as const;
type SchemaSubject = (typeof schemaSubjects)[number];

const schemasOfRuns: Readonly<Record<'scenario' | 'result', PublishedSchema>> = {
  scenario: {
    path: 'scenarios/schema.json',
    make: async () =>
      (await import('../../scenario/schema/scenario-schema.ts')).scenarioJsonSchema(),
  },
  result: {
    path: 'reports/result.schema.json',
    make: async () => (await import('../../model/result/result.ts')).resultJsonSchema(),
  },
};

type LoadVerb = (name: string) => Promise<Verb>;

export const publishedSchema = async (
  subject: SchemaSubject,
  loadVerb: LoadVerb,
): Promise<PublishedSchema> => {
  if (subject === 'scenario' || subject === 'result') return schemasOfRuns[subject];
  const verb = publishingVerbs[subject];
  const { schema } = await loadVerb(verb);
  if (schema === undefined) throw new Error(`the verb ${verb} publishes no schema`);
  return schema;
};

/** Returns a mapping as JSON with one line for each of its values. */
const linesOf = (mapping: object, inner: (value: unknown) => string = JSON.stringify): string =>
  `{\n${Object.entries(mapping)
    .map(([name, value]) => `${JSON.stringify(name)}:${inner(value)}`)
    .join(',\n')}\n}`;

/**
 * Returns a schema as JSON with one line for each field and definition. Indentation would make the schema a fifth
 * larger in the package.
 */
export const schemaText = async ({ make }: PublishedSchema): Promise<string> => {
  const perField = new Set(['properties', 'definitions', '$defs']);
  const entries = Object.entries(await make()).map(([name, value]) => [
    name,
    perField.has(name) ? linesOf(value as object) : JSON.stringify(value),
  ]);
  return `${linesOf(Object.fromEntries(entries) as object, String)}\n`;
};

export const schemaVerb = (loadVerb: LoadVerb): Verb =>
  defineVerb({
    options: {
      subject: { choices: schemaSubjects, default: 'scenario' as const, group: positionals },
      write: { ...switchOption('Write all to their places in a checkout'), hidden: true },
    },
    run: async ({ subject, write }) => {
      const { printer } = terminalHost();
      if (!write) {
        const text = await schemaText(await publishedSchema(subject, loadVerb));
        printer.print({ text: () => text });
        return 'pass';
      }
      const { writeText } = await import('../../platform/files/plain-files.ts');
      for (const each of schemaSubjects) {
        const schema = await publishedSchema(each, loadVerb);
        await writeText(schema.path, await schemaText(schema));
        printer.say(`written: ${schema.path}`);
      }
      return 'pass';
    },
  });
