/** Returns whether a baseline can have this name. A baseline's name looks neither like a path nor like a run's id. */
export const isBaselineName = (name: string): boolean =>
  /^\w[\w.-]*$/.test(name) && !/^\d+$|\.(json|db)$/.test(name);
