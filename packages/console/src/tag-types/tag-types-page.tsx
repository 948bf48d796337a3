import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Schemas, write } from '../api/client.ts';
import { tagTypesQuery } from '../api/queries.ts';
import { useMissing } from '../app/session.ts';
import { Button } from '../ui/button.tsx';
import { DeleteButton } from '../ui/delete-button.tsx';
import { EditedInDialog } from '../ui/edited.tsx';
import { PageHead } from '../ui/page-head.tsx';
import { Row, Rows, rowName } from '../ui/rows.tsx';
import { Empty, Shown } from '../ui/shown.tsx';
import { sayDone } from '../ui/toasts.tsx';
import { TagTypeForm } from './tag-type-form.tsx';
import styles from './tag-types-page.module.css';

const settingsOf = ({ description, color }: Schemas['tagTypeSchema']) => ({ description, color });

/** The kinds of tags that flags can have. */
export function TagTypesPage() {
  const missing = useMissing();
  const query = useQuery(tagTypesQuery);
  const [isMade, setMade] = useState(false);
  /** The name of the type whose form is open. */
  const [edited, setEdited] = useState<string | null>(null);
  const editedType = query.data?.tagTypes.find(({ name }) => name === edited);
  return (
    <>
      <PageHead title="Tag types">
        <Button look="primary" onClick={() => setMade(true)} offBecause={missing('CREATE_TAG_TYPE')}>
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
                      <Button
                        look="quiet"
                        onClick={() => setEdited(tagType.name)}
                        offBecause={missing('UPDATE_TAG_TYPE')}
                      >
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
      {isMade && <TagTypeForm tagType={null} onClose={() => setMade(false)} />}
      {editedType && (
        <EditedInDialog what="this tag type" now={editedType} settingsOf={settingsOf}>
          {(before) => <TagTypeForm tagType={before} onClose={() => setEdited(null)} />}
        </EditedInDialog>
      )}
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
