/** As in `1 flag` and `1,200 flags`. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

interface Uses {
  usedInFeatures: number;
  usedInProjects: number;
}

/** How many flags use a segment or a context field. */
export function usedInWords({ usedInFeatures, usedInProjects }: Uses): string {
  if (usedInFeatures === 0) return 'Not used';
  return `Used by ${countOf(usedInFeatures, 'flag')} of ${countOf(usedInProjects, 'project')}`;
}
