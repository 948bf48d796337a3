import { Counter, Gauge, Histogram, metrics, ScrapedGauge } from '@yardarm/shared/telemetry';

const registers = [metrics];

export const missedEvents = new ScrapedGauge({
  name: 'yardarm_integrations_missed_events',
  help: 'Events that an operator replays and that are not handled yet, over all replicas',
});

export const intakeLag = new ScrapedGauge({
  name: 'yardarm_integrations_intake_lag_events',
  help: 'Events of the log that intake has not handled, over all replicas',
});

export const unfinishedDeliveries = new ScrapedGauge({
  name: 'yardarm_integrations_unfinished_deliveries',
  help: 'Deliveries that are pending, sending, or waiting for a retry, over all replicas, up to 100,000 with and without an outcome',
  labelNames: ['state'],
});

export const overdueSeconds = new ScrapedGauge({
  name: 'yardarm_integrations_overdue_seconds',
  help: 'How long the first due delivery could have been sent, over all replicas; a paused endpoint counts from the end of its pause',
});

export const settledDeliveries = new Counter({
  name: 'yardarm_integrations_settled_deliveries_total',
  help: 'Attempts that this process settled, by what the delivery became: succeeded, waiting, gave-up or cancelled',
  labelNames: ['provider', 'state'],
  registers,
});

export const gaveUpDeliveries = new Counter({
  name: 'yardarm_integrations_gave_up_deliveries_total',
  help: 'Deliveries that this process gave up after their last attempt, or because the endpoint is gone',
  labelNames: ['provider'],
  registers,
});

export const disabledIntegrations = new Counter({
  name: 'yardarm_integrations_disabled_total',
  help: 'Integrations that this process disabled because their endpoint is gone or has failed for days',
  registers,
});

export const pausedIntegrations = new ScrapedGauge({
  name: 'yardarm_integrations_paused',
  help: 'Integrations whose circuit is open or half-open, over all replicas',
});

export const sendsInFlight = new Gauge({
  name: 'yardarm_integrations_sends_in_flight',
  help: 'Sends that this process makes or has reserved, to endpoints that answer within a second (quick) and others (slow)',
  labelNames: ['pool'],
  registers,
});

export const heldBytes = new Gauge({
  name: 'yardarm_integrations_held_bytes',
  help: 'Bytes that the sends in flight of this process hold, as it estimates them, by the same pools',
  labelNames: ['pool'],
  registers,
});

export const attempts = new Histogram({
  name: 'yardarm_integrations_attempt_seconds',
  help: 'Duration of attempts in this process, by provider and result',
  labelNames: ['provider', 'state'],
  // Up to the 20 s limit of the guarded client.
  buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20],
  registers,
});
