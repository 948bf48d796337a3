import type { Event } from '@yardarm/shared/contracts/events';
import type { IntegrationEvent, Provider } from '@yardarm/shared/contracts/integrations';

export type Parameters = Readonly<Record<string, string>>;

/** One thing wrong with a parameter, in words that follow "The .parameters.x property". */
export interface ParameterFault {
  name: string;
  complaint: string;
}

/** What a publisher is given: one event for one integration. */
export interface Publication {
  integrationId: number;
  parameters: Parameters;
  event: Event;
  /** The event as JSON text, the same at every attempt. */
  eventJson: string;
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
  retryAfter: string | null;
  responseBody: string | null;
}

/** A kind of integration: data that drives validation and masking, and the code that sends. */
export interface IntegrationProvider {
  definition: Provider;
  /** What is wrong with parameters that are given; that required ones are given is checked for every provider alike. */
  faults(parameters: Parameters): ParameterFault[];
  /** Sends once. An endpoint that refuses or does not answer is an outcome, not an error. */
  publish(publication: Publication): Promise<Published>;
}
