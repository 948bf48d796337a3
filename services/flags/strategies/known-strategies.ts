export interface KnownStrategy {
  /** Parameters that are a percentage, 0 to 100. */
  readonly percentages: readonly string[];
  /** The values of parameters that the caller does not send. */
  readonly defaults: (featureName: string) => Record<string, string>;
}

const none = () => ({});

/** The standard set. Other names are refused: SDKs skip an unknown strategy, so a misspelt one would never match. */
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
