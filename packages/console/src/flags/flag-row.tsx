import { Link } from '@tanstack/react-router';
import type { Schemas } from '../api/client.ts';
import { useMissing } from '../app/session.ts';
import { useSave } from '../save/save.tsx';
import { Badge } from '../ui/badge.tsx';
import { Switch } from '../ui/switch.tsx';
import { ChangedBy } from './changed-by.tsx';
import styles from './flag-row.module.css';

export type FlagOfList = Schemas['featureSearchResponseSchema'];

/** A flag in a list: its name, what it is, and a switch for each environment. */
export function FlagRow({ flag, hasProject }: { flag: FlagOfList; hasProject: boolean }) {
  return (
    <article className={styles.row}>
      <div className={styles.text}>
        <Link
          to="/projects/$projectId/features/$featureName"
          params={{ projectId: flag.project, featureName: flag.name }}
          className={styles.name}
        >
          {flag.name}
        </Link>
        <div className={styles.facts}>
          {hasProject && <span>{flag.project}</span>}
          <span>{flag.type}</span>
          {flag.stale && <Badge look="warning">stale</Badge>}
          <span>{flag.lifecycle.stage}</span>
          {flag.tags?.map(({ type, value }) => (
            <Badge key={`${type}:${value}`}>
              {type}:{value}
            </Badge>
          ))}
        </div>
        {flag.description && <p className={styles.description}>{flag.description}</p>}
      </div>
      <div className={styles.environments}>
        {flag.environments.map((environment) => (
          <EnvironmentSwitch key={environment.name} flag={flag} environment={environment} />
        ))}
      </div>
    </article>
  );
}

function EnvironmentSwitch({
  flag,
  environment,
}: {
  flag: FlagOfList;
  environment: Schemas['featureSearchEnvironmentSchema'];
}) {
  const save = useSave();
  const missing = useMissing();
  const { name, type, enabled, hasStrategies, hasEnabledStrategies, variantCount } = environment;
  return (
    <div className={styles.environment}>
      <Switch
        label={`${flag.name} in ${name}`}
        isOn={enabled}
        onChange={(isOn) =>
          save(
            { project: flag.project, feature: flag.name },
            { kind: 'switch', environment: name, environmentType: type, isOn },
          )
        }
        offBecause={
          flag.archivedAt === null
            ? missing('UPDATE_FEATURE_ENVIRONMENT', flag.project, name)
            : 'An archived flag cannot be switched.'
        }
      />
      <div className={styles.environmentText}>
        <span>{name}</span>
        <span className={styles.meaning}>
          {meaningOf({ enabled, hasStrategies, hasEnabledStrategies, variantCount })}
          <ChangedBy project={flag.project} feature={flag.name} environment={name} />
        </span>
      </div>
    </div>
  );
}

function meaningOf({
  enabled,
  hasStrategies,
  hasEnabledStrategies,
  variantCount,
}: Pick<
  Schemas['featureSearchEnvironmentSchema'],
  'enabled' | 'hasStrategies' | 'hasEnabledStrategies' | 'variantCount'
>): string {
  if (!enabled) return 'off';
  if (hasStrategies && !hasEnabledStrategies) return 'on, every strategy disabled';
  return variantCount > 0 ? `on, ${variantCount} variants` : 'on';
}
