import { useQuery } from '@tanstack/react-query';
import { type Errors, errorAt } from '../../api/property-errors.ts';
import { contextFieldsQuery } from '../../api/queries.ts';
import type { Constraint } from '../../save/change.ts';
import { SelectField } from '../../ui/field.tsx';
import { constraintInWords } from '../strategy-words.ts';
import { ConditionEditor } from './condition-editor.tsx';
import { operatorsOf, withField } from './operators.ts';

interface Props {
  /** Whose context fields are offered too; null for those of all projects alone. */
  project: string | null;
  constraint: Constraint;
  path: string;
  position: number;
  errors: Errors;
  onChange: (constraint: Constraint) => void;
  onRemove: () => void;
}

/** A field of the context, an operator, and what it compares with. */
export function ConstraintEditor({ project, constraint, position, ...rest }: Props) {
  const { data = [] } = useQuery(contextFieldsQuery(project));
  const { contextName } = constraint;
  const field = data.find(({ name }) => name === contextName);
  return (
    <ConditionEditor
      {...rest}
      label={`Constraint ${position}: ${constraintInWords(constraint)}`}
      name={`constraint ${position}`}
      condition={constraint}
      operators={operatorsOf(constraint)}
      legalValues={field?.legalValues ?? []}
      field={
        <SelectField
          label="Field"
          error={errorAt(rest.errors, `${rest.path}.contextName`)}
          value={contextName}
          onChange={(event) => rest.onChange(withField(constraint, event.target.value))}
        >
          {data.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
          {field === undefined && <option>{contextName}</option>}
        </SelectField>
      }
    />
  );
}
