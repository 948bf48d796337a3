import type { Bus } from '@yardarm/shared/bus';
import { busProblem, type PartHealth } from '@yardarm/shared/service';

interface HasHealth {
  health(): PartHealth;
}

export interface HealthParts {
  bus: Pick<Bus, 'state'>;
  /** The snapshots; null in a gateway that serves only signals. */
  snapshots: HasHealth | null;
  /** The cache of the tokens of accounts, which knows whether accounts answers. */
  tokens: HasHealth;
  /** Null in a gateway that serves more than signals. */
  signals: HasHealth | null;
  isReadBySdks: boolean;
}

/** What the process knows of its parts, without asking anybody: callers without a token may read it. */
export type PartsHealth = () => Record<string, PartHealth>;

/**
 * What the routes of this gateway need. SDKs are served without NATS while there are snapshots, so NATS is then only
 * degraded. Without routes of SDKs nothing is served without it.
 */
export function healthOf({ bus, snapshots, tokens, signals, isReadBySdks }: HealthParts): PartsHealth {
  return () => {
    const problem = busProblem(bus);
    const ofSnapshots = snapshots?.health() ?? null;
    const canServe = isReadBySdks && typeof ofSnapshots !== 'string';
    return {
      bus: problem !== null && canServe ? { degraded: problem } : problem,
      ...(snapshots && { snapshots: ofSnapshots }),
      accounts: tokens.health(),
      ...(signals && { signals: signals.health() }),
    };
  };
}
