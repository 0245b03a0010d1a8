import { credentials, type Credential } from '@flotilla/contract/clouds/credentials'
import { providers, type Provider } from '@flotilla/contract/clouds/providers'
import { KeyRound, Plus } from 'lucide-react'
import { useMemo } from 'react'
import { useApiList } from '../../api/list'
import { useApiQuery } from '../../api/query'
import { paths, useSearchParam, useSetSearch } from '../../paths'
import { Async } from '../../ui/feedback/async'
import { EmptyState } from '../../ui/feedback/empty-state'
import { ButtonLink } from '../../ui/button/link'
import { PageHeader } from '../../ui/layout/page-header'
import { SkeletonRows } from '../../ui/feedback/skeleton'
import { Tabs } from '../../ui/layout/tabs'
import { CredentialDialog } from './credential-dialog'
import { CredentialTable } from './credential-table'
import { HowToPanel } from './how-to-panel'

/** Narrows rows to full credentials, which admins get. Only admins can open this page. */
const isWhole = (row: object): row is Credential => 'data' in row

export default function CredentialsPage() {
  const list = useApiList(credentials.list, {})
  const offered = useApiQuery(providers.list, {})
  const rows = useMemo(() => list.data?.filter(isWhole), [list.data])
  const newCredential = (
    <ButtonLink to={paths.credentials()} search={{ new: '1' }} variant="primary" icon={Plus}>
      New credential
    </ButtonLink>
  )
  return (
    <>
      <PageHeader
        title="Credentials Manager"
        description="Keys for creating clusters and images in your clouds."
        actions={rows && rows.length > 0 && newCredential}
      />
      <Async
        data={{ ...list, data: rows }}
        skeleton={<SkeletonRows rows={4} columns={7} />}
        empty={
          <>
            <div className="rounded-card border border-line-1 bg-surface-2">
              <EmptyState icon={KeyRound} title="No credentials yet" action={newCredential}>
                Add a cloud’s key, test it, and share it with the people who create clusters there.
              </EmptyState>
            </div>
            <WhereFrom offered={offered.data} />
          </>
        }
      >
        {(whole) => <CredentialTable rows={whole} older={list.older} offered={offered.data} />}
      </Async>
      <Dialogs rows={rows} offered={offered.data} />
    </>
  )
}

/** The dialog for the credential in the URL: a new one, or one from the list. */
function Dialogs({ rows, offered }: { rows: Credential[] | undefined; offered: Provider[] | undefined }) {
  const setSearch = useSetSearch()
  const isNew = useSearchParam('new') !== undefined
  const edit = useSearchParam('edit')
  const edited = rows?.find(({ id }) => id === edit)
  const [first, ...others] = offered ?? []
  if (!first || !(isNew || edited)) return null
  return (
    <CredentialDialog
      key={edited?.id ?? 'new'}
      credential={edited ?? null}
      offered={[first, ...others]}
      onClose={() => setSearch({ new: undefined, edit: undefined })}
    />
  )
}

function WhereFrom({ offered }: { offered: Provider[] | undefined }) {
  if (!offered || offered.length === 0) return null
  return (
    <section
      aria-label="How to get a key"
      className="mt-4 rounded-card border border-line-1 bg-surface-2 p-5"
    >
      <h2 className="mb-3 text-section font-semibold">How to get a key</h2>
      <Tabs
        label="Providers"
        tabs={offered.map(({ id, name }) => ({ id, label: name, content: <HowToPanel provider={id} /> }))}
      />
    </section>
  )
}
