import { useState } from 'react';
import { CheckField, TextField } from '../../ui/field.tsx';
import styles from '../admin.module.css';
import { isNamed } from '../names.ts';

interface Props {
  label: string;
  people: readonly { id: number; name: string }[];
  chosen: readonly number[];
  onChange: (chosen: readonly number[]) => void;
}

/** More cannot be looked through; the search narrows them. */
const shownAtMost = 100;

/** Chooses some of many: those that are chosen first, and those that the search finds. */
export function PeopleField({ label, people, chosen, onChange }: Props) {
  const [text, setText] = useState('');
  const [first] = useState(chosen);
  const found = people.filter(({ name }) => isNamed(text, name));
  const sorted = [...found].sort((one, other) => Number(first.includes(other.id)) - Number(first.includes(one.id)));
  const without = (id: number) => chosen.filter((each) => each !== id);
  return (
    <>
      {people.length > 8 && (
        <TextField
          label={`Search ${label.toLowerCase()}`}
          type="search"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      )}
      <fieldset className={styles.checks}>
        <legend>{label}</legend>
        {sorted.slice(0, shownAtMost).map(({ id, name }) => (
          <CheckField
            key={id}
            label={name}
            checked={chosen.includes(id)}
            onChange={({ target: { checked } }) => onChange(checked ? [...chosen, id] : without(id))}
          />
        ))}
        {sorted.length === 0 && <p className={styles.quiet}>Nobody is called so.</p>}
        {sorted.length > shownAtMost && <p className={styles.quiet}>Search to see the others.</p>}
      </fieldset>
    </>
  );
}
