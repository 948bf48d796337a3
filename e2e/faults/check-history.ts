// The history of a run, held against itself in both directions: journal to log to receiver, and back from the receiver to the journal.
// Pure: check-history.test.ts shows that each kind of damage is found.
//
// Ids that are unique prove nothing, since a constraint makes them so. What is compared are contents: a write is found again by what it
// wrote, and each event of a flag must continue the state that the one before it left.
import { isDeepStrictEqual } from 'node:util';
import { faultsOfFlag } from './check-flag.ts';
import { expectedOf, type History, type LoggedEvent, type Subscription } from './history.ts';

/** What is wrong with a history, in words; nothing, when every promise was kept. */
export function faultsOf(history: History): string[] {
  const { flags, writes, log } = history;
  return [
    ...faultsOfIds(log),
    ...faultsOfCommitted(history),
    ...flags.flatMap((flag) =>
      faultsOfFlag(
        flag,
        writes.filter((write) => write.flag === flag),
        log.filter(({ featureName }) => featureName === flag),
      ),
    ),
    ...history.subscriptions.flatMap((subscription) => faultsOfSubscription(subscription, log)),
  ];
}

function faultsOfIds(log: readonly LoggedEvent[]): string[] {
  const at = log.findIndex(({ id }, index) => id !== index + 1);
  return at < 0 ? [] : [`the log has the id ${log[at]!.id} where ${at + 1} should be`];
}

/** Committed = logged, each once, content by content. */
function faultsOfCommitted({ committed, log }: History): string[] {
  const faults: string[] = [];
  const unclaimed = new Map(log.map((event) => [event.id, event]));
  for (const { id, ...change } of committed) {
    const event = id === null ? undefined : unclaimed.get(id);
    if (event === undefined) {
      faults.push(`a committed ${change.type} of ${change.featureName} is not in the log, or another took its place`);
      continue;
    }
    unclaimed.delete(event.id);
    const { type, featureName, data, preData } = event;
    if (!isDeepStrictEqual({ type, featureName, data, preData }, change))
      faults.push(`event ${event.id} is not what was committed`);
  }
  return [...faults, ...[...unclaimed.keys()].map((id) => `event ${id} of the log was committed by nobody`)];
}

function faultsOfSubscription(subscription: Subscription, log: readonly LoggedEvent[]): string[] {
  const wanted = new Map(expectedOf(subscription, log).map((event) => [event.id, event]));
  const faults = [...faultsOfArrivals(subscription, wanted), ...faultsOfOutcomes(subscription, wanted)];
  return faults.map((fault) => `${subscription.name}: ${fault}`);
}

function faultsOfArrivals({ arrivals }: Subscription, wanted: ReadonlyMap<number, LoggedEvent>): string[] {
  const faults: string[] = [];
  const idOfWebhook = new Map<string, number>();
  const webhookOfId = new Map<number, string>();
  const latestOfFlag = new Map<string, number>();
  const accepted = new Set<number>();
  for (const { webhookId, event, status } of arrivals) {
    const { id, featureName } = event;
    if (!isDeepStrictEqual(wanted.get(id), event))
      faults.push(`event ${id} arrived and is not so in the log, or not for it`);
    if (status < 300) accepted.add(id);
    const known = webhookOfId.get(id);
    if (known !== undefined) {
      if (known !== webhookId) faults.push(`event ${id} came under ${known} and ${webhookId}`);
      continue;
    }
    if (webhookId === '' || idOfWebhook.has(webhookId))
      faults.push(`the webhook-id ${webhookId} of event ${id} is missing, or is another event's too`);
    webhookOfId.set(id, webhookId);
    idOfWebhook.set(webhookId, id);
    // The order is that of first arrivals: what is tried again comes behind newer ones, and was here before them.
    if (featureName === null) continue;
    const latest = latestOfFlag.get(featureName) ?? 0;
    if (id < latest) faults.push(`event ${id} of ${featureName} arrived after ${latest}`);
    latestOfFlag.set(featureName, Math.max(latest, id));
  }
  for (const id of wanted.keys()) if (!accepted.has(id)) faults.push(`event ${id} was never accepted by the receiver`);
  return faults;
}

function faultsOfOutcomes({ outcomes }: Subscription, wanted: ReadonlyMap<number, LoggedEvent>): string[] {
  const faults: string[] = [];
  const handled = new Set<number>();
  for (const { state, event } of outcomes) {
    if (handled.has(event.id)) faults.push(`event ${event.id} has two outcomes`);
    handled.add(event.id);
    if (state !== 'success') faults.push(`the outcome of event ${event.id} is ${state}`);
    if (!isDeepStrictEqual(wanted.get(event.id), event))
      faults.push(`the outcome of event ${event.id} shows another event`);
  }
  for (const id of wanted.keys()) if (!handled.has(id)) faults.push(`event ${id} has no outcome`);
  return faults;
}
