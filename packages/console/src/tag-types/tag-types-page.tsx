import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Schemas, write } from '../api/client.ts';
import { tagTypesQuery } from '../api/queries.ts';
import { useMissing } from '../app/session.ts';
import { Button } from '../ui/button.tsx';
import { DeleteButton } from '../ui/delete-button.tsx';
import { PageHead } from '../ui/page-head.tsx';
import { Row, Rows, rowName } from '../ui/rows.tsx';
import { Empty, Shown } from '../ui/shown.tsx';
import { sayDone } from '../ui/toasts.tsx';
import { TagTypeForm } from './tag-type-form.tsx';
import styles from './tag-types-page.module.css';

type TagType = Schemas['tagTypeSchema'];

/** The kinds of tags that flags can have. */
export function TagTypesPage() {
  const missing = useMissing();
  const query = useQuery(tagTypesQuery);
  /** The type whose form is open; `new` for one that is made. */
  const [edited, setEdited] = useState<TagType | 'new' | null>(null);
  return (
    <>
      <PageHead title="Tag types">
        <Button look="primary" onClick={() => setEdited('new')} offBecause={missing('CREATE_TAG_TYPE')}>
          New tag type
        </Button>
      </PageHead>
      <p>A tag of a flag has a type and a value, such as team:payments. Lists of flags can be narrowed to a tag.</p>
      <Shown query={query}>
        {({ tagTypes }) =>
          tagTypes.length === 0 ? (
            <Empty title="There is no tag type" />
          ) : (
            <Rows label="Tag types">
              {tagTypes.map((tagType) => (
                <Row
                  key={tagType.name}
                  name={
                    <>
                      {tagType.color !== null && (
                        <span
                          className={styles.color}
                          style={{ backgroundColor: tagType.color }}
                          title={`Color ${tagType.color}`}
                        />
                      )}
                      <span className={rowName}>{tagType.name}</span>
                    </>
                  }
                  description={tagType.description}
                  end={
                    <>
                      <Button look="quiet" onClick={() => setEdited(tagType)} offBecause={missing('UPDATE_TAG_TYPE')}>
                        Edit<span className="visually-hidden"> {tagType.name}</span>
                      </Button>
                      <DeleteTagType name={tagType.name} missing={missing('DELETE_TAG_TYPE')} />
                    </>
                  }
                />
              ))}
            </Rows>
          )
        }
      </Shown>
      {edited !== null && <TagTypeForm tagType={edited === 'new' ? null : edited} onClose={() => setEdited(null)} />}
    </>
  );
}

function DeleteTagType({ name, missing }: { name: string; missing: string | null }) {
  const queries = useQueryClient();
  return (
    <DeleteButton
      what={`the tag type ${name}`}
      look="quiet"
      offBecause={missing}
      send={() => write(() => api.DELETE('/api/admin/tag-types/{name}', { params: { path: { name } } }))}
      onDone={() => {
        sayDone(`The tag type ${name} was deleted.`);
        void queries.invalidateQueries({ queryKey: tagTypesQuery.queryKey });
      }}
    >
      It is only deleted if no flag has a tag of this type.
    </DeleteButton>
  );
}
