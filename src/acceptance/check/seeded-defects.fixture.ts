import { defectsInEndpoints } from './defects-in-endpoints.fixture.ts';
import { defectsInResources } from './defects-in-resources.fixture.ts';
import { defectsInRules } from './defects-in-rules.fixture.ts';
import type { SeededDefect } from './seeded-defect.fixture.ts';

/**
 * Sixty ways in which a gateway can break the interface, written from the interface alone, before there was any check:
 * the checks are held to this list.
 */
export const seededDefects: readonly SeededDefect[] = [
  ...defectsInResources,
  ...defectsInEndpoints,
  ...defectsInRules,
];
