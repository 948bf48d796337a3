import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { CheckField, TextField } from '../../ui/field.tsx';
import styles from './values-field.module.css';

interface Props {
  values: string[];
  legalValues: readonly Schemas['legalValueSchema'][];
  error: string | undefined;
  onChange: (values: string[]) => void;
}

/** A field can have 5,000 legal values. More than these are found by searching. */
const shownValues = 100;

/** The legal values of a context field. Chosen ones that are no longer legal can only be removed. */
export function LegalValues({ values, legalValues, error, onChange }: Props) {
  const [search, setSearch] = useState('');
  const legal = new Set(legalValues.map(({ value }) => value));
  const all = [
    ...legalValues,
    ...values.filter((value) => !legal.has(value)).map((value) => ({ value, description: 'No longer a legal value' })),
  ];
  const text = search.toLowerCase();
  const found = all.filter(({ value, description = '' }) => `${value} ${description}`.toLowerCase().includes(text));
  const chosen = new Set(values);
  return (
    <fieldset className={styles.legal}>
      <legend>
        Values: {chosen.size} of {legalValues.length.toLocaleString()} chosen
      </legend>
      {all.length > 12 && (
        <TextField
          label="Search in the values"
          type="search"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
      )}
      <ul className={styles.checks}>
        {found.slice(0, shownValues).map(({ value, description }) => (
          <li key={value}>
            <CheckField
              label={
                <>
                  {value} {description && <span className={styles.quiet}>{description}</span>}
                </>
              }
              checked={chosen.has(value)}
              onChange={(event) =>
                onChange(event.target.checked ? [...values, value] : values.filter((each) => each !== value))
              }
            />
          </li>
        ))}
      </ul>
      {found.length > shownValues && (
        <p className={styles.quiet}>And {(found.length - shownValues).toLocaleString()} more. Search to see them.</p>
      )}
      {error !== undefined && <p className={styles.error}>{error}</p>}
    </fieldset>
  );
}
