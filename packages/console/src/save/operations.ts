import { isSame } from './same.ts';

type Operation = { op: 'test' | 'replace'; path: string; value: unknown };

/** The properties that differ, as a JSON Patch that first tests that they are as before. */
export function operationsOf<Part extends object>(before: Part, after: Partial<Part>): Operation[] {
  const changed = (Object.keys(after) as (keyof Part & string)[]).filter((name) => !isSame(before[name], after[name]));
  return [
    ...changed.map((name) => ({ op: 'test' as const, path: `/${name}`, value: before[name] })),
    ...changed.map((name) => ({ op: 'replace' as const, path: `/${name}`, value: after[name] })),
  ];
}
