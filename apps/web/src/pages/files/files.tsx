import { clusters } from '@flotilla/contract/clusters/clusters'
import type { Cluster } from '@flotilla/contract/clusters/entity'
import { isClusterActionAllowed } from '@flotilla/contract/clusters/states'
import { jobs } from '@flotilla/contract/jobs/jobs'
import { PAGE_SIZE_MAX } from '@flotilla/contract/limits'
import { Lock, Unplug } from 'lucide-react'
import { useApiQuery } from '../../api/query'
import { paths } from '../../paths'
import { Async } from '../../ui/feedback/async'
import { EmptyState } from '../../ui/feedback/empty-state'
import { Select } from '../../ui/form/input'
import { ButtonLink, TextLink } from '../../ui/button/link'
import { PageHeader } from '../../ui/layout/page-header'
import { Delayed, SkeletonRows } from '../../ui/feedback/skeleton'
import { Breadcrumbs } from './breadcrumbs'
import { FolderView } from './folder'
import { OUTPUTS, searchOf, useGoTo, usePlace } from './file-search'
import { JobOutputs, OutputJobs } from './outputs'
import { joined, placeOf } from './places'
import { TextEditor } from './text-editor'
import { useDefaultArea } from './use-default-area'

/** The user's job outputs, and their files on each cluster. */
export default function Files() {
  const list = useApiQuery(clusters.list, { query: { limit: PAGE_SIZE_MAX } })
  return (
    <>
      {!list.data && <PageHeader title="File Manager" />}
      <Async data={list} skeleton={<SkeletonRows rows={8} columns={4} />}>
        {(all) => <Areas all={all} />}
      </Async>
    </>
  )
}

function Areas({ all }: { all: Cluster[] }) {
  const place = usePlace()
  const goTo = useGoTo()
  const area = useDefaultArea(all, place.area)
  const cluster = all.find(({ id }) => id === area)
  return (
    <>
      <PageHeader
        title="File Manager"
        actions={
          <div className="flex items-center gap-2">
            <label htmlFor="area" className="text-ink-2">
              Area
            </label>
            <Select
              id="area"
              value={area ?? ''}
              className="w-56"
              onChange={(event) => goTo({ area: event.currentTarget.value, path: '', file: undefined })}
            >
              {area === undefined && <option value="">Connecting</option>}
              <optgroup label="Clusters">
                {all.map(({ id, name, info }) => (
                  <option key={id} value={id} disabled={!isClusterActionAllowed('connect', info.state)}>
                    {isClusterActionAllowed('connect', info.state)
                      ? name
                      : `${name} (${stateText(info.state)})`}
                  </option>
                ))}
              </optgroup>
              <optgroup label="Jobs">
                <option value={OUTPUTS}>Job outputs</option>
              </optgroup>
            </Select>
          </div>
        }
      />
      {area === undefined ? (
        <Delayed>
          <SkeletonRows rows={8} columns={4} />
        </Delayed>
      ) : area === OUTPUTS ? (
        <Outputs job={place.path} />
      ) : cluster && !isClusterActionAllowed('connect', cluster.info.state) ? (
        <ClusterUnreachable cluster={cluster} />
      ) : cluster && cluster.accountBlockedReason !== null ? (
        <NoAccount cluster={cluster} />
      ) : (
        <ClusterFiles
          cluster={area}
          // A cluster that is not listed may still respond, or return a reason why it does not.
          root={cluster?.name ?? 'Cluster'}
          places={cluster?.places ?? []}
          path={place.path}
          file={place.file}
        />
      )}
    </>
  )
}

/** The cluster's state in terms for users who do not manage clusters. */
const stateText = (state: Cluster['info']['state']): string =>
  state === 'saved' || state === 'planned' || state === 'destroyed' ? 'not deployed' : state

/** Has no retry button, because someone has to start the cluster first. */
const ClusterUnreachable = ({ cluster: { id, name, info } }: { cluster: Cluster }) => (
  <div className="rounded-card border border-line-1 bg-surface-2">
    <EmptyState
      icon={Unplug}
      title={`${name} cannot be reached`}
      action={<ButtonLink to={paths.cluster(id)}>Go to the cluster</ButtonLink>}
    >
      It is {stateText(info.state)}. Your files appear here when it is available.
    </EmptyState>
  </div>
)

const NoAccount = ({ cluster: { id, name, accountBlockedReason } }: { cluster: Cluster }) => (
  <div className="rounded-card border border-line-1 bg-surface-2">
    <EmptyState
      icon={Lock}
      title={`You cannot use files on ${name}`}
      action={<ButtonLink to={paths.cluster(id)}>Go to the cluster</ButtonLink>}
    >
      {accountBlockedReason}
    </EmptyState>
  </div>
)

function ClusterFiles({
  cluster,
  root,
  places,
  path,
  file,
}: {
  cluster: string
  root: string
  places: readonly string[]
  path: string
  file: string | undefined
}) {
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center justify-between gap-x-6 gap-y-1">
        <Breadcrumbs area={cluster} root={root} path={path} file={file} places={places} />
        <Places cluster={cluster} places={places} path={path} />
      </div>
      {file === undefined ? (
        <FolderView key={`${cluster} ${path}`} cluster={cluster} root={root} places={places} path={path} />
      ) : (
        <TextEditor key={`${cluster} ${joined(path, file)}`} cluster={cluster} path={joined(path, file)} />
      )}
    </>
  )
}

/** Links to the home folder and to the folders that the cluster's owner has added. */
function Places({ cluster, places, path }: { cluster: string; places: readonly string[]; path: string }) {
  if (places.length === 0) return null
  const here = placeOf(path, places)
  return (
    <nav aria-label="Places" className="flex flex-wrap items-center gap-x-3">
      {['', ...places].map((place) => (
        <TextLink
          key={place}
          to={paths.files()}
          search={searchOf({ area: cluster, path: place, file: undefined })}
          aria-current={place === here ? 'true' : undefined}
          className={place === here ? 'font-medium' : undefined}
        >
          {place === '' ? 'Home' : place}
        </TextLink>
      ))}
    </nav>
  )
}

function Outputs({ job }: { job: string }) {
  const found = useApiQuery(jobs.view, { id: job }, { enabled: job !== '' })
  if (job === '') return <OutputJobs />
  return (
    <>
      <div className="mb-3">
        <Breadcrumbs area={OUTPUTS} root="Job outputs" path="" file={found.data?.name ?? 'Job'} />
      </div>
      <JobOutputs key={job} job={job} />
    </>
  )
}
