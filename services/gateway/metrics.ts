import { Counter, metrics } from '@yardarm/shared/telemetry';

export const droppedUsage = new Counter({
  name: 'yardarm_gateway_usage_entries_dropped_total',
  help: 'Entries of register and metrics requests that were not counted',
  labelNames: ['reason'],
  registers: [metrics],
});

export const calledSignals = new Counter({
  name: 'yardarm_gateway_signals_total',
  help: 'Calls of signal endpoints with a valid token and body, by outcome',
  labelNames: ['outcome'],
  registers: [metrics],
});
