import type { Import } from './imports.ts';

/** A shortest import cycle through the first file of each strongly connected component. */
export function findCycles(imports: Import[]): string[][] {
  const edges = new Map<string, string[]>();
  for (const { file, target } of imports) {
    if (target !== undefined) edges.set(file, [...(edges.get(file) ?? []), target]);
  }
  return components(edges)
    .filter(([first, second]) => second !== undefined || (edges.get(first!) ?? []).includes(first!))
    .map((files) => cycleThrough(files.sort()[0]!, new Set(files), edges));
}

/** Tarjan's strongly connected components: sets of files that all reach each other. */
function components(edges: Map<string, string[]>): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const onStack = new Set<string>();
  const found: string[][] = [];

  const visit = (file: string): void => {
    order.set(file, order.size);
    lowest.set(file, order.get(file)!);
    stack.push(file);
    onStack.add(file);
    for (const next of edges.get(file) ?? []) {
      if (!order.has(next)) visit(next);
      if (onStack.has(next)) lowest.set(file, Math.min(lowest.get(file)!, lowest.get(next)!));
    }
    if (lowest.get(file) !== order.get(file)) return;
    const component = stack.splice(stack.indexOf(file));
    for (const member of component) onStack.delete(member);
    found.push(component);
  };

  for (const file of edges.keys()) if (!order.has(file)) visit(file);
  return found;
}

function cycleThrough(start: string, members: Set<string>, edges: Map<string, string[]>): string[] {
  const paths: string[][] = [[start]];
  const seen = new Set<string>();
  for (const path of paths) {
    for (const next of edges.get(path.at(-1)!) ?? []) {
      if (next === start) return [...path, start];
      if (!members.has(next) || seen.has(next)) continue;
      seen.add(next);
      paths.push([...path, next]);
    }
  }
  return [start];
}
