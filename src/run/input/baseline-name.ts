/**
 * Returns whether a baseline can have this name. Names of baselines look neither like paths nor like numbers of runs.
 */
export const isBaselineName = (name: string): boolean =>
  /^\w[\w.-]*$/.test(name) && !/^\d+$|\.(json|db)$/.test(name);
