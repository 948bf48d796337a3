import { useState } from 'react';
import type { Schemas } from '../api/client.ts';
import { pastedInWords, withPasted } from '../flag/strategy/pasted-values.ts';
import { Button } from '../ui/button.tsx';
import { isolated } from '../ui/direction.ts';
import { TextAreaField, TextField } from '../ui/field.tsx';
import styles from './legal-values-field.module.css';

type LegalValue = Schemas['legalValueSchema'];

/** A field can have 5,000 values. More than these are found by searching. */
const shownValues = 50;

interface Props {
  values: LegalValue[];
  onChange: (values: LegalValue[]) => void;
}

/** The values that a context field may have, each with what it means. */
export function LegalValuesField({ values, onChange }: Props) {
  const [typed, setTyped] = useState('');
  const [said, setSaid] = useState('');
  const [search, setSearch] = useState('');
  const add = () => {
    const pasted = withPasted(
      values.map(({ value }) => value),
      typed,
    );
    onChange([...values, ...pasted.values.slice(values.length).map((value) => ({ value }))]);
    setSaid(pastedInWords(pasted));
    setTyped('');
  };
  const text = search.toLowerCase();
  const found = values.filter(({ value, description = '' }) =>
    `${isolated(value)} ${description}`.toLowerCase().includes(text),
  );
  const describe = (wanted: string, description: string) =>
    onChange(
      values.map((each) =>
        each.value === wanted ? { value: wanted, ...(description !== '' && { description }) } : each,
      ),
    );
  return (
    <>
      <div className={styles.adding}>
        <TextAreaField
          label="Add values"
          rows={1}
          hint="Between commas or one a line. Press Enter to add them; many can be pasted."
          autoCapitalize="none"
          spellCheck={false}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey) return;
            event.preventDefault();
            if (typed.trim() !== '') add();
          }}
        />
        <Button onClick={() => typed.trim() !== '' && add()}>Add</Button>
      </div>
      <p role="status" className={styles.quiet}>
        {said}
      </p>
      {values.length > 12 && (
        <TextField
          label="Search in the values"
          type="search"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
      )}
      <ul className={styles.values} aria-label="Legal values">
        {found.slice(0, shownValues).map(({ value, description = '' }) => (
          <li key={value} className={styles.value}>
            <code>{value}</code>
            <input
              type="text"
              className={styles.description}
              aria-label={`What ${isolated(value)} means`}
              placeholder="What it means"
              value={description}
              onChange={(event) => describe(value, event.target.value)}
            />
            <Button
              look="quiet"
              aria-label={`Remove ${isolated(value)}`}
              onClick={() => onChange(values.filter((each) => each.value !== value))}
            >
              Remove
            </Button>
          </li>
        ))}
      </ul>
      {found.length > shownValues && (
        <p className={styles.quiet}>And {(found.length - shownValues).toLocaleString()} more. Search to see them.</p>
      )}
    </>
  );
}
