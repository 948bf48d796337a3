import { Counter, metrics } from '@yardarm/shared/telemetry';

export const logins = new Counter({
  name: 'yardarm_accounts_logins_total',
  help: 'Logins with a password, by outcome',
  labelNames: ['outcome'],
  registers: [metrics],
});
