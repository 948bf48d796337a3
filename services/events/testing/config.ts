/** The public id at whose publishing the process dies. */
export function dieAt(environment: Record<string, string | undefined> = process.env): number {
  return Number(environment.DIE_AT);
}
