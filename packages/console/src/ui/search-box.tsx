import { useEffect, useRef, useState } from 'react';
import { TextField } from './field.tsx';

/** Letters of a fast typist come within this time. A search and its answer have 150 ms (row 23 of the bench). */
const typingMs = 50;

interface Props {
  text: string;
  placeholder: string;
  onChange: (text: string) => void;
}

/** A field that tells its text once nothing was typed for a moment. */
export function SearchBox({ text, placeholder, onChange }: Props) {
  const [typed, setTyped] = useState(text);
  const sent = useRef(text);
  // The address changed by a link or the back button.
  if (sent.current !== text && typed === sent.current) setTyped(text);
  sent.current = text;
  useEffect(() => {
    if (typed === text) return;
    const timer = setTimeout(() => onChange(typed), typingMs);
    return () => clearTimeout(timer);
  }, [typed, text, onChange]);
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
