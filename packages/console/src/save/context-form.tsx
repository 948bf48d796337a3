import type { Context } from '@yardarm/evaluation/pure';
import { useId } from 'react';
import { TextAreaField, TextField } from '../ui/field.tsx';
import styles from './effects-view.module.css';
import { topFields } from './samples.ts';

/** The values of a context by field; `other` is a text with one `name=value` a line. */
export type TypedContext = Readonly<Record<string, string>>;

interface Props {
  /** The fields on which the answer depends, with the values that are named for them. */
  fields: ReadonlyMap<string, readonly string[]>;
  typed: TypedContext;
  onChange: (typed: TypedContext) => void;
}

/** More values would not fit a list of suggestions. */
const maxSuggestions = 50;

export function ContextForm({ fields, typed, onChange }: Props) {
  const id = useId();
  const names = [...new Set(['userId', ...fields.keys()])];
  return (
    <div className={styles.form}>
      {names.map((name) => (
        <div key={name}>
          <TextField
            label={name}
            autoCapitalize="none"
            spellCheck={false}
            list={`${id}-${name}`}
            value={typed[name] ?? ''}
            onChange={(event) => onChange({ ...typed, [name]: event.target.value })}
          />
          <datalist id={`${id}-${name}`}>
            {(fields.get(name) ?? []).slice(0, maxSuggestions).map((value) => (
              <option key={value} value={value} />
            ))}
          </datalist>
        </div>
      ))}
      <TextAreaField
        label="Other fields"
        hint="One a line, as in country=NO"
        rows={2}
        spellCheck={false}
        value={typed[otherName] ?? ''}
        onChange={(event) => onChange({ ...typed, [otherName]: event.target.value })}
      />
    </div>
  );
}

/** No context field has this name. */
const otherName = '=';

/** The context that was typed. An empty value counts as absent. */
export function toContext(typed: TypedContext): Context {
  const { [otherName]: other = '', ...named } = typed;
  const lines = other.split('\n').flatMap((line): [string, string][] => {
    const [name, ...value] = line.split('=');
    return name?.trim() && value.length > 0 ? [[name.trim(), value.join('=').trim()]] : [];
  });
  const entries = [...lines, ...Object.entries(named)].filter(([, value]) => value !== '');
  const isTop = ([name]: [string, string]) => topFields.has(name);
  return {
    ...Object.fromEntries(entries.filter(isTop)),
    properties: Object.fromEntries(entries.filter((entry) => !isTop(entry))),
  };
}
