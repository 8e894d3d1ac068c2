import type { FilledScenario } from './environment-template.ts';
import type { ScenarioFinding } from './scenario-problem.ts';
import { isMapping, type Path, pathKey, positionOf, valueAtPath } from './scenario-tree.ts';

type FieldOf<T, K extends string> = T extends { readonly [Name in K]?: infer Field }
  ? Field
  : undefined;
type ItemOf<T> = T extends readonly (infer Item)[] ? Item : never;

interface ParsedValues {
  readonly filled: FilledScenario;
  readonly written: unknown;
  /** The values after parsing. Faulty values are as they were written. */
  readonly parsed: unknown;
  /**
   * The paths of faulty values and of values that contain a faulty value. `unparsed` has the paths of values that were
   * not parsed. `pathKey` writes the paths as texts.
   */
  readonly faulty: ReadonlySet<string>;
  readonly unparsed: ReadonlySet<string>;
}

/**
 * A part of a scenario, which may be missing. `written` is the value in the form in which it was written, and
 * `validValue` is the parsed value.
 */
export class ScenarioPart<T> {
  readonly path: Path;
  readonly written: unknown;
  readonly #scenario: ParsedValues;

  constructor(scenario: ParsedValues, path: Path = []) {
    this.#scenario = scenario;
    this.path = path;
    this.written = valueAtPath(scenario.written, path);
  }

  /** Returns the parsed value of the part, including defaults; `undefined` if any value in the part is faulty. */
  get validValue(): T | undefined {
    const { parsed, faulty, unparsed } = this.#scenario;
    const isUnparsed = this.path.some((_, length) =>
      unparsed.has(pathKey(this.path.slice(0, length))),
    );
    if (isUnparsed || faulty.has(pathKey(this.path))) return undefined;
    return valueAtPath(parsed, this.path) as T;
  }

  get isList(): boolean {
    return Array.isArray(this.written);
  }

  get isPresent(): boolean {
    return this.written !== undefined;
  }

  /** Returns the text that was written; `null` if the value is not a text. */
  get text(): string | null {
    return typeof this.written === 'string' ? this.written : null;
  }

  /** Returns whether the value comes from the environment. No message may repeat a value from the environment. */
  get isFromEnvironment(): boolean {
    return this.#scenario.filled.environmentValues.has(pathKey(this.path));
  }

  get isFromFlag(): boolean {
    return positionOf(this.#scenario.filled.tree, this.path, 'key').flag !== null;
  }

  at<K extends string>(name: K): ScenarioPart<FieldOf<NonNullable<T>, K>> {
    return new ScenarioPart(this.#scenario, [...this.path, name]);
  }

  /** Returns the keys that were written; none if the value is not a mapping. */
  get names(): readonly string[] {
    return isMapping(this.written) ? Object.keys(this.written) : [];
  }

  /** Returns the entries that were written; none if the value is not a list. */
  get items(): readonly ScenarioPart<ItemOf<T>>[] {
    if (!Array.isArray(this.written)) return [];
    return this.written.map((_, index) => new ScenarioPart(this.#scenario, [...this.path, index]));
  }

  keyFinding(message: string, hint: string | null = null): ScenarioFinding {
    return { path: this.path, part: 'key', message, hint };
  }

  valueFinding(message: string, hint: string | null = null): ScenarioFinding {
    return { path: this.path, part: 'value', message, hint };
  }
}
