import { Counter, Gauge, metrics } from '@yardarm/shared/telemetry';

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

export const openConnections = new Gauge({
  name: 'yardarm_gateway_connections',
  help: 'Open connections of the public listener',
  registers: [metrics],
});

export const closedConnections = new Counter({
  name: 'yardarm_gateway_connections_closed_total',
  help: 'Connections that this gateway closed because of a limit, by reason',
  labelNames: ['reason'],
  registers: [metrics],
});
