import { Counter, metrics, ScrapedGauge } from '@yardarm/shared/telemetry';

const registers = [metrics];

export const deadLetterCount = new Counter({
  name: 'yardarm_signals_dead_letters_total',
  help: 'Messages of SIGNALS that are no signals and are kept in signals_set_aside',
  registers,
});

export const storedCount = new Counter({
  name: 'yardarm_signals_stored_total',
  help: 'Signals that this process stored',
  registers,
});

export const storeLag = new ScrapedGauge({
  name: 'yardarm_signals_store_lag_messages',
  help: 'Messages of SIGNALS that are not stored yet, over all replicas',
});
