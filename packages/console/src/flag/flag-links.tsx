import { useState } from 'react';
import { useMissing } from '../app/session.ts';
import type { Flag } from '../save/after.ts';
import type { FlagLink } from '../save/change.ts';
import { useSave } from '../save/save.tsx';
import { Button } from '../ui/button.tsx';
import { LinkForm } from './link-form.tsx';
import styles from './relations.module.css';

/** The links of a flag, with a form for one that is added or edited. */
export function FlagLinks({ flag }: { flag: Flag }) {
  const save = useSave();
  const missing = useMissing();
  const [edited, setEdited] = useState<FlagLink | 'new' | null>(null);
  const target = { project: flag.project, feature: flag.name };
  const offBecause = missing('UPDATE_FEATURE', flag.project);
  return (
    <div className={styles.relations}>
      {flag.links.length > 0 && (
        <ul className={styles.list} aria-label="Links">
          {flag.links.map((link) => (
            <li key={link.id} className={styles.row}>
              <LinkTo link={link} />
              {offBecause === null && (
                <>
                  <Button
                    look="quiet"
                    className={styles.small}
                    aria-label={`Edit the link ${nameOf(link)}`}
                    offBecause={edited === null ? null : 'A link is edited already. Save it or cancel.'}
                    onClick={() => setEdited(link)}
                  >
                    Edit
                  </Button>
                  <Button
                    look="quiet"
                    className={styles.small}
                    aria-label={`Remove the link ${nameOf(link)}`}
                    onClick={() => void save(target, { kind: 'link', before: link, after: null })}
                  >
                    Remove
                  </Button>
                </>
              )}
            </li>
          ))}
        </ul>
      )}
      {edited === null ? (
        <Button look="quiet" className={styles.small} offBecause={offBecause} onClick={() => setEdited('new')}>
          Add a link
        </Button>
      ) : (
        <LinkForm
          key={edited === 'new' ? 'new' : edited.id}
          target={target}
          before={edited === 'new' ? null : edited}
          onClose={() => setEdited(null)}
        />
      )}
    </div>
  );
}

const nameOf = ({ url, title }: FlagLink) => title || url;

const opened = new Set(['http:', 'https:', 'mailto:']);

/** An address that a browser may open in a tab of its own. Any other one is a text. */
function LinkTo({ link }: { link: FlagLink }) {
  if (!URL.canParse(link.url) || !opened.has(new URL(link.url).protocol)) {
    return (
      <span>
        {link.title && `${link.title}: `}
        {link.url}
      </span>
    );
  }
  return (
    <a href={link.url} target="_blank" rel="noreferrer" title={link.url}>
      {nameOf(link)}
    </a>
  );
}
