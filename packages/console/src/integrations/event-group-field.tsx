import type { Missing } from '../app/session.ts';
import { Button } from '../ui/button.tsx';
import { CheckField } from '../ui/field.tsx';
import styles from './choice.module.css';
import { toggled } from './draft.ts';
import type { EventGroup } from './event-groups.ts';

interface Props {
  group: EventGroup;
  chosen: string[];
  /** Whether it is unfolded from the beginning. */
  isOpen: boolean;
  /** Why they cannot be chosen. */
  missing: Missing;
  onChange: (chosen: string[]) => void;
}

/** The types of events about one thing, to be chosen one by one or together. */
export function EventGroupField({ group: { title, types }, chosen, isOpen, missing, onChange }: Props) {
  const names = types.map(({ type }) => type);
  const count = names.filter((type) => chosen.includes(type)).length;
  const others = chosen.filter((type) => !names.includes(type));
  // One that is chosen can be taken away.
  const isOff = (type: string) => missing !== null && !chosen.includes(type);
  const isAll = count === types.length;
  return (
    <details className={styles.group} open={isOpen || undefined}>
      <summary className={styles.title}>
        <span>{title}</span>
        <span className={styles.quiet}>
          {count} of {types.length}
        </span>
      </summary>
      <div className={styles.types}>
        {missing && <p className={styles.reason}>{missing}</p>}
        <Button
          look="quiet"
          className={styles.all}
          offBecause={isAll ? null : missing}
          onClick={() => onChange(isAll ? others : [...others, ...names])}
        >
          {isAll ? 'Choose none' : 'Choose all'}
          <span className="visually-hidden"> of {title}</span>
        </Button>
        {types.map(({ type, label }) => (
          <CheckField
            key={type}
            label={label}
            title={type}
            checked={chosen.includes(type)}
            aria-disabled={isOff(type) || undefined}
            onChange={(event) => !isOff(type) && onChange(toggled(chosen, type, event.target.checked))}
          />
        ))}
      </div>
    </details>
  );
}
