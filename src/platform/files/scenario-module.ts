import { registerHooks } from 'node:module';
import { extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Problem, UnusableScenario } from '../problem.ts';

const formats: Readonly<Record<string, 'module' | 'module-typescript'>> = {
  '.ts': 'module-typescript',
  '.mts': 'module-typescript',
  '.js': 'module',
  '.mjs': 'module',
};

/** The names under which scenario files import Weir. `weir` is the old name. */
const names: readonly string[] = ['weir-bench', 'weir'];

/** Returns whether a scenario file is a TypeScript or JavaScript module. */
export const isModule = (path: string): boolean => Object.hasOwn(formats, extname(path));

/**
 * Registers hooks that make Node load TypeScript, and load the scenario as an ES module whatever the nearest
 * package.json says. The hooks also make `weir-bench` resolve to the running Weir, even if another version is installed
 * near the file.
 */
const installHooks = (scenario: string, weir: URL): { readonly deregister: () => void } =>
  registerHooks({
    resolve: (specifier, context, next) => {
      if (names.includes(specifier)) return { url: weir.href, shortCircuit: true };
      const resolved = next(specifier, context);
      const format = formats[extname(resolved.url)];
      const isModuleSource = resolved.url === scenario || format === 'module-typescript';
      return isModuleSource && format !== undefined ? { ...resolved, format } : resolved;
    },
  });

const loadFailure = (path: string, url: string, error: unknown): Problem => {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code === 'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING') {
    return new UnusableScenario(
      `${path}: Node.js does not read TypeScript below node_modules: copy the scenario to another folder`,
    );
  }
  if (error instanceof Error && /'k6(?:\/|')/.test(error.message))
    return new UnusableScenario(
      `${path} is a script of k6, not a scenario: \`weir init\` writes one, and \`weir import\` makes one of what \`k6 inspect\` prints`,
    );
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const at = stack?.indexOf(`${url}:`) ?? -1;
  const [line] = at < 0 ? [] : (/^\d+(:\d+)?/.exec(stack?.slice(at + url.length + 1) ?? '') ?? []);
  const place = line === undefined ? path : `${path}:${line}`;
  return new UnusableScenario(`${place}: the scenario file cannot be loaded: ${message}`);
};

type ScenarioFactory = () => unknown;

/**
 * Returns the scenario that a TypeScript or JavaScript file exports: the default export, or the result of the default
 * export if it is a function. `weir` is the module that the file gets when it imports `weir-bench`. Throws a `Problem`
 * if the file cannot be loaded or exports no scenario.
 */
export const importScenario = async (path: string, weir: URL): Promise<unknown> => {
  if (formats[extname(path)] === 'module-typescript' && process.features.typescript === false) {
    throw new UnusableScenario(
      `${path} is TypeScript, but this Node.js ${process.versions.node} runs without support for it: use Node.js 24, or write the scenario in YAML or JavaScript`,
    );
  }
  const url = pathToFileURL(resolve(path)).href;
  const hooks = installHooks(url, weir);
  try {
    const { default: exported } = (await import(url)) as { readonly default?: unknown };
    const scenario = await (typeof exported === 'function'
      ? (exported as ScenarioFactory)()
      : exported);
    if (scenario !== undefined) return scenario;
  } catch (error) {
    throw loadFailure(path, url, error);
  } finally {
    hooks.deregister();
  }
  throw new UnusableScenario(
    `${path} exports no scenario: end it with export default defineScenario({…}), or with a function that returns one`,
  );
};
