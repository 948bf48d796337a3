// The results of a run: the writer's journal, the committed events, the log, the received requests and the outcomes.

export interface Write {
  /** Increases in the order of the requests. Writes of one flag do not overlap. */
  number: number;
  flag: string;
  description: string;
  stale: boolean;
  /** Acknowledged: it was committed. Refused: it was not. Unknown: one of the two, atomically. */
  answer: 'acknowledged' | 'refused' | 'unknown';
  /** Why it was not acknowledged. */
  reason?: string;
}

type Data = Record<string, unknown> | null;

/** An event of the log. Other fields are compared too. */
export interface LoggedEvent {
  id: number;
  type: string;
  featureName: string | null;
  data: Data;
  preData: Data;
}

/** An event of a service's outbox and its public id; null if the log does not have it. */
export interface Committed extends Omit<LoggedEvent, 'id'> {
  id: number | null;
}

export interface Arrival {
  path: string;
  webhookId: string;
  event: LoggedEvent;
  status: number;
}

export interface Subscription {
  name: string;
  /** The types of the events that it gets, after the event with the id `fromEventId`. */
  types: ReadonlySet<string>;
  fromEventId: number;
  /** In the order of arrival. */
  arrivals: readonly Arrival[];
  outcomes: readonly { state: string; event: LoggedEvent }[];
}

export interface History {
  flags: readonly string[];
  writes: readonly Write[];
  committed: readonly Committed[];
  log: readonly LoggedEvent[];
  subscriptions: readonly Subscription[];
}

/** The events of the log that an integration must get. */
export function expectedOf({ types, fromEventId }: Subscription, log: readonly LoggedEvent[]): LoggedEvent[] {
  return log.filter(({ id, type }) => id > fromEventId && types.has(type));
}
