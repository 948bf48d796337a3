import { type FormEvent, useState } from 'react';
import { TextField } from '../../ui/field.tsx';

interface Props {
  text: string;
  error: string | undefined;
  /** Why nothing can be searched, as a sentence. */
  offBecause: string | null;
  onSearch: (text: string) => void;
}

/** Searches once Enter is pressed or the field is left: a half-written path would be refused. */
export function PayloadSearch({ text, error, offBecause, onSearch }: Props) {
  const [typed, setTyped] = useState(text);
  const search = () => typed.trim() !== text && onSearch(typed.trim());
  const submit = (event: FormEvent) => {
    event.preventDefault();
    search();
  };
  return (
    <form onSubmit={submit}>
      <TextField
        label="Value in the payload"
        type="search"
        placeholder="labels.severity=critical"
        hint={offBecause ?? undefined}
        disabled={offBecause !== null}
        error={error}
        autoCapitalize="none"
        spellCheck={false}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={search}
      />
    </form>
  );
}
