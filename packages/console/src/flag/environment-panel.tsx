import type { Schemas } from '../api/client.ts';
import { useMissing } from '../app/session.ts';
import { ChangedBy } from '../flags/changed-by.tsx';
import { useSave } from '../save/save.tsx';
import { Switch } from '../ui/switch.tsx';
import styles from './environment-panel.module.css';
import { inWords } from './strategy-words.ts';

export type Flag = Schemas['featureSchema'];
export type EnvironmentOfFlag = Schemas['featureEnvironmentSchema'];

/** A flag in one environment: its switch, and for whom it is on. */
export function EnvironmentPanel({ flag, environment }: { flag: Flag; environment: EnvironmentOfFlag }) {
  const save = useSave();
  const missing = useMissing();
  const target = { project: flag.project, feature: flag.name };
  const { name, type, enabled, strategies } = environment;
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
        <Switch
          label={`${flag.name} in ${name}`}
          isOn={enabled}
          onChange={(isOn) => save(target, { kind: 'switch', environment: name, environmentType: type, isOn })}
          offBecause={
            flag.archived
              ? 'An archived flag cannot be switched.'
              : missing('UPDATE_FEATURE_ENVIRONMENT', flag.project, name)
          }
        />
      </header>
      {strategies.length === 0 ? (
        <p className={styles.quiet}>No strategy. Switching it on adds one for everybody.</p>
      ) : (
        <ol className={styles.strategies}>
          {strategies.map((strategy) => (
            <li key={strategy.id} className={styles.strategy}>
              <p>{strategy.title || inWords(strategy)}</p>
              {strategy.title && <p className={styles.quiet}>{inWords(strategy)}</p>}
              {strategy.disabled && <p className={styles.quiet}>disabled</p>}
            </li>
          ))}
        </ol>
      )}
      <dl className={styles.usage}>
        <dt>Last hour</dt>
        <dd>
          {(environment.yes ?? 0).toLocaleString()} times on, {(environment.no ?? 0).toLocaleString()} times off
        </dd>
      </dl>
    </section>
  );
}
