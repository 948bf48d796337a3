import { Counter, Gauge, metrics, ScrapedGauge } from '@yardarm/shared/telemetry';

const registers = [metrics];

export const deadLetterCount = new Counter({
  name: 'yardarm_events_dead_letters_total',
  help: 'Messages of EVENTS that are no events and are kept in rejected_messages',
  registers,
});

export const missedMessages = new Counter({
  name: 'yardarm_events_missed_messages_total',
  help: 'Messages that EVENTS dropped before they were recorded; the outboxes hold them',
  registers,
});

export const headFailures = new Counter({
  name: 'yardarm_events_head_failures_total',
  help: 'Attempts to export a head of the log that failed, such as on a full disk',
  registers,
});

export const changedHeads = new Gauge({
  name: 'yardarm_events_log_changed',
  help: '1 if the log contradicts a head that this process recorded in the last day: it was rewritten',
  registers,
});

export const sourceGaps = new ScrapedGauge({
  name: 'yardarm_events_missing_source_numbers',
  help: 'Numbers of a source that did not arrive within a minute: events that were lost on the way',
  labelNames: ['source'],
});

export const leaderGauge = new Gauge({
  name: 'yardarm_events_is_leader',
  help: '1 while this replica records',
  registers,
});

export const recorderLag = new ScrapedGauge({
  name: 'yardarm_events_recorder_lag_messages',
  help: 'Messages of EVENTS that are not recorded yet',
});
