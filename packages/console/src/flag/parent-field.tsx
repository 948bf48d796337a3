import { useQuery } from '@tanstack/react-query';
import { type Errors, errorAt } from '../api/property-errors.ts';
import type { Flag } from '../save/after.ts';
import type { Parent } from '../save/change.ts';
import { Button } from '../ui/button.tsx';
import { ChoiceList } from '../ui/choice-list.tsx';
import { SelectField } from '../ui/field.tsx';
import items from '../ui/items.module.css';
import { parentOptionsQuery, parentVariantsQuery } from './relation-queries.ts';
import styles from './relations.module.css';

interface Props {
  flag: Flag;
  parent: Required<Parent>;
  index: number;
  /** The parents that are chosen already. */
  others: string[];
  errors: Errors;
  onChange: (parent: Required<Parent>) => void;
  onRemove: () => void;
}

/** One flag on which another depends, and what is required of it. Variants can be required only where it is on. */
export function ParentField({ flag, parent, index, others, errors, onChange, onRemove }: Props) {
  const { feature, enabled, variants } = parent;
  const options = useQuery(parentOptionsQuery(flag.project, flag.name));
  const found = useQuery(parentVariantsQuery(flag.project, feature));
  const names = [...new Set([feature, ...(options.data ?? [])])].filter((name) => name && !others.includes(name));
  // One that was removed from the parent can still be given up.
  const choices = [...new Set([...(found.data ?? []), ...variants])];
  const title = feature || `Parent ${index + 1}`;
  return (
    <fieldset className={items.fields} aria-label={title}>
      <div className={items.pair}>
        <SelectField
          label="Flag"
          required
          error={errorAt(errors, `.parents[${index}].feature`) ?? errorAt(errors, '.feature')}
          value={feature}
          onChange={(event) => onChange({ feature: event.target.value, enabled, variants: [] })}
        >
          <option value="">Choose a flag</option>
          {names.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </SelectField>
        <SelectField
          label="It must be"
          value={enabled ? 'on' : 'off'}
          onChange={(event) => onChange({ feature, enabled: event.target.value === 'on', variants: [] })}
        >
          <option value="on">on</option>
          <option value="off">off</option>
        </SelectField>
      </div>
      {enabled && choices.length > 0 && (
        <ChoiceList
          label="With one of these variants. None: with any, or without one"
          choices={choices.map((name) => ({ value: name, label: name }))}
          chosen={variants}
          error={errorAt(errors, `.parents[${index}].variants`)}
          onChange={(chosen) => onChange({ feature, enabled, variants: chosen })}
        />
      )}
      <div className={styles.row}>
        <Button look="quiet" aria-label={`Remove ${title}`} onClick={onRemove}>
          Remove
        </Button>
      </div>
    </fieldset>
  );
}
