import type { Schemas } from '../../api/client.ts';
import { fieldError } from '../../api/property-errors.ts';
import { useMissing } from '../../app/session.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FilterRow } from '../../ui/filter-row.tsx';
import { PayloadSearch } from './payload-search.tsx';
import type { SignalSearch } from './signal-search.ts';

interface Props {
  search: SignalSearch;
  endpoints: readonly Schemas['signalEndpointSchema'][];
  error: Error | null;
  onChange: (search: SignalSearch) => void;
}

/** Narrows the inbox. Its state is in the address of the page. */
export function InboxFilters({ search, endpoints, error, onChange }: Props) {
  const missing = useMissing();
  const set = (change: Partial<Record<keyof SignalSearch, string>>) => {
    const entries = Object.entries({ ...search, ...change }).filter(([, value]) => value !== '');
    onChange(Object.fromEntries(entries) as SignalSearch);
  };
  const forAdmins = { disabled: missing('ADMIN') !== null, hint: missing('ADMIN') ?? undefined };
  const day = (name: 'from' | 'to', label: string) => (
    <TextField
      label={label}
      type="date"
      error={fieldError(error, name)}
      value={search[name] ?? ''}
      onChange={(event) => set({ [name]: event.target.value })}
    />
  );
  return (
    <FilterRow>
      <PayloadSearch
        key={search.payload}
        text={search.payload ?? ''}
        error={fieldError(error, 'payload')}
        offBecause={missing('READ_LOGS')}
        onSearch={(payload) => set({ payload })}
      />
      <SelectField
        label="Endpoint"
        {...forAdmins}
        value={search.endpoint ?? ''}
        onChange={(event) => set({ endpoint: event.target.value })}
      >
        <option value="">Any</option>
        {endpoints.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
      <SelectField
        label="Action sets"
        {...forAdmins}
        value={search.ran ?? ''}
        onChange={(event) => set({ ran: event.target.value })}
      >
        <option value="">Any</option>
        <option value="yes">One ran</option>
        <option value="no">None ran</option>
      </SelectField>
      {day('from', 'From (UTC)')}
      {day('to', 'To (UTC)')}
      {Object.keys(search).length > 0 && (
        <Button look="quiet" onClick={() => onChange({})}>
          Clear
        </Button>
      )}
    </FilterRow>
  );
}
