import type { Errors } from '../../api/property-errors.ts';
import type { StrategyVariant } from '../../save/change.ts';
import { Button } from '../../ui/button.tsx';
import items from '../../ui/items.module.css';
import { type Keyed, keyed } from './draft.ts';
import { StickinessField } from './stickiness-field.tsx';
import styles from './strategy-form.module.css';
import { VariantEditor } from './variant-editor.tsx';
import { withWholeWeights } from './weights.ts';

type Variant = Keyed<StrategyVariant>;

interface Props {
  project: string;
  /** Of the strategy, for the first variant. */
  stickiness: string;
  variants: Variant[];
  errors: Errors;
  onChange: (variants: Variant[]) => void;
}

/** The variants of a strategy. Their weights are 1000 together at any time. */
export function VariantsField({ project, stickiness, variants, errors, onChange }: Props) {
  const add = () => {
    const variant = { name: nextName(variants), weight: 0, weightType: 'variable' as const };
    onChange(withWholeWeights([...variants, keyed({ ...variant, stickiness: variants[0]?.stickiness ?? stickiness })]));
  };
  return (
    <>
      {variants.length === 0 && <p className={styles.quiet}>No variant: the flag is on or off.</p>}
      {variants.length > 0 && <Shares variants={variants} />}
      <ol className={items.items} aria-label="Variants">
        {variants.map((variant, index) => (
          <li key={variant.key} className={items.item}>
            <VariantEditor
              {...{ variant, errors }}
              path={`.variants[${index}]`}
              isAlone={variants.length === 1}
              onChange={(changed) =>
                onChange(withWholeWeights(variants.with(index, { ...changed, key: variant.key }), index))
              }
              onRemove={() => onChange(withWholeWeights(variants.toSpliced(index, 1)))}
            />
          </li>
        ))}
      </ol>
      {variants.length > 0 && (
        <StickinessField
          project={project}
          value={variants[0]!.stickiness}
          hint="Users with the same value of this field get the same variant."
          onChange={(value) => onChange(variants.map((variant) => ({ ...variant, stickiness: value })))}
        />
      )}
      <Button onClick={add}>Add a variant</Button>
    </>
  );
}

/** The shares beside each other, as widths. The numbers are in the fields below. */
function Shares({ variants }: { variants: Variant[] }) {
  return (
    <div className={styles.shares} aria-hidden="true">
      {variants.map(({ key, name, weight }) => (
        <span key={key} style={{ flexGrow: weight }} title={`${name}: ${weight / 10} %`}>
          {weight >= 80 && name}
        </span>
      ))}
    </div>
  );
}

function nextName(variants: Variant[]): string {
  const names = new Set(variants.map(({ name }) => name));
  let number = variants.length + 1;
  while (names.has(`variant-${number}`)) number += 1;
  return `variant-${number}`;
}
