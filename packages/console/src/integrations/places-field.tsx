import { useState } from 'react';
import { CheckField } from '../ui/field.tsx';
import styles from './choice.module.css';
import { every, toggled } from './draft.ts';

interface Place {
  id: string;
  name: string;
}

interface Props {
  /** As in "projects". */
  noun: string;
  /** Those that exist. */
  places: readonly Place[];
  chosen: string[];
  error: string | undefined;
  onChange: (chosen: string[]) => void;
}

/** All projects or some, or all environments or some. An empty list means all. */
export function PlacesField({ noun, places, chosen, error, onChange }: Props) {
  const isAll = chosen.length === 0 || chosen.includes(every);
  const [isChoosing, setChoosing] = useState(!isAll);
  // One that was deleted since it was chosen.
  const gone = chosen.filter((id) => id !== every && !places.some((place) => place.id === id));
  const options = [...places, ...gone.map((id) => ({ id, name: `${id} (does not exist any more)` }))];
  const choose = (choosing: boolean) => {
    setChoosing(choosing);
    onChange([]);
  };
  return (
    <fieldset className={styles.choice}>
      <legend className={styles.legend}>{noun[0]?.toUpperCase() + noun.slice(1)}</legend>
      <div className={styles.modes}>
        <CheckField type="radio" label={`All ${noun}`} checked={!isChoosing} onChange={() => choose(false)} />
        <CheckField type="radio" label={`Only chosen ${noun}`} checked={isChoosing} onChange={() => choose(true)} />
      </div>
      {isChoosing && (
        <div className={styles.box}>
          {options.map(({ id, name }) => (
            <CheckField
              key={id}
              label={name}
              checked={chosen.includes(id)}
              onChange={(event) => onChange(toggled(chosen, id, event.target.checked))}
            />
          ))}
        </div>
      )}
      {isChoosing && isAll && (
        <p className={styles.quiet}>None is chosen. Saved so, it gets the events of all {noun}.</p>
      )}
      {error !== undefined && <p className={styles.error}>{error}</p>}
    </fieldset>
  );
}
