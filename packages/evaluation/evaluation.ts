/** As SDKs return it and as the frontend API sends it, which has the last property under two names. */
export interface Variant {
  readonly name: string;
  readonly enabled: boolean;
  readonly payload?: { readonly type: string; readonly value: string };
  readonly feature_enabled: boolean;
  readonly featureEnabled: boolean;
}

/** Made when flags are compiled and shared by all evaluations: read-only. */
export interface Evaluation {
  readonly enabled: boolean;
  readonly variant: Variant;
}

export const off: Evaluation = {
  enabled: false,
  variant: { name: 'disabled', enabled: false, feature_enabled: false, featureEnabled: false },
};

export const onWithoutVariant: Evaluation = {
  enabled: true,
  variant: { name: 'disabled', enabled: false, feature_enabled: true, featureEnabled: true },
};
