import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { projectQuery } from '../api/queries.ts';
import { useMissing } from '../app/session.ts';
import { ChangedBy } from '../flags/changed-by.tsx';
import type { Flag, FlagEnvironment } from '../save/after.ts';
import { FlagSwitch } from '../save/flag-switch.tsx';
import { Button } from '../ui/button.tsx';
import { countOf } from '../ui/counts.ts';
import styles from './environment-panel.module.css';
import { StrategyList } from './strategy-list.tsx';
import { inWords, type SegmentNames } from './strategy-words.ts';
import { VariantShares } from './variant-shares.tsx';

interface Props {
  flag: Flag;
  environment: FlagEnvironment;
  names: SegmentNames;
}

/** A flag in one environment: its switch, and for whom it is on. */
export function EnvironmentPanel({ flag, environment, names }: Props) {
  const missing = useMissing();
  const navigate = useNavigate();
  const { name, enabled, strategies, variants } = environment;
  const { data } = useQuery(projectQuery(flag.project));
  const defaultStrategy = data?.environments.find((each) => each.environment === name)?.defaultStrategy;
  return (
    <section className={styles.panel} aria-labelledby={`environment-${name}`}>
      <header className={styles.header}>
        <div>
          <h2 id={`environment-${name}`}>{name}</h2>
          <p className={styles.quiet}>
            {enabled ? 'on' : 'off'}
            <ChangedBy project={flag.project} feature={flag.name} environment={name} />
          </p>
        </div>
        <FlagSwitch
          target={{ project: flag.project, feature: flag.name }}
          environment={environment}
          offBecause={missing('UPDATE_FEATURE_ENVIRONMENT', flag.project, name)}
        />
      </header>
      {strategies.length === 0 ? (
        <p className={styles.quiet}>
          No strategy. Switching it on adds one for {defaultStrategy ? inWords(defaultStrategy, names) : 'everybody'}.
        </p>
      ) : (
        <StrategyList {...{ flag, environment, names }} />
      )}
      {variants.length > 0 && <VariantShares variants={variants} />}
      <div className={styles.actions}>
        <Button
          offBecause={missing('CREATE_FEATURE_STRATEGY', flag.project, name)}
          onClick={() =>
            void navigate({
              to: '/projects/$projectId/features/$featureName/environments/$environment/strategies/$strategyId',
              params: { projectId: flag.project, featureName: flag.name, environment: name, strategyId: 'new' },
            })
          }
        >
          Add a strategy
        </Button>
        <Button
          look="quiet"
          offBecause={missing('UPDATE_FEATURE_ENVIRONMENT_VARIANTS', flag.project, name)}
          onClick={() =>
            void navigate({
              to: '/projects/$projectId/features/$featureName/environments/$environment/variants',
              params: { projectId: flag.project, featureName: flag.name, environment: name },
            })
          }
        >
          {variants.length === 0 ? 'Add variants' : 'Edit variants'}
          <span className="visually-hidden"> in {name}</span>
        </Button>
      </div>
      <dl className={styles.usage}>
        <dt>This hour</dt>
        <dd>
          {countOf(environment.yes ?? 0, 'time')} on, {countOf(environment.no ?? 0, 'time')} off
        </dd>
      </dl>
    </section>
  );
}
