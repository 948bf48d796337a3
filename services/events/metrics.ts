import { Counter, Gauge, metrics } from '@yardarm/shared/telemetry';

const registers = [metrics];

export const rejectedMessages = new Counter({
  name: 'events_rejected_messages_total',
  help: 'Messages of EVENTS that were set aside because they are no events',
  registers,
});

export const missedMessages = new Counter({
  name: 'events_missed_messages_total',
  help: 'Messages that EVENTS dropped before they were recorded; the outboxes hold them',
  registers,
});

export const sourceGaps = new Gauge({
  name: 'events_source_gap_numbers',
  help: 'Events of a source that did not arrive within a minute, by its dense numbers',
  labelNames: ['source'],
  registers,
});

export const leaseHeld = new Gauge({
  name: 'events_lease_held',
  help: '1 while this replica records and relays',
  registers,
});

export const recorderLag = new Gauge({
  name: 'events_recorder_lag_messages',
  help: 'Messages of EVENTS that are not recorded yet, as any replica sees it',
  registers,
});

export const relayLag = new Gauge({
  name: 'events_relay_lag_events',
  help: 'Events of the log that are not on RECORDED yet, as any replica sees it',
  registers,
});
