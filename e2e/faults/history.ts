// What a run leaves behind: the writer's journal, what was committed, the log, what the receiver got, and the outcomes.

/** A write as the writer's journal has it. */
export interface Write {
  /** Rising in the order in which they were asked for; of one flag, each was answered before the next. */
  number: number;
  flag: string;
  description: string;
  stale: boolean;
  /** Acknowledged: it happened. Refused: it did not. Unknown: one of the two, whole. */
  answer: 'acknowledged' | 'refused' | 'unknown';
}

type Data = Record<string, unknown> | null;

/** An event, as the log serves it; what else it holds is compared as a whole. */
export interface LoggedEvent {
  id: number;
  type: string;
  featureName: string | null;
  data: Data;
  preData: Data;
}

/** What a service has committed, from its outbox, and the public id that the log gave it. */
export interface Committed extends Omit<LoggedEvent, 'id'> {
  id: number | null;
}

/** A request that the receiver got, and the status it answered. */
export interface Arrival {
  path: string;
  webhookId: string;
  event: LoggedEvent;
  status: number;
}

/** What one integration wanted and got. */
export interface Subscription {
  name: string;
  /** The types of events it is told of, and the id after which it began. */
  types: ReadonlySet<string>;
  fromEventId: number;
  /** In their order. */
  arrivals: readonly Arrival[];
  outcomes: readonly { state: string; event: LoggedEvent }[];
}

export interface History {
  /** The flags that the writer changed, made before it began. */
  flags: readonly string[];
  writes: readonly Write[];
  committed: readonly Committed[];
  /** All of it, by rising id. */
  log: readonly LoggedEvent[];
  subscriptions: readonly Subscription[];
}

/** The events of the log that an integration is to be told of. */
export function expectedOf({ types, fromEventId }: Subscription, log: readonly LoggedEvent[]): LoggedEvent[] {
  return log.filter(({ id, type }) => id > fromEventId && types.has(type));
}
