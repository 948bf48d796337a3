import fc from 'fast-check';
import type { Scene } from './scene.ts';

/** It may be refused. */
export interface Operation {
  run(scene: Scene): Promise<unknown>;
  /** It adds or removes places, whose revisions rise also if they have no flag. */
  changesPlaces: boolean;
}

/** An operation with values of its own. A counterexample is printed with its label and its values. */
export function operation<Values extends object>(
  weight: number,
  label: string,
  values: { [Name in keyof Values]: fc.Arbitrary<Values[Name]> },
  run: (values: Values, scene: Scene) => Promise<unknown>,
  changesPlaces = false,
): fc.WeightedArbitrary<Operation> {
  const arbitrary = fc.record(values).map((chosen) => ({
    run: (scene: Scene) => run(chosen as Values, scene),
    changesPlaces,
    [fc.toStringMethod]: () => `${label} ${JSON.stringify(chosen)}`,
  }));
  return { weight, arbitrary };
}
