import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { environmentsQuery } from '../api/queries.ts';
import { Button } from '../ui/button.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import styles from './filter-bar.module.css';
import type { FlagSearch } from './flag-search.ts';

interface Props {
  search: FlagSearch;
  onChange: (search: FlagSearch) => void;
}

/** Time for the next letter of a word. */
const typingMs = 150;

/** Narrows a list of flags. Its state is in the address of the page, so that a view can be sent to others. */
export function FilterBar({ search, onChange }: Props) {
  const { data } = useQuery(environmentsQuery);
  const set = (change: Partial<Record<keyof FlagSearch, string | undefined>>) => {
    const entries = Object.entries({ ...search, ...change }).filter(([, value]) => value !== undefined && value !== '');
    onChange(Object.fromEntries(entries) as FlagSearch);
  };
  const select = (
    name: 'state' | 'type' | 'lifecycle' | 'status' | 'favorite' | 'archived',
    label: string,
    options: [string, string][],
  ) => (
    <SelectField label={label} value={search[name] ?? ''} onChange={(event) => set({ [name]: event.target.value })}>
      <option value="">Any</option>
      {options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </SelectField>
  );
  const same = (...values: string[]): [string, string][] => values.map((value) => [value, value]);
  return (
    <search className={styles.bar}>
      <SearchBox text={search.q ?? ''} onChange={(q) => set({ q })} />
      {select(
        'status',
        'Environment',
        (data?.environments ?? []).flatMap(({ name }): [string, string][] => [
          [`${name}:enabled`, `on in ${name}`],
          [`${name}:disabled`, `off in ${name}`],
        ]),
      )}
      {select('state', 'State', same('active', 'stale', 'potentially-stale'))}
      {select('type', 'Type', same('release', 'experiment', 'operational', 'kill-switch', 'permission'))}
      {select('lifecycle', 'Lifecycle', same('initial', 'pre-live', 'live', 'completed'))}
      {Object.keys(search).length > 0 && (
        <Button look="quiet" onClick={() => onChange({})}>
          Clear
        </Button>
      )}
    </search>
  );
}

function SearchBox({ text, onChange }: { text: string; onChange: (text: string) => void }) {
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
      placeholder="Name, description or tag"
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
    />
  );
}
