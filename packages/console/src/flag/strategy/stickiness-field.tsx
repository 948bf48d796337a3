import { useQuery } from '@tanstack/react-query';
import { contextFieldsQuery } from '../../api/queries.ts';
import { SelectField } from '../../ui/field.tsx';

interface Props {
  /** Null for the context fields of all projects alone. */
  project: string | null;
  value: string;
  onChange: (value: string) => void;
  hint?: string;
}

/** The context field by which a user keeps the same answer. */
export function StickinessField({ project, value, onChange, hint }: Props) {
  const { data } = useQuery(contextFieldsQuery(project));
  const fields = (data ?? []).filter(({ stickiness }) => stickiness).map(({ name }) => name);
  const known = new Set(['default', 'random', ...fields]);
  return (
    <SelectField
      label="Stickiness"
      hint={hint ?? 'Users with the same value of this field get the same answer.'}
      value={value || 'default'}
      onChange={(event) => onChange(event.target.value)}
    >
      <option value="default">default: userId, else sessionId</option>
      {fields.map((name) => (
        <option key={name}>{name}</option>
      ))}
      <option value="random">random: each evaluation anew</option>
      {value !== '' && !known.has(value) && <option>{value}</option>}
    </SelectField>
  );
}
