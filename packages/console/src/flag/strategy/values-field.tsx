import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { TextAreaField } from '../../ui/field.tsx';
import { ChosenValues } from './chosen-values.tsx';
import { LegalValues } from './legal-values.tsx';
import { pastedInWords, withPasted } from './pasted-values.ts';
import styles from './values-field.module.css';

interface Props {
  values: string[];
  legalValues: readonly Schemas['legalValueSchema'][];
  isNetwork: boolean;
  error: string | undefined;
  onChange: (values: string[]) => void;
}

/** The values of a list operator: chosen among the legal ones, or typed and pasted. */
export function ValuesField({ values, legalValues, isNetwork, error, onChange }: Props) {
  const [typed, setTyped] = useState('');
  const [said, setSaid] = useState('');
  if (legalValues.length > 0) return <LegalValues {...{ values, legalValues, error, onChange }} />;

  const add = (text: string) => {
    const pasted = withPasted(values, text);
    if (pasted.added + pasted.duplicates === 0) return;
    onChange(pasted.values);
    setSaid(pastedInWords(pasted));
    setTyped('');
  };
  return (
    <div className={styles.values}>
      <div className={styles.adding}>
        <TextAreaField
          label="Add values"
          rows={1}
          hint={`Between commas or one a line${isNetwork ? ', as in 10.0.0.0/8' : ''}. Press Enter to add them; many can be pasted.`}
          error={error}
          autoCapitalize="none"
          spellCheck={false}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onBlur={() => add(typed)}
          onPaste={(event) => {
            const text = event.clipboardData.getData('text');
            if (typed !== '' || !/[\n,]/.test(text)) return;
            event.preventDefault();
            add(text);
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey) return;
            event.preventDefault();
            add(typed);
          }}
        />
        <Button onClick={() => add(typed)}>Add</Button>
      </div>
      <p className={styles.said} role="status">
        {said}
      </p>
      <ChosenValues values={values} onChange={onChange} />
    </div>
  );
}
