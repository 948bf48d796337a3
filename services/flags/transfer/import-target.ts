import type { Strategy, Tag, Variant } from '@yardarm/shared/contracts/flags';
import type { Dependency } from '../features/dependencies/dependency.ts';
import type { StoredFeature } from '../features/feature.ts';
import type { StoredLink } from '../features/links/link.ts';
import type { StoredProject } from '../places/projects/project.ts';
import type { Definitions } from '../targeting/strategies/definitions.ts';

/** A flag of the project as it is before the import. */
export interface FeatureState {
  name: string;
  /** Null when the flag is not in the environment. */
  enabled: boolean | null;
  variants: Variant[];
  /** The strategies of the flag in the environment, in their order. */
  strategies: Strategy[];
  /** The size of the strategies and variants in other environments. */
  otherBytes: number;
  tags: Tag[];
  /** The links of the flag, the oldest one first. */
  links: StoredLink[];
}

export interface References {
  featureTypes: readonly string[];
  tagTypes: ReadonlySet<string>;
  /** The keys of those tags of the document that exist. */
  tags: ReadonlySet<string>;
  /** The legal values of the context fields that the document names. */
  contextFields: ReadonlyMap<string, readonly string[]>;
  /** The ids of the segments that the project may use, by name. */
  segments: ReadonlyMap<string, number>;
  /** What the strategies of the document refer to. */
  definitions: Definitions;
  /** The parents of the flags that the document names, and the children of these flags. */
  families: readonly { child: string; dependency: Dependency }[];
}

export interface ImportTarget extends References {
  project: StoredProject;
  environment: string;
  /** The flags that the document names, of any project. */
  features: ReadonlyMap<string, StoredFeature>;
  states: ReadonlyMap<string, FeatureState>;
  /** The flags that are not archived: of the installation, and of the project. */
  counts: { features: number; ofProject: number };
}
