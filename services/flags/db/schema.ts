import type { Constraint, Strategy } from '@yardarm/shared/contracts/flags';
import type { ColumnType, Generated, SharedTables } from '@yardarm/shared/db';

/** A json column. pg parses it on reading; the repo serialises it on writing. */
type Json<T> = ColumnType<T, string, string>;

export interface FlagsTables extends SharedTables {
  epoch: { only_row: Generated<boolean>; epoch: Generated<string> };
  projects: { id: string; name: string; description: string | null; created_at: Generated<Date> };
  environments: { name: string; type: string; sort_order: number };
  project_environments: { project: string; environment: string };
  /** The people who change flags. Their names come from the actor of a write, later from the events of accounts. */
  users: {
    id: number;
    name: string | null;
    username: string | null;
    email: string | null;
    /** The time of the event that the names are from. */
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
    /** The revision of (environment, project) at the flag's last change that SDKs see. */
    revision: Generated<number>;
  };
  /** The flags that SDKs of an environment must forget. A revived flag has no row. */
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
