import { fillRequestJson, isRequestTemplate } from '../../model/plan/request-template.ts';
import type { PrepareContext } from '../traffic-handler.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Whether the body of each entry has a template, since a body is sent many times. */
const knownBodies = new WeakMap<Fields, boolean>();

/** Decides whether a body differs from request to request. */
export const isTemplateBody = (body: Fields): boolean => {
  const known = knownBodies.get(body);
  if (known !== undefined) return known;
  const found = isRequestTemplate(JSON.stringify(body));
  knownBodies.set(body, found);
  return found;
};

/** Fills the templates of a body with the values of a request. */
export const filledBody = (body: Fields, values: PrepareContext['values']): Fields =>
  isTemplateBody(body) ? (fillRequestJson(body, values()) as Fields) : body;
