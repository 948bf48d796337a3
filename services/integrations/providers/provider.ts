import type { Event } from '@yardarm/shared/contracts/events';
import type { IntegrationEvent, Provider } from '@yardarm/shared/contracts/integrations';

export type Parameters = Readonly<Record<string, string>>;

/** One thing wrong with a parameter, in words that follow "The .parameters.x property". */
export interface ParameterFault {
  name: string;
  complaint: string;
}

/** Of a delivery to several targets (Slack channels): those that have got it. An attempt after it leaves them out. */
export interface Progress {
  sent: string[];
}

/** What a publisher is given: one event for one integration. */
export interface Publication {
  integrationId: number;
  parameters: Parameters;
  event: Event;
  /** The event as JSON text, the same at every attempt. */
  eventJson: string;
  /** What the attempt before brought; null at the first. */
  progress: Progress | null;
  traceparent: string | null;
  signal: AbortSignal;
}

/** What sending brought: the outcome as people read it, and what the retries and the log of attempts need. */
export interface Published {
  state: IntegrationEvent['state'];
  stateDetails: string;
  details: Record<string, unknown>;
  /** Null without an answer. */
  status: number | null;
  errorCode: string | null;
  responseBody: string | null;
  /** How the delivery should go on: nothing is left to do, some or all is to be tried again, or the endpoint is gone for good. */
  next: 'done' | 'retry' | 'disable';
  /** The Retry-After header as it came. */
  retryAfter: string | null;
  /** To be kept with the delivery and given to its next attempt; null where there is one target. */
  progress: Progress | null;
}

/** The part of a provider that sends. */
export interface Publisher {
  definition: Provider;
  /** Sends once. An endpoint that refuses or does not answer is an outcome, not an error. */
  publish(publication: Publication): Promise<Published>;
}

/** A kind of integration: data that drives validation and masking, and the code that sends. */
export interface IntegrationProvider extends Publisher {
  /** What is wrong with parameters that are given; that required ones are given is checked for every provider alike. */
  faults(parameters: Parameters): ParameterFault[];
}
