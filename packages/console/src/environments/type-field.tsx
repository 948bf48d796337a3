import { SelectField } from '../ui/field.tsx';

/** The types that have a meaning. An instance may have others. */
const types = ['development', 'test', 'preproduction', 'production'];

interface Props {
  value: string;
  error: string | undefined;
  onChange: (type: string) => void;
}

/** The type of an environment. */
export function TypeField({ value, error, onChange }: Props) {
  return (
    <SelectField
      label="Type"
      hint="In an environment of the type production, the console asks before a flag is switched."
      error={error}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    >
      {types.map((type) => (
        <option key={type}>{type}</option>
      ))}
      {!types.includes(value) && <option>{value}</option>}
    </SelectField>
  );
}
