import { sharesInWords } from '../save/variant-words.ts';
import styles from './strategy-card.module.css';

/** Variants with their shares, as in `blue 50 %, green 50 %`. */
export function VariantShares({ variants }: { variants: { name: string; weight: number }[] }) {
  return <p className={styles.quiet}>Variants: {sharesInWords(variants)}</p>;
}
