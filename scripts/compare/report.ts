import type { Difference, DifferenceKind } from './differences.ts';

/** Differences that are wanted, or that are accepted for a reason. All properties that it has must match. */
export interface KnownDifference {
  kind: DifferenceKind;
  request: RegExp;
  /** The property or header, whole. */
  at?: RegExp;
  yardarm?: RegExp;
  peer?: RegExp;
  reason: string;
}

const kinds: readonly DifferenceKind[] = ['status', 'body shape', 'error shape', 'headers'];

const isKnown = (known: KnownDifference, { kind, request, at, yardarm, peer }: Difference) =>
  known.kind === kind &&
  known.request.test(request) &&
  (known.at?.test(at) ?? true) &&
  (known.yardarm?.test(yardarm) ?? true) &&
  (known.peer?.test(peer) ?? true);

/** The lines to print, and how many differences are unknown. A difference counts for the first that it matches. */
export function report(
  differences: readonly Difference[],
  knownDifferences: readonly KnownDifference[],
  { all }: { all: boolean },
): { lines: string[]; unknown: number } {
  const lines: string[] = [];
  const used = new Set<KnownDifference>();
  let unknown = 0;
  for (const kind of kinds) {
    const ofKind = differences.filter((difference) => difference.kind === kind);
    const groups = Map.groupBy(ofKind, (difference) => knownDifferences.find((known) => isKnown(known, difference)));
    lines.push('', `${kind}: ${ofKind.length} differences`);
    for (const [known, members] of groups) {
      if (known === undefined) continue;
      used.add(known);
      lines.push(`  ${String(members.length).padStart(4)}  ${known.reason}`);
      if (all) lines.push(...members.map(textOf));
    }
    const rest = groups.get(undefined) ?? [];
    unknown += rest.length;
    if (rest.length > 0) lines.push(`  ${String(rest.length).padStart(4)}  UNKNOWN`, ...rest.map(textOf));
  }
  const unused = knownDifferences.filter((known) => !used.has(known));
  if (unused.length > 0) lines.push('', 'Known differences that were not seen:');
  lines.push(...unused.map(({ kind, reason }) => `  ${kind}: ${reason}`));
  return { lines, unknown };
}

function textOf({ request, at, yardarm, peer }: Difference): string {
  return `          ${request}${at && `, ${at}`}: Yardarm ${yardarm}, unleash-server ${peer}`;
}
