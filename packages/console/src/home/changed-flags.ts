interface Changed {
  featureName?: string | null;
  project?: string | null;
  createdAt: string;
  type: string;
}

const atMost = 10;

/** The flags of the events, newest first and each once. Deleted ones have no page. */
export function changedFlags(events: readonly Changed[]): { name: string; project: string; at: string }[] {
  const flags = new Map<string, { name: string; project: string; at: string }>();
  const deleted = new Set<string>();
  for (const { featureName: name, project, createdAt: at, type } of events) {
    if (!name || !project) continue;
    if (type === 'feature-deleted') deleted.add(name);
    if (!deleted.has(name) && !flags.has(name)) flags.set(name, { name, project, at });
  }
  return [...flags.values()].slice(0, atMost);
}
