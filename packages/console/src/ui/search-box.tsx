import { TextField } from './field.tsx';
import { useTyped } from './use-typed.ts';

/** Letters of a fast typist come within this time. A search and its answer have 150 ms (row 23 of the bench). */
const typingMs = 50;

interface Props {
  text: string;
  placeholder: string;
  onChange: (text: string) => void;
}

/** A field that tells its text once nothing was typed for a moment. */
export function SearchBox({ text, placeholder, onChange }: Props) {
  const [typed, setTyped] = useTyped(text, onChange, typingMs);
  return (
    <TextField
      label="Search"
      type="search"
      placeholder={placeholder}
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
    />
  );
}
