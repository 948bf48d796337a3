/** The narrowing of the board, as the address of the page has it. */
export interface StalenessSearch {
  project?: string;
  state?: 'stale' | 'potentially-stale';
}

export function parseStalenessSearch({ project, state }: Record<string, unknown>): StalenessSearch {
  return {
    ...(project !== undefined && project !== '' && { project: String(project) }),
    ...((state === 'stale' || state === 'potentially-stale') && { state }),
  };
}
