import { limitsOf, loadFlagsConfig } from '../config.ts';

/** The limits of an installation without settings. */
export const limits = limitsOf(
  loadFlagsConfig({ NATS_URL: 'nats://127.0.0.1', DATABASE_URL: 'postgres://127.0.0.1/none' }),
);
