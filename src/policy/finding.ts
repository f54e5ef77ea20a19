export const packFileNames = ['surface.json', 'policy.json'] as const;
export type PackFileName = (typeof packFileNames)[number];

/** Member names and indices that lead from the top of a file to a value. */
export type Path = readonly (string | number)[];

/** One thing that lint found. `line` and `column` count from 1. */
export type Finding = {
  file: PackFileName;
  /** JSON path: `$`, `$.stimuli["item.updated"].privacy`. */
  path: string;
  line: number;
  column: number;
  message: string;
};
