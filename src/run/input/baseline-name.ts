/** Matches names that baselines can have. They look neither like paths nor like options. */
export const isBaselineName = (name: string): boolean =>
  /^\w[\w.-]*$/.test(name) && !/^\d+$|\.(json|db)$/.test(name);
