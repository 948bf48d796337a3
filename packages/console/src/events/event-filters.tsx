import { useQuery } from '@tanstack/react-query';
import { environmentsQuery, eventCreatorsQuery, projectsQuery } from '../api/queries.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { FilterRow } from '../ui/filter-row.tsx';
import { FilterSelect } from '../ui/filter-select.tsx';
import { SearchBox } from '../ui/search-box.tsx';
import type { EventSearch } from './event-search.ts';
import { shownTypes } from './shown-types.ts';

interface Props {
  search: EventSearch;
  onChange: (search: EventSearch) => void;
}

/** Narrows the event log. Its state is in the address of the page. */
export function EventFilters({ search, onChange }: Props) {
  const { data: environments } = useQuery(environmentsQuery);
  const { data: projects } = useQuery(projectsQuery);
  const { data: creators } = useQuery(eventCreatorsQuery);
  const set = (change: Partial<Record<keyof EventSearch, string>>) => {
    const entries = Object.entries({ ...search, ...change }).filter(([, value]) => value !== '');
    onChange(Object.fromEntries(entries) as EventSearch);
  };
  const select = (name: keyof EventSearch, label: string, options: [string, string][]) => (
    <FilterSelect {...{ label, options }} value={search[name]} onChange={(value) => set({ [name]: value })} />
  );
  const day = (name: 'from' | 'to', label: string) => (
    <TextField
      label={label}
      type="date"
      value={search[name] ?? ''}
      onChange={(event) => set({ [name]: event.target.value })}
    />
  );
  return (
    <FilterRow>
      <SearchBox placeholder="Words of the data" text={search.q ?? ''} onChange={(q) => set({ q })} />
      {select('type', 'Type', shownTypes)}
      {select(
        'project',
        'Project',
        (projects?.projects ?? []).map(({ id, name }) => [id, name]),
      )}
      {select(
        'environment',
        'Environment',
        (environments?.environments ?? []).map(({ name }) => [name, name]),
      )}
      {select(
        'createdBy',
        'By',
        (creators ?? []).map(({ id, name }) => [`${id}`, name]),
      )}
      {day('from', 'From')}
      {day('to', 'To')}
      {Object.keys(search).length > 0 && (
        <Button look="quiet" onClick={() => onChange({})}>
          Clear
        </Button>
      )}
    </FilterRow>
  );
}
