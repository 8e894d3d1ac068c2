import { installCommand, installedVersion } from '../../platform/optional-package.ts';
import { type Finding, finding } from './finding.ts';

/** Lists the optional packages by their use. Packages with the same use are installed together. */
export const packageUses: Readonly<Record<string, readonly string[]>> = {
  'load `saturate`': ['autocannon'],
  'tokenizers of OpenAI': ['gpt-tokenizer'],
  '`--requests FILE.parquet`': ['hyparquet-writer'],
  '`--otlp`': [
    '@opentelemetry/exporter-metrics-otlp-http',
    '@opentelemetry/resources',
    '@opentelemetry/sdk-metrics',
  ],
  'several machines over NATS': [
    '@nats-io/transport-node',
    '@nats-io/jetstream',
    '@nats-io/kv',
    '@nats-io/obj',
  ],
  '`--target container`': ['testcontainers'],
};

const aboutPackages = finding('packages');

/** Says, for each use of optional packages, whether the packages are installed, and how to install missing packages. */
export const packageFindings = (
  versionOf: (name: string) => string | null = installedVersion,
): readonly Finding[] =>
  Object.entries(packageUses).map(([use, names]) => {
    const missing = names.filter((name) => versionOf(name) === null);
    const [first = ''] = names;
    return missing.length === 0
      ? aboutPackages(use, 'good', `${first} ${versionOf(first)}`)
      : aboutPackages(use, 'absent', 'not installed', `\`${installCommand(missing)}\``);
  });
