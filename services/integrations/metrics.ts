import { Counter, Histogram, metrics, ScrapedGauge } from '@yardarm/shared/telemetry';

const registers = [metrics];

export const skippedMessages = new Counter({
  name: 'yardarm_integrations_skipped_messages_total',
  help: 'Messages of RECORDED that were left out because they are no events',
  registers,
});

export const missedEvents = new ScrapedGauge({
  name: 'yardarm_integrations_missed_events',
  help: 'Events that RECORDED did not bring and that are still to be fetched from the log, as any replica sees it',
});

export const intakeLag = new ScrapedGauge({
  name: 'yardarm_integrations_intake_lag_messages',
  help: 'Messages of RECORDED that are not taken yet, as any replica sees it',
});

export const unfinishedDeliveries = new ScrapedGauge({
  name: 'yardarm_integrations_unfinished_deliveries',
  help: 'Deliveries that are pending, sending, or waiting to be tried again, as any replica sees it',
  labelNames: ['state'],
});

export const overdueSeconds = new ScrapedGauge({
  name: 'yardarm_integrations_overdue_seconds',
  help: 'How long the delivery that is due longest has been, as any replica sees it',
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
  help: 'Integrations whose endpoint fails, so that it is left alone or tried by one delivery at a time, as any replica sees it',
});

export const attempts = new Histogram({
  name: 'yardarm_integrations_attempt_seconds',
  help: 'How long attempts to deliver took here, by provider and by how they ended',
  labelNames: ['provider', 'state'],
  // Up to the 20 s limit of the guarded client.
  buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20],
  registers,
});
