/** The public id at whose publish the process kills itself. */
export function dieAt(environment: Record<string, string | undefined> = process.env): number {
  return Number(environment.DIE_AT);
}
