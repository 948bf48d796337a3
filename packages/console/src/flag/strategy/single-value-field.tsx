import type { Schemas } from '../../api/client.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { localTimeOf, toIso } from './local-time.ts';
import { type Operator, type ValueKind, valueKindOf } from './operators.ts';

interface Props {
  operator: Operator;
  value: string;
  legalValues: readonly Schemas['legalValueSchema'][];
  error: string | undefined;
  onChange: (value: string) => void;
}

const hints: Record<ValueKind, string | undefined> = {
  list: undefined,
  number: 'A number, such as 12.5',
  date: undefined,
  version: 'A version such as 1.2.3 (semver 2.0.0)',
  pattern: 'A pattern in RE2 syntax that matches a part of the text. ^ and $ are its ends',
};

/** The one value of an operator that compares with a number, a time, a version or a pattern. */
export function SingleValueField({ operator, value, legalValues, error, onChange }: Props) {
  const kind = valueKindOf(operator);
  if (kind === 'date') {
    return (
      <TextField
        type="datetime-local"
        step={1}
        label="Time, in your time zone"
        hint={value === '' ? 'UTC is stored.' : `Stored as ${value} (UTC)`}
        error={error}
        value={localTimeOf(value)}
        onChange={(event) => onChange(toIso(event.target.value))}
      />
    );
  }
  if (legalValues.length > 0) {
    return (
      <SelectField label="Value" error={error} value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">Choose a value</option>
        {value !== '' && legalValues.every((legal) => legal.value !== value) && (
          <option value={value}>{value} (no longer a legal value)</option>
        )}
        {legalValues.map((legal) => (
          <option key={legal.value}>{legal.value}</option>
        ))}
      </SelectField>
    );
  }
  return (
    <TextField
      label="Value"
      hint={hints[kind]}
      error={error}
      inputMode={kind === 'number' ? 'decimal' : 'text'}
      autoCapitalize="none"
      spellCheck={false}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
