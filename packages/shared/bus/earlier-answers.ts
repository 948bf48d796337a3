// FOR ONE RELEASE: answers for callers of 18d16db. They do not say what they accept, and expect that the contract says
// whether an answer is one message or outputs in frames ("pieces"). Delete this file and its use in serve.ts when no
// upgrade begins at 18d16db any more (docs/upgrade.md). A service of 18d16db needs nothing: its pieces are frames.
import { pieceLimits, splitIntoPieces } from './pieces.ts';

/**
 * Whether a request without the header expects pieces. It then has an inbox of its own, which ends in a random token:
 * `_INBOX.<caller>.<service>.<token>`. Other requests share such an inbox, and add a token with their number.
 */
export function expectsPieces(inbox: string, subject: (plain: string) => string): boolean {
  return inbox.slice(subject('_INBOX.').length).split('.').length === 3;
}

type Output = Record<string, unknown>;

/** An output as outputs that each fit a message. Each has a part of one list, and the other lists are empty. */
export function* piecesOf(name: string, output: Output): Generator<Output> {
  const lists = Object.entries(output).filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]));
  if (lists.length === 0 || Buffer.byteLength(JSON.stringify(output)) <= pieceLimits.bytes) return yield output;
  if (name === 'accounts.group.get') return yield* partsOfGroup(output);
  const empty = { ...output, ...Object.fromEntries(lists.map(([field]) => [field, []])) };
  for (const [field, items] of lists) {
    const fitting = name === 'accounts.group.list' ? (items as Output[]).flatMap(partsOfGroup) : items;
    for (const piece of splitIntoPieces(fitting)) yield { ...empty, [field]: piece };
  }
}

/** A group may have more members than fit a message. The gateway of 18d16db joins parts with different members. */
function partsOfGroup(group: Output): Output[] {
  const { users } = group as { users: unknown[] };
  return users.length === 0 ? [group] : splitIntoPieces(users).map((part) => ({ ...group, users: part }));
}
