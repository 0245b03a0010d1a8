import { clusters } from '@flotilla/contract/clusters/clusters'
import { useApiQuery } from '../../../api/query'
import { useSearchParam } from '../../../paths'
import { Async } from '../../../ui/feedback/async'
import { Callout } from '../../../ui/feedback/callout'
import { PageHeader } from '../../../ui/layout/page-header'
import { SkeletonText } from '../../../ui/feedback/skeleton'
import { imported } from '../cloud-form/values/imported'
import { NewActions, WhereCards } from '../cloud-form/steps/where-cards'
import { ClusterForm } from './cluster-form'
import { copyOf, valuesOf } from './cluster-values'

/** A cluster of existing machines: from the defaults, a copy or a file. */
export default function NewLocal() {
  const copy = useSearchParam('copy')
  const fromFile = useSearchParam('from') === 'file'
  return (
    <>
      <PageHeader
        title="New cluster"
        description="From existing machines: this one, or others behind a head node."
        actions={<NewActions />}
      />
      {copy !== undefined ? (
        <FromCluster key={copy} id={copy} />
      ) : fromFile ? (
        <FromFile key="file" />
      ) : (
        <>
          <WhereCards chosen="local" />
          <ClusterForm cluster={null} admin={false} />
        </>
      )}
    </>
  )
}

/** The form with the values of the imported file, which it reads only on first render. */
function FromFile() {
  const file = imported.get()?.values
  return file?.provider === 'local' ? (
    <ClusterForm
      cluster={null}
      admin={false}
      start={valuesOf(file)}
      note={
        <Callout tone="gray" title="From a file">
          All values from the file are filled in. Nothing is saved yet.
        </Callout>
      }
    />
  ) : (
    <ClusterForm
      cluster={null}
      admin={false}
      note={<Callout tone="amber" title="The page was reloaded. Import the file again." />}
    />
  )
}

function FromCluster({ id }: { id: string }) {
  const cluster = useApiQuery(clusters.view, { id })
  return (
    <Async data={cluster} skeleton={<SkeletonText lines={8} />}>
      {(found) =>
        found.provider === 'local' ? (
          <ClusterForm
            cluster={null}
            admin={false}
            start={copyOf(found)}
            note={
              <Callout tone="gray" title={`Copy of ${found.name}`}>
                {found.data.head?.key === 'given'
                  ? 'Everything except the private key was copied. Paste it again. Nothing is saved yet.'
                  : 'Everything was copied. Nothing is saved yet.'}
              </Callout>
            }
          />
        ) : (
          <Callout tone="amber" title={`${found.name} is a cloud cluster`} />
        )
      }
    </Async>
  )
}
