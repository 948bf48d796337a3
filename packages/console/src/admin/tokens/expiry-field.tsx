import { SelectField, TextField } from '../../ui/field.tsx';
import type { Expiry } from './expiry.ts';

interface Props {
  expiry: Expiry;
  onChange: (expiry: Expiry) => void;
  mayBeNever?: boolean;
  error?: string | undefined;
}

/** Chooses when a token expires. */
export function ExpiryField({ expiry, onChange, mayBeNever = false, error }: Props) {
  return (
    <>
      <SelectField
        label="Expires"
        error={error}
        value={expiry.kind}
        onChange={(event) => onChange({ ...expiry, kind: event.target.value as Expiry['kind'] })}
      >
        {mayBeNever && <option value="never">never</option>}
        <option value="7">in 7 days</option>
        <option value="30">in 30 days</option>
        <option value="90">in 90 days</option>
        <option value="365">in a year</option>
        <option value="date">at the end of a date</option>
      </SelectField>
      {expiry.kind === 'date' && (
        <TextField
          label="Last day (UTC)"
          type="date"
          required
          min={new Date().toISOString().slice(0, 10)}
          value={expiry.date}
          onChange={(event) => onChange({ ...expiry, date: event.target.value })}
        />
      )}
    </>
  );
}
