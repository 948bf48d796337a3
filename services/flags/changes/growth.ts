import type { AppError } from '@yardarm/shared/errors';
import type { Limits } from '../places/limits/limits.ts';
import { environmentFull, flagOverhead, projectFull, unitBytes, unitsOf } from './sizes.ts';

/** A flag in an environment, with the stored sizes. */
export interface FlagPlace {
  featureName: string;
  environment: string;
  project: string;
  flagBytes: number;
  placeBytes: number;
  environmentUnits: number;
}

interface Change {
  featureName: string;
  /** By how many bytes the flag grows in each of its environments. */
  growth: number;
}

/**
 * What becomes of changes that one transaction makes in their order. One that grows above a limit is refused. One of a
 * flag whose stored size cannot be right is measured: a replica of the release before has made or changed the flag. The
 * sizes are read without locks, so the check constraints decide races.
 */
export function decideGrowth(
  changes: readonly Change[],
  places: readonly FlagPlace[],
  limits: Limits,
): Map<string, 'known' | 'measured' | AppError> {
  const placesOf = Map.groupBy(places, ({ featureName }) => featureName);
  const sizes = new Sizes(limits);
  return new Map(
    changes.map(({ featureName, growth }) => {
      const ofFlag = placesOf.get(featureName) ?? [];
      const isImplausible = ofFlag.some(({ flagBytes }) => flagBytes + Math.min(growth, 0) < flagOverhead);
      return [featureName, isImplausible ? 'measured' : (sizes.refusalOf(ofFlag, growth) ?? 'known')];
    }),
  );
}

/** The sizes of places and environments after the changes so far. */
class Sizes {
  readonly #limits: Limits;
  readonly #places = new Map<string, number>();
  readonly #environments = new Map<string, number>();

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Null when the flag may grow in all of its places. Then it has grown. */
  refusalOf(places: readonly FlagPlace[], growth: number): AppError | null {
    const grown = places.map((place) => this.#grown(place, growth));
    for (const { place, bytes, units, begun } of grown) {
      const { environment, project, placeBytes, environmentUnits } = place;
      if (growth > 0 && bytes > Math.max(this.#limits.projectBytes, placeBytes))
        return projectFull(project, environment, this.#limits);
      if (begun > 0 && units > Math.max(Math.floor(this.#limits.environmentBytes / unitBytes), environmentUnits))
        return environmentFull(environment, this.#limits);
    }
    for (const { place, bytes, units } of grown) {
      this.#places.set(keyOf(place), bytes);
      this.#environments.set(place.environment, units);
    }
    return null;
  }

  #grown(place: FlagPlace, growth: number) {
    const before = this.#places.get(keyOf(place)) ?? place.placeBytes;
    const bytes = before + growth;
    const begun = unitsOf(bytes) - unitsOf(before);
    const units = (this.#environments.get(place.environment) ?? place.environmentUnits) + begun;
    return { place, bytes, units, begun };
  }
}

function keyOf({ environment, project }: FlagPlace): string {
  return JSON.stringify([environment, project]);
}
