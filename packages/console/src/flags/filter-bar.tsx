import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { environmentsQuery, flagCreatorsQuery, tagsQuery } from '../api/queries.ts';
import { Button } from '../ui/button.tsx';
import { FilterRow } from '../ui/filter-row.tsx';
import { FilterSelect } from '../ui/filter-select.tsx';
import { SearchBox } from '../ui/search-box.tsx';
import type { FlagSearch } from './flag-search.ts';
import { flagTypes } from './flag-types.ts';

interface Props {
  search: FlagSearch;
  onChange: (search: FlagSearch) => void;
}

/**
 * An installation may have tens of thousands of tags, and a filter of the API has commas between several. The search
 * finds flags by any tag.
 */
const maxTags = 1_000;
const canFilterBy = ({ value }: { value: string }) => !value.includes(',');

/** Narrows a list of flags. Its state is in the address of the page, so that a view can be sent to others. */
export function FilterBar({ search, onChange }: Props) {
  const { data } = useQuery(environmentsQuery);
  const [isNear, setNear] = useState(false);
  const { data: tags = [] } = useQuery({ ...tagsQuery, enabled: isNear });
  // The address has the id of a person, whose name is shown.
  const { data: creators = [] } = useQuery({ ...flagCreatorsQuery, enabled: isNear || search.createdBy !== undefined });
  const set = (change: Partial<Record<keyof FlagSearch, string | undefined>>) => {
    const entries = Object.entries({ ...search, ...change }).filter(([, value]) => value !== undefined && value !== '');
    onChange(Object.fromEntries(entries) as FlagSearch);
  };
  const select = (
    name: 'state' | 'type' | 'lifecycle' | 'status' | 'tag' | 'createdBy' | 'favorite' | 'archived',
    label: string,
    options: [string, string][],
  ) => <FilterSelect {...{ label, options }} value={search[name]} onChange={(value) => set({ [name]: value })} />;
  const same = (...values: string[]): [string, string][] => values.map((value) => [value, value]);
  return (
    <FilterRow onNear={() => setNear(true)}>
      <SearchBox placeholder="Name, description or tag" text={search.q ?? ''} onChange={(q) => set({ q })} />
      {select(
        'status',
        'Environment',
        (data?.environments ?? []).flatMap(({ name }): [string, string][] => [
          [`${name}:enabled`, `on in ${name}`],
          [`${name}:disabled`, `off in ${name}`],
        ]),
      )}
      {select('state', 'State', same('active', 'stale', 'potentially-stale'))}
      {select('type', 'Type', same(...flagTypes))}
      {select('lifecycle', 'Lifecycle', same('initial', 'pre-live', 'live', 'completed'))}
      {select(
        'tag',
        'Tag',
        same(
          ...tags
            .filter(canFilterBy)
            .slice(0, maxTags)
            .map(({ type, value }) => `${type}:${value}`),
        ),
      )}
      {select(
        'createdBy',
        'Made by',
        creators.map(({ id, name }): [string, string] => [`${id}`, name]),
      )}
      {select('favorite', 'Favourites', [['true', 'mine']])}
      {select('archived', 'Archive', [['true', 'archived']])}
      {Object.keys(search).length > 0 && (
        <Button look="quiet" onClick={() => onChange({})}>
          Clear
        </Button>
      )}
    </FilterRow>
  );
}
