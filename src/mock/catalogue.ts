import type { Model } from '../contract/models.ts';

/**
 * When everything here was created: 2026-01-01T00:00:00Z as a Unix timestamp. It does not move, so
 * that the same request gets the same bytes at any time.
 */
export const created = 1_767_225_600;

/** The model list (interface 2.2) of these ids; the publisher is what stands before the slash. */
export const listModels = (ids: readonly string[]): { object: 'list'; data: Model[] } => ({
  object: 'list',
  data: ids.map((id) => ({
    id,
    object: 'model',
    created,
    owned_by: id.slice(0, id.indexOf('/')),
  })),
});
