// Checks the history of a run in both directions: from the journal to the log to the receiver, and back. The check is
// pure; check-history.test.ts shows that it finds each kind of damage.
//
// Unique ids prove nothing, since a constraint enforces them. So the check compares contents: a write is identified by
// its description, and each event of a flag must continue the state after the previous event.
import { isDeepStrictEqual } from 'node:util';
import { violationsOfFlag } from './check-flag.ts';
import { expectedOf, type History, type LoggedEvent, type Subscription } from './history.ts';

/** Describes the faults of a history; empty when it is correct. */
export function violationsOf(history: History): string[] {
  const { flags, writes, log } = history;
  return [
    ...violationsOfIds(log),
    ...violationsOfCommitted(history),
    ...flags.flatMap((flag) =>
      violationsOfFlag(
        flag,
        writes.filter((write) => write.flag === flag),
        log.filter(({ featureName }) => featureName === flag),
      ),
    ),
    ...history.subscriptions.flatMap((subscription) => violationsOfSubscription(subscription, log)),
  ];
}

function violationsOfIds(log: readonly LoggedEvent[]): string[] {
  const at = log.findIndex(({ id }, index) => id !== index + 1);
  return at < 0 ? [] : [`the log has the id ${log[at]!.id} where ${at + 1} should be`];
}

/** Checks that the log has each committed event once with the same content, and no others. */
function violationsOfCommitted({ committed, log }: History): string[] {
  const violations: string[] = [];
  const unmatched = new Map(log.map((event) => [event.id, event]));
  for (const { id, ...change } of committed) {
    const event = id === null ? undefined : unmatched.get(id);
    if (event === undefined) {
      violations.push(`a committed ${change.type} of ${change.featureName} is not in the log, or another has its id`);
      continue;
    }
    unmatched.delete(event.id);
    const { type, featureName, data, preData } = event;
    if (!isDeepStrictEqual({ type, featureName, data, preData }, change))
      violations.push(`event ${event.id} is not what was committed`);
  }
  return [...violations, ...[...unmatched.keys()].map((id) => `event ${id} of the log was not committed`)];
}

function violationsOfSubscription(subscription: Subscription, log: readonly LoggedEvent[]): string[] {
  const expected = new Map(expectedOf(subscription, log).map((event) => [event.id, event]));
  const violations = [...violationsOfArrivals(subscription, expected), ...violationsOfOutcomes(subscription, expected)];
  return violations.map((violation) => `${subscription.name}: ${violation}`);
}

function violationsOfArrivals({ arrivals }: Subscription, expected: ReadonlyMap<number, LoggedEvent>): string[] {
  const violations: string[] = [];
  const idOfWebhook = new Map<string, number>();
  const webhookOfId = new Map<number, string>();
  const latestOfFlag = new Map<string, number>();
  const accepted = new Set<number>();
  for (const { webhookId, event, status } of arrivals) {
    const { id, featureName } = event;
    if (!isDeepStrictEqual(expected.get(id), event))
      violations.push(`event ${id} arrived, but not as in the log, or not for this integration`);
    if (status < 300) accepted.add(id);
    const known = webhookOfId.get(id);
    if (known !== undefined) {
      if (known !== webhookId) violations.push(`event ${id} arrived with ${known} and ${webhookId}`);
      continue;
    }
    if (webhookId === '' || idOfWebhook.has(webhookId))
      violations.push(`the webhook-id ${webhookId} of event ${id} is missing, or is another event's too`);
    webhookOfId.set(id, webhookId);
    idOfWebhook.set(webhookId, id);
    // Only first arrivals must be in order: a retry arrives after newer events.
    if (featureName === null) continue;
    const latest = latestOfFlag.get(featureName) ?? 0;
    if (id < latest) violations.push(`event ${id} of ${featureName} arrived after ${latest}`);
    latestOfFlag.set(featureName, Math.max(latest, id));
  }
  for (const id of expected.keys())
    if (!accepted.has(id)) violations.push(`event ${id} was never accepted by the receiver`);
  return violations;
}

function violationsOfOutcomes({ outcomes }: Subscription, expected: ReadonlyMap<number, LoggedEvent>): string[] {
  const violations: string[] = [];
  const handled = new Set<number>();
  for (const { state, event } of outcomes) {
    if (handled.has(event.id)) violations.push(`event ${event.id} has two outcomes`);
    handled.add(event.id);
    if (state !== 'success') violations.push(`the outcome of event ${event.id} is ${state}`);
    if (!isDeepStrictEqual(expected.get(event.id), event))
      violations.push(`the outcome of event ${event.id} shows another event`);
  }
  for (const id of expected.keys()) if (!handled.has(id)) violations.push(`event ${id} has no outcome`);
  return violations;
}
