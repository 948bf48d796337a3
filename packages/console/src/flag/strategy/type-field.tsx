import type { Schemas } from '../../api/client.ts';
import { SelectField } from '../../ui/field.tsx';

type StrategyType = Schemas['strategySchema'];

interface Props {
  types: readonly StrategyType[];
  name: string;
  onChange: (type: StrategyType) => void;
}

/** The type of a strategy. A deprecated one is offered where it is in use. */
export function TypeField({ types, name, onChange }: Props) {
  const offered = types.filter((type) => !type.deprecated || type.name === name);
  const chosen = types.find((type) => type.name === name);
  const option = (type: StrategyType) => (
    <option key={type.name} value={type.name}>
      {type.displayName ?? type.title ?? type.name}
      {type.deprecated && ' (deprecated)'}
    </option>
  );
  const custom = offered.filter(({ editable }) => editable);
  return (
    <SelectField
      label="Type"
      hint={chosen?.description ?? undefined}
      value={name}
      onChange={(event) => onChange(types.find((type) => type.name === event.target.value)!)}
    >
      {chosen === undefined && <option>{name}</option>}
      {offered.filter(({ editable }) => !editable).map(option)}
      {custom.length > 0 && <optgroup label="Your own, decided by applications">{custom.map(option)}</optgroup>}
    </SelectField>
  );
}
