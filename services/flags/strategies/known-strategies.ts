/** A kind of strategy that SDKs can evaluate, with what it reads from its parameters. */
export interface KnownStrategy {
  /** Parameters that are a percentage, 0 to 100. */
  readonly percentages: readonly string[];
  /** Filled in where the caller sends nothing. */
  readonly defaults: (featureName: string) => Record<string, string>;
}

const none = () => ({});

/**
 * The standard set. SDKs skip a strategy that they do not know, so a misspelt name would be a flag that silently never
 * matches: other names are refused.
 */
export const knownStrategies: Readonly<Record<string, KnownStrategy>> = {
  default: { percentages: [], defaults: none },
  flexibleRollout: {
    percentages: ['rollout'],
    defaults: (featureName) => ({ rollout: '100', stickiness: 'default', groupId: featureName }),
  },
  userWithId: { percentages: [], defaults: none },
  remoteAddress: { percentages: [], defaults: none },
  applicationHostname: { percentages: [], defaults: none },
  gradualRolloutUserId: { percentages: ['percentage'], defaults: none },
  gradualRolloutSessionId: { percentages: ['percentage'], defaults: none },
  gradualRolloutRandom: { percentages: ['percentage'], defaults: none },
};
