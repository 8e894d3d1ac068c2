import { registerHooks } from 'node:module';
import { extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Problem } from '../problem.ts';

const formats: Readonly<Record<string, 'module' | 'module-typescript'>> = {
  '.ts': 'module-typescript',
  '.mts': 'module-typescript',
  '.js': 'module',
  '.mjs': 'module',
};

/** What a scenario file imports Weir as; `weir` is the older name, which files still use. */
const names: readonly string[] = ['weir-bench', 'weir'];

/** Whether a scenario file is a program that makes the scenario. */
export const isModule = (path: string): boolean => Object.hasOwn(formats, extname(path));

/**
 * Whatever the nearest package.json says, TypeScript and the scenario itself are ES modules; and
 * `weir-bench` is the Weir that runs, wherever the file lies and whatever else is installed there.
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

/** What the module threw, with the line if the module's own is known. */
const loadFailure = (path: string, url: string, error: unknown): Problem => {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code === 'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING') {
    return new Problem(
      `${path}: Node.js reads no TypeScript below node_modules: copy the scenario into a folder of your own`,
    );
  }
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const at = stack?.indexOf(`${url}:`) ?? -1;
  const [line] = at < 0 ? [] : (/^\d+(:\d+)?/.exec(stack?.slice(at + url.length + 1) ?? '') ?? []);
  const place = line === undefined ? path : `${path}:${line}`;
  return new Problem(`${place}: the scenario file cannot be loaded: ${message}`);
};

type ScenarioFactory = () => unknown;

/**
 * The default export of a scenario file in TypeScript or JavaScript, or what it returns if it is a
 * function. `weir` is what the file gets when it imports `weir-bench`. Throws a `Problem` when there is none.
 */
export const importScenario = async (path: string, weir: URL): Promise<unknown> => {
  if (formats[extname(path)] === 'module-typescript' && process.features.typescript === false) {
    throw new Problem(
      `${path} is TypeScript, and this Node.js ${process.versions.node} was started without support for it: use Node.js 24, or write the scenario in YAML or JavaScript`,
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
  throw new Problem(
    `${path} exports no scenario: end it with export default defineScenario({…}), or with a function that returns one`,
  );
};
