import type { Event } from '@yardarm/shared/contracts/events';
import type { IntegrationEvent, Provider } from '@yardarm/shared/contracts/integrations';

export type Parameters = Readonly<Record<string, string>>;

/** A problem of a parameter; the complaint follows "The .parameters.x property". */
export interface ParameterProblem {
  name: string;
  complaint: string;
}

/** The targets of a delivery (Slack channels) that have received the message. A later attempt skips them. */
export interface Progress {
  sent: string[];
}

export interface Publication {
  integrationId: number;
  parameters: Parameters;
  event: Event;
  /** The event as JSON text, the same at every attempt. */
  eventJson: string;
  /** The progress of earlier attempts; null at the first. */
  progress: Progress | null;
  traceparent: string | null;
  /** Of the database when it took the event in; null if it was never restored before. */
  epoch: string | null;
  signal: AbortSignal;
  /** Is called with the body that a template made, before anything is sent. */
  onRendered(body: string): void;
}

/** The result of a send: the outcome for people, and the data for retries and attempts. */
export interface SendResult {
  state: IntegrationEvent['state'];
  stateDetails: string;
  details: Record<string, unknown>;
  /** The status of the answer; null without an answer. */
  status: number | null;
  errorCode: string | null;
  responseBody: string | null;
  /** The next step of the delivery: nothing is left to do, some or all is retried, or the endpoint is gone for good. */
  next: 'done' | 'retry' | 'disable';
  retryAfter: string | null;
  /** Stored with the delivery for its next attempt; null if there is one target. */
  progress: Progress | null;
}

export interface Publisher {
  definition: Provider;
  /** Sends once. An endpoint that refuses or does not answer is an outcome, not an error. */
  publish(publication: Publication): Promise<SendResult>;
}

export interface IntegrationProvider extends Publisher {
  /** The problems of the given parameters. The caller checks that required ones are present. */
  problems(parameters: Parameters): ParameterProblem[];
  /** The complaint about a destination that no call may reach; null if one may, or if its name cannot be resolved. */
  destinationProblem(url: string): Promise<string | null>;
}
