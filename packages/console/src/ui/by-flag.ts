export interface StrategyUse {
  id: string;
  projectId: string;
  featureName: string;
  environment: string;
  strategyName: string;
}

/** One flag and the environments in which its strategies use a thing. */
export function byFlag(uses: readonly StrategyUse[]) {
  const groups = Map.groupBy(uses, ({ projectId, featureName }) => `${projectId}/${featureName}`);
  return [...groups.values()].map((ofFlag) => ({
    projectId: ofFlag[0]!.projectId,
    featureName: ofFlag[0]!.featureName,
    environments: [...new Set(ofFlag.map(({ environment }) => environment))],
  }));
}
