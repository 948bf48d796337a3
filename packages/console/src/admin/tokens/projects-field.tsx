import { CheckField } from '../../ui/field.tsx';
import styles from '../admin.module.css';

interface Props {
  projects: readonly { id: string; name: string }[];
  /** Ids; `*` is every project. */
  chosen: readonly string[];
  onChange: (chosen: readonly string[]) => void;
  error?: string | undefined;
}

/** Chooses every project, or some. */
export function ProjectsField({ projects, chosen, onChange, error }: Props) {
  const isEvery = chosen.includes('*');
  const without = (id: string) => chosen.filter((each) => each !== id && each !== '*');
  return (
    <fieldset className={styles.checks}>
      <legend>Projects</legend>
      <CheckField
        label="Every project, also those to come"
        checked={isEvery}
        onChange={({ target: { checked } }) => onChange(checked ? ['*'] : projects.slice(0, 1).map(({ id }) => id))}
      />
      {!isEvery &&
        projects.map(({ id, name }) => (
          <CheckField
            key={id}
            label={name}
            checked={chosen.includes(id)}
            onChange={({ target: { checked } }) => onChange(checked ? [...without(id), id] : without(id))}
          />
        ))}
      {error !== undefined && <p className={styles.refused}>{error}</p>}
    </fieldset>
  );
}
