import type {
  Constraint,
  FeatureNaming,
  LegalValue,
  LinkTemplate,
  NewStrategy,
  Strategy,
  StrategyTypeParameter,
  Variant,
} from '@yardarm/shared/contracts/flags';
import type { ColumnType, Generated, GeneratedAlways, SharedTables } from '@yardarm/shared/db';
import type { StepOutcome } from '../changes/steps/step.ts';

/** A json column. pg parses it on reading; the repo serialises it on writing. */
type Json<T> = ColumnType<T, string, string>;
type GeneratedJson<T> = ColumnType<T, string | undefined, string>;
type NullableJson<T> = ColumnType<T | null, string | null | undefined, string | null>;

export interface FlagsTables extends SharedTables {
  epoch: { only_row: Generated<boolean>; epoch: Generated<string> };
  projects: {
    id: string;
    name: string;
    description: string | null;
    created_at: Generated<Date>;
    mode: Generated<'open'>;
    default_stickiness: Generated<string>;
    /** The highest number of flags that are not archived; null without a limit of the project's own. */
    feature_limit: number | null;
    feature_naming: NullableJson<FeatureNaming>;
    link_templates: GeneratedJson<LinkTemplate[]>;
    archived_at: Date | null;
    updated_at: Generated<Date>;
  };
  project_favorites: { user_id: number; project: string };
  environments: {
    name: string;
    type: string;
    sort_order: number;
    /** Whether projects can add it. It does not change what SDKs read. */
    enabled: Generated<boolean>;
    protected: Generated<boolean>;
    required_approvals: number | null;
    created_at: Generated<Date>;
  };
  /** Deleted projects and environments to which accounts may still give access. No other has their name. */
  deleted_incarnations: { kind: 'project' | 'environment'; id: string; created_at: Date };
  project_environments: { project: string; environment: string; default_strategy: NullableJson<NewStrategy> };
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
    /** The number of changes of the flag, its creation included. */
    version: Generated<number>;
    /** The time of the event feature-potentially-stale-on; null while none is due. */
    potentially_stale_since: Date | null;
  };
  feature_environments: {
    feature_name: string;
    environment: string;
    project: string;
    enabled: Generated<boolean>;
    /** The revision of (environment, project) at the flag's last change that SDKs see. */
    revision: Generated<number>;
    variants: GeneratedJson<Variant[]>;
    variant_bytes: GeneratedAlways<number>;
    /** The size of the flag there without segments, and the segments that count (`changes/sizes.repo.ts`). */
    bytes: Generated<number>;
    segment_ids: Generated<number[]>;
  };
  /** The last time an SDK evaluated the flag, from reports of usage. */
  feature_last_seen: { feature_name: string; environment: string; last_seen_at: Date };
  /** The reports of usage of the last days, so that a repeated one counts once. */
  usage_batches: { batch_id: string; received_at: Generated<Date> };
  /** The steps of actions. Outside the transaction of the step, no outcome is null. */
  steps: { id: string; outcome: NullableJson<StepOutcome>; finished_at: Date | null };
  /** Evaluations by the hour, in a partition per day. */
  feature_usage: {
    feature_name: string;
    environment: string;
    application: string;
    hour: Date;
    yes: number;
    no: number;
    variants: Json<Record<string, number>>;
  };
  applications: {
    name: string;
    strategies: Generated<string[]>;
    description: string | null;
    url: string | null;
    color: string | null;
    icon: string | null;
    created_at: Generated<Date>;
    /** To half an hour; null if an administrator made it and it never reported. */
    seen_at: Date | null;
    /** The one whose report made it, in whose room it is; null if an administrator made it. */
    environment: string | null;
    /** The token that made it; null if an administrator or a gateway of the release before did. */
    token_id: number | null;
    is_frontend: Generated<boolean>;
  };
  /** How many events of applications the reports of a token made in a day. */
  application_events: { token_id: number; day: Date; events: number };
  /** How many rows of usage, with names of variants in them, the reports of a token made in a day. */
  usage_entries: { token_id: number; day: Date; entries: number };
  /** The SDK versions for which client-register was emitted. */
  application_sdks: { application: string; sdk_version: string; created_at: Generated<Date> };
  /** The instances that reported in the last day. */
  application_instances: {
    environment: string;
    application: string;
    instance_id: string;
    sdk_version: string | null;
    sdk_type: 'backend' | 'frontend' | null;
    address: string | null;
    seen_at: Date;
    created_at: Generated<Date>;
  };
  /** The flags that each application evaluated. `seen_at` is exact to the hour. */
  application_features: { application: string; environment: string; feature_name: string; seen_at: Date };
  /** Names in reports that no flag has. */
  unknown_flags: { environment: string; feature_name: string; application: string; seen_at: Date };
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
    bytes: GeneratedAlways<number>;
  };
  feature_tags: { feature_name: string; type: string; value: string };
  feature_lifecycle: {
    feature_name: string;
    stage: string;
    entered_at: Generated<Date>;
    /** How the stage `completed` was reached: `kept` or `discarded`, with the name of the kept variant. */
    status: string | null;
    status_value: string | null;
  };
  feature_dependencies: {
    child: string;
    parent: string;
    enabled: Generated<boolean>;
    variants: GeneratedJson<string[]>;
  };
  feature_favorites: { user_id: number; feature_name: string };
  feature_links: {
    id: Generated<string>;
    feature_name: string;
    url: string;
    title: string | null;
    created_at: Generated<Date>;
  };
  /** Parts of documents that are being imported, for minutes. */
  import_parts: { upload_id: string; part: number; content: string; created_at: Generated<Date> };
  feature_collaborators: { feature_name: string; user_id: number; changed_at: Generated<Date> };
  /** The counters of what SDKs see. A row outlives its project and its environment until an epoch begins. */
  revisions: {
    environment: string;
    project: string;
    revision: Generated<number>;
    /** The size of what SDKs read of the place (`changes/sizes.repo.ts`), and the maximum of the last writer. */
    bytes: Generated<number>;
    max_bytes: number | null;
    /** The revision when the epoch began: its readers need no removals up to it. */
    forgotten: Generated<number>;
  };
  /** The sizes of environments, in units of their places. A row outlives its environment. */
  environment_bytes: { environment: string; units: number; max_units: number | null };
  segments: {
    id: GeneratedAlways<number>;
    name: string;
    description: string | null;
    /** The project that alone may use the segment; null for all. */
    project: string | null;
    constraints: Json<Constraint[]>;
    bytes: GeneratedAlways<number>;
    created_by: string;
    created_at: Generated<Date>;
  };
  strategy_segments: { strategy_id: string; segment_id: number };
  /** The places that use or have used a segment, with the revision of its last change there. */
  segment_revisions: {
    environment: string;
    project: string;
    segment_id: number;
    is_used: boolean;
    revision: number;
    /** The size with which each use of the segment counts. */
    bytes: Generated<number>;
  };
  context_fields: {
    name: string;
    description: string | null;
    stickiness: Generated<boolean>;
    sort_order: Generated<number>;
    legal_values: GeneratedJson<LegalValue[]>;
    project: string | null;
    created_at: Generated<Date>;
  };
  tag_types: {
    name: string;
    description: string | null;
    icon: string | null;
    color: string | null;
    created_at: Generated<Date>;
  };
  tags: { type: string; value: string; created_at: Generated<Date> };
  /** The custom ones. The built-in ones are code. */
  strategy_types: {
    name: string;
    title: string | null;
    description: string | null;
    parameters: GeneratedJson<StrategyTypeParameter[]>;
    deprecated: Generated<boolean>;
    created_at: Generated<Date>;
  };
}
