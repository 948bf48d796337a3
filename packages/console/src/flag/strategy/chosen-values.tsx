import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { isolated } from '../../ui/direction.ts';
import { TextField } from '../../ui/field.tsx';
import styles from './values-field.module.css';

/** More are found by searching. */
const shownValues = 100;

/** With more values, one looks for them by name. */
const searchedFrom = 12;

/** The values of a constraint in a list of bounded height, each of which can be removed. */
export function ChosenValues({ values, onChange }: { values: string[]; onChange: (values: string[]) => void }) {
  const [search, setSearch] = useState('');
  if (values.length === 0) return <p className={styles.quiet}>No value yet.</p>;
  const isSearched = values.length >= searchedFrom;
  const found = isSearched ? values.filter((value) => value.toLowerCase().includes(search.toLowerCase())) : values;
  return (
    <div className={styles.chosen}>
      <div className={styles.bar}>
        <p className={styles.count}>{values.length === 1 ? 'One value' : `${values.length.toLocaleString()} values`}</p>
        {isSearched && (
          <TextField
            label="Search in the values"
            type="search"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
        )}
        <Button look="quiet" onClick={() => onChange([])}>
          Remove all
        </Button>
      </div>
      <ul className={styles.list} aria-label="Values">
        {found.slice(0, shownValues).map((value) => (
          <li key={value} className={styles.value}>
            <span>{value}</span>
            <button
              type="button"
              className={styles.remove}
              aria-label={`Remove ${isolated(value)}`}
              onClick={() => onChange(values.filter((each) => each !== value))}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
      {found.length > shownValues && (
        <p className={styles.quiet}>And {(found.length - shownValues).toLocaleString()} more. Search to see them.</p>
      )}
    </div>
  );
}
