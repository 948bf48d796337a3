import type { Schemas } from '../api/client.ts';
import type { MissingOf } from '../app/session.ts';
import { FlagSwitch } from '../save/flag-switch.tsx';
import { ChangedBy } from './changed-by.tsx';
import styles from './environment-switch.module.css';
import { targetingInWords } from './targeting-words.ts';

type Environment = Schemas['featureSearchEnvironmentSchema'];

interface Props {
  flag: Pick<Schemas['featureSearchResponseSchema'], 'name' | 'project' | 'archivedAt'>;
  environment: Environment;
  missing: MissingOf;
}

/** The switch of a flag in an environment, with its meaning in words. */
export function EnvironmentSwitch({ flag, environment, missing }: Props) {
  const { name } = environment;
  const meaning = meaningOf(environment);
  return (
    <div className={styles.environment}>
      <FlagSwitch
        target={{ project: flag.project, feature: flag.name }}
        environment={environment}
        offBecause={
          flag.archivedAt === null
            ? missing('UPDATE_FEATURE_ENVIRONMENT', flag.project, name)
            : 'An archived flag cannot be switched.'
        }
      />
      <div className={styles.text}>
        <span>{name}</span>
        <span className={styles.meaning} title={meaning}>
          {meaning}
          <ChangedBy project={flag.project} feature={flag.name} environment={name} />
        </span>
      </div>
    </div>
  );
}

function meaningOf({ enabled, hasStrategies, hasEnabledStrategies, variantCount, targeting }: Environment): string {
  if (!enabled) return 'off';
  if (hasStrategies && !hasEnabledStrategies) return 'on for nobody: every strategy is disabled';
  const whom = targeting === undefined ? '' : targetingInWords(targeting);
  const variants = variantCount > 0 ? `, ${variantCount} variants` : '';
  return `${whom || 'on'}${variants}`;
}
