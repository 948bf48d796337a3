import type { Import } from './imports.ts';

/** One circle per knot of files that reach each other, as the files on a shortest way round from its first to itself. */
export function circles(imports: Import[]): string[][] {
  const edges = new Map<string, string[]>();
  for (const { file, target } of imports) {
    if (target !== undefined) edges.set(file, [...(edges.get(file) ?? []), target]);
  }
  return components(edges)
    .filter(([first, second]) => second !== undefined || (edges.get(first!) ?? []).includes(first!))
    .map((files) => cycleThrough(files.sort()[0]!, new Set(files), edges));
}

/** Tarjan's strongly connected components: sets of files of which each reaches every other. */
function components(edges: Map<string, string[]>): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const found: string[][] = [];

  const visit = (file: string): void => {
    order.set(file, order.size);
    lowest.set(file, order.get(file)!);
    open.push(file);
    isOpen.add(file);
    for (const next of edges.get(file) ?? []) {
      if (!order.has(next)) visit(next);
      if (isOpen.has(next)) lowest.set(file, Math.min(lowest.get(file)!, lowest.get(next)!));
    }
    if (lowest.get(file) !== order.get(file)) return;
    const component = open.splice(open.indexOf(file));
    for (const member of component) isOpen.delete(member);
    found.push(component);
  };

  for (const file of edges.keys()) if (!order.has(file)) visit(file);
  return found;
}

/** The shortest way from `start` back to itself that stays inside `members`. */
function cycleThrough(start: string, members: Set<string>, edges: Map<string, string[]>): string[] {
  const ways: string[][] = [[start]];
  const seen = new Set<string>();
  for (const way of ways) {
    for (const next of edges.get(way.at(-1)!) ?? []) {
      if (next === start) return [...way, start];
      if (!members.has(next) || seen.has(next)) continue;
      seen.add(next);
      ways.push([...way, next]);
    }
  }
  return [start];
}
