import { accounts } from './accounts.ts';
import { events } from './events.ts';
import { flags } from './flags.ts';
import { gateway } from './gateway.ts';
import { integrations } from './integrations.ts';
import { overview } from './overview.ts';
import { signals } from './signals.ts';

/** By the names of their files: the overview, and one for each service. */
export const dashboards = { overview, gateway, flags, events, integrations, signals, accounts };
