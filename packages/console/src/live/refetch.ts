/** How often an open screen reads again. The stream has only the events that its caller may read. */
export const refetchMs = 30_000;

/** The same for each page of a list, because every page is a request of its own. */
export function refetchAfter(data: unknown): number {
  const { pages } = (data ?? {}) as { pages?: unknown };
  return refetchMs * (Array.isArray(pages) ? Math.max(1, pages.length) : 1);
}
