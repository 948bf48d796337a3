import { SelectField } from './field.tsx';

interface Props {
  label: string;
  /** What is chosen; empty for any. */
  value: string | undefined;
  options: readonly (readonly [value: string, text: string])[];
  onChange: (value: string) => void;
}

/** Narrows a list to one value of a property. */
export function FilterSelect({ label, value = '', options, onChange }: Props) {
  return (
    <SelectField label={label} value={value} onChange={(event) => onChange(event.target.value)}>
      <option value="">Any</option>
      {/* One of an address or a saved view that is not offered (any more) narrows the list all the same. */}
      {value !== '' && options.every(([option]) => option !== value) && <option value={value}>{value}</option>}
      {options.map(([option, text]) => (
        <option key={option} value={option}>
          {text}
        </option>
      ))}
    </SelectField>
  );
}
