import type { Constraint, Strategy } from '@yardarm/shared/contracts/flags';
import type { ColumnType, Generated, SharedTables } from '@yardarm/shared/db';

/** A value kept as json: pg parses what it reads; what is written is serialised by the repo. */
type Json<T> = ColumnType<T, string, string>;

export interface FlagsTables extends SharedTables {
  epoch: { only_row: Generated<boolean>; epoch: Generated<string> };
  projects: { id: string; name: string; description: string | null; created_at: Generated<Date> };
  environments: { name: string; type: string; sort_order: number };
  project_environments: { project: string; environment: string };
  /** Who changes flags: names from the accounts' events, or from the actor of a write until one comes. */
  users: {
    id: number;
    name: string | null;
    username: string | null;
    email: string | null;
    /** When the account changed that the names are from. */
    told_at: Date;
  };
  feature_types: {
    id: string;
    name: string;
    description: string;
    lifetime_days: number | null;
    sort_order: number;
  };
  features: {
    name: string;
    project: string;
    type: string;
    description: string | null;
    stale: Generated<boolean>;
    impression_data: boolean;
    created_at: Generated<Date>;
    created_by_user_id: number;
    archived_at: Date | null;
  };
  feature_environments: {
    feature_name: string;
    environment: string;
    project: string;
    enabled: Generated<boolean>;
    /** The revision of (environment, project) with which the flag last changed for SDKs. */
    revision: Generated<number>;
  };
  /** What SDKs of an environment must forget; a row goes when the flag comes back. */
  removed_features: { environment: string; project: string; feature_name: string; revision: number };
  feature_strategies: {
    id: Generated<string>;
    feature_name: string;
    environment: string;
    name: string;
    title: string | null;
    disabled: boolean;
    sort_order: number;
    parameters: Json<Record<string, string>>;
    constraints: Json<Constraint[]>;
    variants: Json<Strategy['variants']>;
    segments: number[];
  };
  feature_tags: { feature_name: string; type: string; value: string };
  feature_lifecycle: { feature_name: string; stage: string; entered_at: Generated<Date> };
  feature_collaborators: { feature_name: string; user_id: number; changed_at: Generated<Date> };
  revisions: { environment: string; project: string; revision: Generated<number> };
}
