import type { LoggedEvent, Write } from './history.ts';

interface State {
  description: unknown;
  stale: boolean;
}

/**
 * Compares the events of one flag with the writes that were requested. The log must be a sequence of whole writes, each
 * at most once: all acknowledged writes in their order, no refused write, and no unknown write before a write that was
 * acknowledged before its request.
 */
export function violationsOfFlag(flag: string, writes: readonly Write[], events: readonly LoggedEvent[]): string[] {
  const violations: string[] = [];
  const byDescription = new Map(writes.map((write) => [write.description, write]));
  const found = new Set<Write>();
  const [created, ...changes] = events;
  if (created?.type !== 'feature-created') return [`the log of ${flag} does not begin with its creation`];
  let state: State = { description: created.data?.description, stale: false };

  for (let at = 0; at < changes.length; at += 1) {
    const event = changes[at]!;
    const write = byDescription.get(String(event.data?.description));
    if (event.type !== 'feature-metadata-updated' || write === undefined) {
      violations.push(`event ${event.id} (${event.type}) of ${flag} belongs to no write`);
      continue;
    }
    if (found.has(write)) violations.push(`write ${write.number} is in the log twice, again as event ${event.id}`);
    if (write.answer === 'refused')
      violations.push(`write ${write.number} was refused and is in the log as event ${event.id}`);
    if (event.preData?.description !== state.description)
      violations.push(`event ${event.id} of ${flag} follows ${event.preData?.description}, not ${state.description}`);
    const overtaken = writes.find(
      (earlier) => earlier.number < write.number && earlier.answer === 'acknowledged' && !found.has(earlier),
    );
    if (overtaken)
      violations.push(`write ${write.number} of ${flag} precedes write ${overtaken.number}, or that is lost`);
    found.add(write);
    if (write.stale !== state.stale) {
      const expected = write.stale ? 'feature-stale-on' : 'feature-stale-off';
      if (changes[at + 1]?.type === expected) at += 1;
      else
        violations.push(`write ${write.number} is half in the log: event ${event.id} is not followed by ${expected}`);
    }
    state = { description: write.description, stale: write.stale };
  }

  for (const write of writes)
    if (write.answer === 'acknowledged' && !found.has(write))
      violations.push(`write ${write.number} of ${flag} was acknowledged and is not in the log`);
  return violations;
}
