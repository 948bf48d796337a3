import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { contextFieldsQuery } from '../api/queries.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { useTyped } from '../ui/use-typed.ts';
import styles from './context-fields.module.css';

/** Each question evaluates all flags of its projects, so letters on the way are not asked for. */
const typingMs = 300;

type Fields = [field: string, value: string][];

interface Props {
  fields: Fields;
  onChange: (fields: Fields) => void;
}

/** The fields of a context and their values. */
export function ContextFields({ fields, onChange }: Props) {
  const { data } = useQuery(contextFieldsQuery(null));
  const listId = useId();
  const [typed, setTyped] = useTyped(fields, onChange, typingMs);
  const rows: Fields = typed.length === 0 ? [['userId', '']] : typed;
  const set = (index: number, row: [string, string]) => setTyped(rows.map((old, at) => (at === index ? row : old)));
  return (
    <fieldset className={styles.fields}>
      <legend>Context</legend>
      <datalist id={listId}>
        {data?.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {rows.map(([field, value], index) => (
        // Rows have no names: two may be empty, and a row keeps its place.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <div key={index} className={styles.row}>
          <TextField
            label="Field"
            list={listId}
            value={field}
            onChange={(event) => set(index, [event.target.value, value])}
          />
          <TextField label="Value" value={value} onChange={(event) => set(index, [field, event.target.value])} />
          <Button look="quiet" onClick={() => setTyped(rows.filter((_, at) => at !== index))}>
            Remove <span className="visually-hidden">{field}</span>
          </Button>
        </div>
      ))}
      <div>
        <Button onClick={() => setTyped([...rows, ['', '']])}>Add a field</Button>
      </div>
      <p className={styles.hint}>Several values with commas between them are evaluated one by one.</p>
    </fieldset>
  );
}
