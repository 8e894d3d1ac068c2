import { isIP } from 'node:net';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { readTextFile } from '../../platform/files/whole-file.ts';
import { secretsFolder } from '../../platform/files/secrets.ts';
import { plural } from '../../report/text/number-text.ts';
import { quotedWord } from '../../scenario/text/quoted-word.ts';
import {
  coordinatorOptions,
  type Launch,
  longestLife,
  meetingPlace,
  natsPort,
  secretFiles,
  secretVariables,
  targetEndpoint,
} from './launch.ts';
import type { LauncherName } from './launcher-names.ts';

/** The values that a template may use: texts, numbers, conditions, and lists for `each`. */
interface TemplateValues {
  readonly [name: string]: string | number | boolean | readonly TemplateValues[];
}

/**
 * Matches the marks in templates: `#@ …` (a remark), `#@let NAME = TEXT`, `#@if NAME` or `#@each NAME` with the lines
 * up to `#@end`, and `<NAME>`. A block must not contain another block.
 */
const marks =
  /^#@ .*\n|^#@let (?<own>\w+) = (?<text>.*)\n|^#@(?<kind>if|each) (?<list>\w+)\n(?<body>[^]*?)^#@end\n|<(?<name>\w+)>/gm;

const valueIn = (values: TemplateValues, name: string): TemplateValues[string] => {
  const value = values[name];
  if (value === undefined) throw new Error(`a template names the unknown value ${name}`);
  return value;
};

const textIn = (values: TemplateValues, name: string): string => {
  const value = valueIn(values, name);
  if (typeof value === 'object') throw new Error(`a template names the list ${name} in a line`);
  return String(value);
};

const scopesOf = (value: TemplateValues[string], kind: string): readonly TemplateValues[] => {
  if (kind === 'each' && typeof value === 'object') return value;
  const isThere = typeof value === 'object' ? value.length > 0 : Boolean(value);
  return isThere ? [{}] : [];
};

/** Renders a template. The content of a value is always text, even if it looks like a mark. */
export const renderTemplate = (template: string, values: TemplateValues): string => {
  const known: Record<string, TemplateValues[string]> = { ...values };
  return template.replaceAll(marks, (...match) => {
    const {
      own,
      text = '',
      kind,
      list = '',
      body = '',
      name,
    } = match.at(-1) as Partial<Record<string, string>>;
    if (own !== undefined) known[own] = renderTemplate(text, known);
    if (kind !== undefined)
      return scopesOf(valueIn(known, list), kind)
        .map((scope) => renderTemplate(body, { ...known, ...scope }))
        .join('');
    return name === undefined ? '' : textIn(known, name);
  });
};

const mebibytes = (gibibytes: number): number => Math.round(gibibytes * 1024);

const storedName = (secret: string): string => secret.toLowerCase();

const commonValues = (launch: Launch) => {
  const { name, plan, slices, version, image, natsImage, cpus, memoryGiB } = launch;
  return {
    name,
    plan: plan.name,
    slices,
    slicesText: plural(slices, 'slice'),
    version,
    image,
    natsImage,
    natsPort,
    cpus,
    memory: mebibytes(memoryGiB),
    // These CPUs are for the coordinator and the server, which exchange messages once a second. Only the report needs
    // more CPU time.
    cpusBeside: 0.5,
    memoryBeside: mebibytes(1),
    secretsFolder,
    variables: secretVariables(plan).map((variable) => ({
      variable,
      stored: storedName(variable),
    })),
    files: secretFiles(plan).map((file) => ({ file, stored: storedName(file) })),
    server: launch.rendezvous === null,
  };
};

/** Formats a value as YAML on a single line. */
const yamlOf = (value: string): string => stringify(value, { lineWidth: 0 }).trimEnd();

/**
 * Returns the values for a network policy. A policy contains addresses, not host names. So if the target has a host
 * name, the policy restricts only the port.
 */
const policyValues = ({ plan, rendezvous }: Launch) => {
  const { host = '', port = 0 } = targetEndpoint(plan) ?? {};
  const version = isIP(host);
  const meetPort = rendezvous === null ? '' : new URL(rendezvous).port;
  return {
    targetPort: port,
    targetBlock: version === 0 ? '' : yamlOf(`${host}/${version === 6 ? 128 : 32}`),
    meetPort: meetPort === '' ? natsPort : Number(meetPort),
  };
};

const kubernetesValues = (launch: Launch): TemplateValues => {
  const common = commonValues(launch);
  const keys = [
    ...common.variables.map(({ variable }) => `--from-literal=${variable}=…`),
    ...common.files.map(({ file }) => `--from-file=${file}`),
  ];
  const scenario = stringify({ [launch.file]: launch.text }, { lineWidth: 0 }).replace(/\n$/, '');
  return {
    ...common,
    ...policyValues(launch),
    image: yamlOf(launch.image),
    natsImage: yamlOf(launch.natsImage),
    keys: keys.join(' '),
    variables: common.variables.map(({ variable }) => ({ variable: yamlOf(variable) })),
    scenario: scenario.replaceAll(/\n(?!\n|$)/g, '\n  '),
    scenarioPath: yamlOf(`/scenario/${launch.file}`),
    options: coordinatorOptions(launch).map((option) => ({ option: yamlOf(option) })),
    meet: yamlOf(`--rendezvous=${meetingPlace(launch)}`),
    longestLife: longestLife(launch.plan),
  };
};

const clock = (seconds: number): string => {
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
};

const shellOptions = (launch: Launch): string =>
  coordinatorOptions(launch).map(quotedWord).join(' ');

const slurmValues = (launch: Launch): TemplateValues => ({
  ...commonValues(launch),
  clock: clock(longestLife(launch.plan)),
  meet: launch.rendezvous ?? 'file://$SLURM_SUBMIT_DIR/weir-$SLURM_JOB_ID',
  scenario: quotedWord(launch.file),
  options: shellOptions(launch),
});

const swarmValues = (launch: Launch): TemplateValues => {
  const common = commonValues(launch);
  const { name } = launch;
  const parts = ['coordinator', 'worker', ...(common.server ? ['nats'] : [])];
  const secrets = [...secretVariables(launch.plan), ...secretFiles(launch.plan)].map(
    (secret) => `--secret source=${name}-${storedName(secret)},target=${secret}`,
  );
  return {
    ...common,
    services: parts.map((part) => `${name}-${part}`).join(' '),
    end: `WEIR_SCENARIO_${name.toUpperCase().replaceAll('-', '_')}`,
    text: launch.text.replace(/\n$/, ''),
    scenario: quotedWord(`/scenario/${launch.file}`),
    options: shellOptions(launch),
    meet: meetingPlace(launch),
    secrets: secrets.join(' '),
  };
};

/** For each launcher, the template (a file in this folder) and the function that returns the template's values. */
const templates = {
  k8s: ['kubernetes.yaml', kubernetesValues],
  slurm: ['slurm.sh', slurmValues],
  swarm: ['swarm.sh', swarmValues],
} as const satisfies Record<LauncherName, readonly [string, (launch: Launch) => TemplateValues]>;

export const manifestFor = async (launcher: LauncherName, launch: Launch): Promise<string> => {
  const [file, valuesOf] = templates[launcher];
  const template = await readTextFile(fileURLToPath(new URL(file, import.meta.url)));
  return renderTemplate(template, valuesOf(launch));
};
